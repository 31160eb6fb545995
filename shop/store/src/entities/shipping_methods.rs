//! How a store delivers there, and for how much.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{ShippingMethodId, ShippingZoneId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "shipping_methods")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ShippingMethodId,
    pub zone_id: ShippingZoneId,
    pub store_id: StoreId,
    pub name: String,
    pub carrier: String,
    pub price_minor: i64,
    pub free_over_minor: Option<i64>,
    pub per_kg_minor: i64,
    pub max_weight_g: i64,
    pub days_min: i64,
    pub days_max: i64,
    pub position: i64,
    pub is_active: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
