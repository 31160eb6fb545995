use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, GiftCardId, OrderId, OrderLineId, PaymentId, RefundId, ReturnId};
use shop_domain::money::Currency;
use shop_domain::status::{InstrumentKind, RefundDestination, RefundKind, RefundStatus};
use shop_store::entities::refunds;

/// One refund.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Refund)]
pub struct View {
    pub id: RefundId,
    /// The first refund of the operation that made it; the parts of a split refund share it.
    pub batch_id: RefundId,
    pub order_id: OrderId,
    /// The payment the money goes back to, or came from.
    pub payment_id: Option<PaymentId>,
    pub return_id: Option<ReturnId>,
    pub kind: RefundKind,
    pub destination: RefundDestination,
    pub gift_card_id: Option<GiftCardId>,
    /// `unknown` means that the gateway's answer is missing: ask with `sync_refund_status`, do not refund again.
    pub status: RefundStatus,
    /// In minor units.
    #[schema(example = 1990)]
    pub amount_minor: i64,
    pub currency: Currency,
    /// The units it pays for.
    pub lines: Vec<RefundedLine>,
    /// The part that is shipping, in minor units.
    pub shipping_minor: i64,
    pub reason: String,
    /// The gateway's name for it.
    pub gateway_ref: Option<String>,
    pub approval_id: Option<ApprovalId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// Units of one line that a refund pays for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RefundedLine {
    pub line_id: OrderLineId,
    pub quantity: i64,
    /// In minor units.
    pub amount_minor: i64,
}

/// What may still go back of an order. Units count once a refund claims them, whatever becomes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundCalculation)]
pub struct Calculation {
    pub order_id: OrderId,
    pub currency: Currency,
    pub lines: Vec<RefundableLine>,
    /// Shipping, tax included, in minor units.
    #[schema(example = 583)]
    pub shipping_minor: i64,
    /// In all, in minor units: never more than was captured and no refund claims.
    #[schema(example = 4736)]
    pub total_minor: i64,
    /// What the units that were asked about are worth, in minor units; absent when none were.
    pub asked_minor: Option<i64>,
    pub payments: Vec<RefundablePayment>,
    /// The order's version.
    pub order_version: i64,
}

/// What may still go back of one line, by the operation that gives it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RefundableLine {
    pub line_id: OrderLineId,
    #[schema(example = "Blue mug")]
    pub title: String,
    /// Units for `refund_unshipped_items`.
    pub unshipped: i64,
    /// Units for `refund_without_return`, which may need an approval.
    pub with_customer: i64,
    /// Units that came back and are not paid for yet: `refund_returned_items`, once they are accepted.
    pub received: i64,
    /// Amount in minor units, tax included.
    #[schema(example = 2368)]
    pub max_minor: i64,
    /// The tax within it, in minor units.
    pub tax_minor: i64,
}

/// What may still go back of one payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RefundablePayment {
    pub payment_id: PaymentId,
    pub instrument: InstrumentKind,
    /// In minor units.
    pub left_minor: i64,
}

/// What one refund operation came to: a refund for every payment that money goes back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundBatch)]
pub struct Batch {
    pub refunds: Vec<View>,
    /// The sum, in minor units.
    #[schema(example = 1990)]
    pub total_minor: i64,
    pub currency: Currency,
    pub order_id: OrderId,
    /// The order's version afterwards.
    pub order_version: i64,
}

impl From<refunds::Model> for View {
    fn from(row: refunds::Model) -> Self {
        let lines = row.lines.0.into_iter();
        Self {
            id: row.id,
            batch_id: row.batch_id,
            order_id: row.order_id,
            payment_id: row.payment_id,
            return_id: row.return_id,
            kind: row.kind,
            destination: row.destination,
            gift_card_id: row.gift_card_id,
            status: row.status,
            amount_minor: row.amount_minor,
            currency: row.currency,
            lines: lines
                .map(|line| RefundedLine {
                    line_id: line.line_id,
                    quantity: line.quantity,
                    amount_minor: line.amount_minor,
                })
                .collect(),
            shipping_minor: row.shipping_minor,
            reason: row.reason,
            gateway_ref: row.gateway_ref,
            approval_id: row.approval_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}
