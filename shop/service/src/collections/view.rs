use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::collections::Rule;
use shop_domain::ids::{BrandId, CollectionId, ProductId};
use shop_domain::limits;
use shop_store::entities::collections;

/// A group of products.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Collection)]
pub struct View {
    pub id: CollectionId,
    pub brand_id: BrandId,
    #[schema(example = "For the kitchen")]
    pub title: String,
    /// What a product must be to belong; null where they were picked by hand.
    pub rule: Option<Rule>,
    /// How many products you can see are in it now; `list_products` pages through them.
    pub product_count: usize,
    /// The first two hundred of them.
    #[schema(max_items = 200)]
    pub product_ids: Vec<ProductId>,
    pub created_at: DateTime<Utc>,
    /// The ETag.
    pub version: i64,
}

impl View {
    pub(super) fn new(row: collections::Model, mut members: Vec<ProductId>) -> Self {
        let product_count = members.len();
        members.truncate(limits::IDS_MAX);
        Self {
            id: row.id,
            brand_id: row.brand_id,
            title: row.title,
            rule: row.rule,
            product_count,
            product_ids: members,
            created_at: row.created_at,
            version: row.version,
        }
    }
}
