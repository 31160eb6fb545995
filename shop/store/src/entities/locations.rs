//! A warehouse or shop that holds stock.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{LocationId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "locations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: LocationId,
    pub store_id: StoreId,
    pub name: String,
    pub country: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
