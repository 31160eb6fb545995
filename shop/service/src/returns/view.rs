use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{
    ApprovalId, CustomerId, ExchangeId, OrderId, OrderLineId, PaymentMethodId, RefundId, ReturnId,
};
use shop_domain::reasons::{PostagePayer, ReturnReason};
use shop_domain::status::{RefundDestination, ReturnStatus};
use shop_store::columns::ReturnLine;
use shop_store::entities::returns;

/// Goods on their way back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Return)]
pub struct View {
    pub id: ReturnId,
    pub order_id: OrderId,
    pub customer_id: Option<CustomerId>,
    /// The exchange whose old goods these are: they are swapped, not refunded.
    pub exchange_id: Option<ExchangeId>,
    pub status: ReturnStatus,
    pub reason: ReturnReason,
    /// Who pays the postage.
    pub postage_payer: PostagePayer,
    /// In the customer's words.
    pub note: Option<String>,
    pub lines: Vec<Line>,
    /// Where the money shall go.
    pub refund_to: RefundDestination,
    pub refund_method_id: Option<PaymentMethodId>,
    /// Until when the goods have to arrive.
    pub deadline_at: Option<DateTime<Utc>>,
    /// The number of the parcel back, once there is a label.
    #[schema(example = "TW000482019337")]
    pub label_tracking: Option<String>,
    /// What the label cost the shop, in minor units: 0 where the customer pays at the counter.
    #[schema(example = 490)]
    pub label_minor: Option<i64>,
    /// Why it was declined, for the customer.
    pub reject_reason: Option<String>,
    /// The approval it was asked with.
    pub approval_id: Option<ApprovalId>,
    /// The refunds that paid for it.
    pub refund_ids: Vec<RefundId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// Units of one order line, and what became of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReturnLine)]
pub struct Line {
    pub line_id: OrderLineId,
    /// Units that shall come back.
    pub quantity: i64,
    /// Of these, back at a location.
    pub received: i64,
    /// Of these, good enough to be paid for.
    pub accepted: i64,
    /// Of these, back on the shelf.
    pub restocked: i64,
    /// Of these, paid for.
    pub refunded: i64,
}

/// All reasons for a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReturnReasons)]
pub struct Reasons {
    pub items: Vec<Reason>,
}

/// One reason for a return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReturnReasonEntry)]
pub struct Reason {
    pub code: ReturnReason,
    /// In words.
    #[schema(example = "wrong size")]
    pub label: String,
    /// Who pays the postage.
    pub postage_payer: PostagePayer,
    /// Whether a store may approve it unseen.
    pub is_routine: bool,
}

impl View {
    pub(super) fn new(row: returns::Model, refund_ids: Vec<RefundId>) -> Self {
        Self {
            id: row.id,
            order_id: row.order_id,
            customer_id: row.customer_id,
            exchange_id: row.exchange_id,
            status: row.status,
            reason: row.reason,
            postage_payer: row.reason.postage_payer(),
            note: row.note,
            lines: row.lines.0.into_iter().map(Line::from).collect(),
            refund_to: row.refund_to,
            refund_method_id: row.refund_method_id,
            deadline_at: row.deadline_at,
            label_tracking: row.label_tracking,
            label_minor: row.label_minor,
            reject_reason: row.reject_reason,
            approval_id: row.approval_id,
            refund_ids,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<ReturnLine> for Line {
    fn from(line: ReturnLine) -> Self {
        Self {
            line_id: line.line_id,
            quantity: line.quantity,
            received: line.received,
            accepted: line.accepted,
            restocked: line.restocked,
            refunded: line.refunded,
        }
    }
}
