//! Every change of a store-credit balance.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CreditEntryId, CustomerId, OrderId};
use shop_domain::money::Currency;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "credit_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CreditEntryId,
    pub customer_id: CustomerId,
    pub amount_minor: i64,
    pub balance_minor: i64,
    pub currency: Currency,
    pub source: String,
    pub reason: String,
    pub order_id: Option<OrderId>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
