//! Where a store delivers.

use crate::columns::Countries;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{ShippingZoneId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "shipping_zones")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ShippingZoneId,
    pub store_id: StoreId,
    pub name: String,
    #[sea_orm(column_type = "Json")]
    pub countries: Countries,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
