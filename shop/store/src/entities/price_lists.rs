//! Prices of a store for a group of customers or for a time.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{PriceListId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "price_lists")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PriceListId,
    pub store_id: StoreId,
    pub name: String,
    pub customer_tag: Option<String>,
    pub starts_at: Option<DateTimeUtc>,
    pub ends_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
