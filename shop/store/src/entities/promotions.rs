//! A rule that lowers a price.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CollectionId, PromotionId, StoreId};
use shop_domain::promotions::PromotionKind;
use shop_domain::status::PromotionStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "promotions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PromotionId,
    pub store_id: Option<StoreId>,
    pub name: String,
    pub kind: PromotionKind,
    pub value: i64,
    pub min_subtotal_minor: i64,
    pub buy_quantity: i64,
    pub get_quantity: i64,
    pub is_automatic: bool,
    pub collection_id: Option<CollectionId>,
    pub usage_limit: Option<i64>,
    pub used: i64,
    pub budget_minor: Option<i64>,
    pub spent_minor: i64,
    pub status: PromotionStatus,
    pub starts_at: Option<DateTimeUtc>,
    pub ends_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
