//! Store credit of one customer in one currency.

use sea_orm::entity::prelude::*;
use shop_domain::ids::CustomerId;
use shop_domain::money::Currency;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_accounts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub customer_id: CustomerId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub currency: Currency,
    pub balance_minor: i64,
    pub held_minor: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
