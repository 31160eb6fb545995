//! A rule that lowers a price.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{PromotionId, StoreId};
use shop_domain::status::PromotionStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "promotions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PromotionId,
    pub store_id: Option<StoreId>,
    pub name: String,
    pub kind: String,
    pub value: i64,
    pub min_subtotal_minor: i64,
    pub buy_quantity: i64,
    pub get_quantity: i64,
    pub status: PromotionStatus,
    pub starts_at: Option<DateTimeUtc>,
    pub ends_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
