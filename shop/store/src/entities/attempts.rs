//! One call to the gateway: committed before it is made, settled once.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{ActionId, AttemptId, OrderId, PaymentId, RefundId};
use shop_domain::status::{AttemptKind, AttemptOutcome};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "attempts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: AttemptId,
    pub payment_id: Option<PaymentId>,
    pub refund_id: Option<RefundId>,
    pub order_id: OrderId,
    pub kind: AttemptKind,
    pub gateway_key: String,
    pub amount_minor: i64,
    pub outcome: AttemptOutcome,
    pub gateway_ref: Option<String>,
    pub detail: Option<String>,
    pub caller_scope: Option<String>,
    pub caller_key: Option<String>,
    pub action_id: Option<ActionId>,
    pub lookups: i64,
    pub created_at: DateTimeUtc,
    pub settled_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
