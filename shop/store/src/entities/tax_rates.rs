//! Tax by region and category.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{StoreId, TaxRateId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "tax_rates")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TaxRateId,
    pub store_id: StoreId,
    pub country: String,
    pub region: Option<String>,
    pub category: String,
    pub rate_bps: i64,
    pub starts_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
