//! A saved address; changing one changes no order.

use sea_orm::entity::prelude::*;
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "addresses")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: AddressId,
    pub customer_id: CustomerId,
    pub label: String,
    #[sea_orm(column_type = "Json")]
    pub address: Address,
    pub is_default: bool,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
