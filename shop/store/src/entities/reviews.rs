//! What a customer says about a product they bought, and what the shop answered.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, CustomerId, OrderId, PrincipalId, ProductId, ReviewId, StoreId};
use shop_domain::status::ReviewStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "reviews")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ReviewId,
    pub product_id: ProductId,
    pub brand_id: BrandId,
    pub store_id: StoreId,
    pub customer_id: CustomerId,
    pub order_id: OrderId,
    pub author_name: String,
    pub stars: i64,
    pub title: String,
    pub text: String,
    pub status: ReviewStatus,
    pub moderated_by: Option<PrincipalId>,
    pub moderation_note: Option<String>,
    pub reply: Option<String>,
    pub replied_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
