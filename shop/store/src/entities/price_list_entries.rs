//! One price of a list, in minor units of its store's currency.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{PriceListId, VariantId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "price_list_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub price_list_id: PriceListId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub variant_id: VariantId,
    pub price_minor: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
