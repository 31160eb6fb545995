//! One variant in a cart.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CartId, CartLineId, VariantId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "cart_lines")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CartLineId,
    pub cart_id: CartId,
    pub variant_id: VariantId,
    pub quantity: i64,
    pub position: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
