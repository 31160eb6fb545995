//! Units of one variant at one location.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{LocationId, VariantId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "inventory_levels")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub variant_id: VariantId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub location_id: LocationId,
    pub on_hand: i64,
    pub reserved: i64,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
