//! Goods on their way back.

use crate::columns::ReturnLines;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{ApprovalId, CustomerId, ExchangeId, OrderId, PaymentMethodId, ReturnId};
use shop_domain::reasons::ReturnReason;
use shop_domain::status::{RefundDestination, ReturnStatus};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "returns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ReturnId,
    pub order_id: OrderId,
    pub customer_id: Option<CustomerId>,
    pub exchange_id: Option<ExchangeId>,
    pub status: ReturnStatus,
    pub reason: ReturnReason,
    pub note: Option<String>,
    #[sea_orm(column_type = "Json")]
    pub lines: ReturnLines,
    pub refund_to: RefundDestination,
    pub refund_method_id: Option<PaymentMethodId>,
    pub deadline_at: Option<DateTimeUtc>,
    pub label_tracking: Option<String>,
    pub label_minor: Option<i64>,
    pub reject_reason: Option<String>,
    pub approval_id: Option<ApprovalId>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
