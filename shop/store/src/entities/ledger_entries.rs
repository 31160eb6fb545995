//! Double entry: the entries of one transaction sum to zero.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{LedgerTransactionId, OrderId, PaymentId, RefundId};
use shop_domain::ledger::Account;
use shop_domain::money::Currency;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger_entries")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub transaction_id: LedgerTransactionId,
    pub account: Account,
    pub amount_minor: i64,
    pub currency: Currency,
    pub order_id: Option<OrderId>,
    pub payment_id: Option<PaymentId>,
    pub refund_id: Option<RefundId>,
    pub memo: String,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
