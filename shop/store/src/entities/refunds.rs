//! Money owed back, whatever became of it.

use crate::columns::Lines;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{ApprovalId, GiftCardId, OrderId, PaymentId, RefundId, ReturnId};
use shop_domain::money::Currency;
use shop_domain::status::{RefundDestination, RefundKind, RefundStatus};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "refunds")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: RefundId,
    /// The first refund of the operation that made this one: the parts of a split refund share it.
    pub batch_id: RefundId,
    pub order_id: OrderId,
    pub payment_id: Option<PaymentId>,
    pub return_id: Option<ReturnId>,
    pub kind: RefundKind,
    pub destination: RefundDestination,
    pub gift_card_id: Option<GiftCardId>,
    pub amount_minor: i64,
    pub currency: Currency,
    #[sea_orm(column_type = "Json")]
    pub lines: Lines,
    pub shipping_minor: i64,
    pub reason: String,
    pub status: RefundStatus,
    pub gateway_ref: Option<String>,
    pub approval_id: Option<ApprovalId>,
    pub requested_by: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
