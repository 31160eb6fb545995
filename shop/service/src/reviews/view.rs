use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::governance::Role;
use shop_domain::ids::{CustomerId, OrderId, PrincipalId, ProductId, ReviewId};
use shop_domain::status::ReviewStatus;
use shop_store::entities::reviews;

use crate::Ctx;

/// What a buyer says about a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Review)]
pub struct View {
    pub id: ReviewId,
    pub product_id: ProductId,
    /// How the buyer is named in public.
    #[schema(example = "Ada B.")]
    pub author_name: String,
    /// 1 to 5.
    #[schema(example = 5)]
    pub stars: i64,
    #[schema(example = "Keeps the tea warm")]
    pub title: String,
    pub text: String,
    pub status: ReviewStatus,
    /// Who wrote it; for staff and the buyer.
    pub customer_id: Option<CustomerId>,
    /// The order it was bought with; for staff and the buyer.
    pub order_id: Option<OrderId>,
    /// Who decided last whether it is seen; for staff.
    pub moderated_by: Option<PrincipalId>,
    /// Why; for staff.
    pub moderation_note: Option<String>,
    /// The shop's public answer.
    pub reply: Option<String>,
    pub replied_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// What the published reviews of a product add up to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ProductRating)]
pub struct Rating {
    /// Published reviews.
    #[schema(example = 12)]
    pub count: i64,
    /// Their average in hundredths of a star; null when there are none.
    #[schema(example = 437)]
    pub average_hundredths: Option<i64>,
    /// How many gave one star, two, and so on up to five.
    #[schema(example = json!([0, 1, 1, 3, 7]))]
    pub by_stars: Vec<i64>,
}

/// One page of reviews, and the rating of the product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ProductReviews)]
pub struct Reviews {
    /// Newest first.
    pub items: Vec<View>,
    /// Whether another page follows.
    pub has_more: bool,
    /// What to send as `cursor` for it.
    pub next_cursor: Option<String>,
    /// Of all published reviews, whatever the filter.
    pub rating: Rating,
}

impl View {
    /// What a caller sees of a review: strangers nothing of who wrote it and who moderated it.
    pub(super) fn new(ctx: &Ctx, row: reviews::Model) -> Self {
        let is_staff = ctx.principal.role != Role::Shopper;
        let is_seen = shop_domain::governance::sees(&ctx.principal.scope, &super::owner(&row));
        Self {
            id: row.id,
            product_id: row.product_id,
            author_name: row.author_name,
            stars: row.stars,
            title: row.title,
            text: row.text,
            status: row.status,
            customer_id: is_seen.then_some(row.customer_id),
            order_id: is_seen.then_some(row.order_id),
            moderated_by: row.moderated_by.filter(|_| is_seen && is_staff),
            moderation_note: row.moderation_note.filter(|_| is_seen && is_staff),
            reply: row.reply,
            replied_at: row.replied_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}
