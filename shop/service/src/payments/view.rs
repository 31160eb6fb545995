use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{AttemptId, GiftCardId, OrderId, PaymentId, PaymentMethodId, RefundId};
use shop_domain::money::Currency;
use shop_domain::status::{AttemptKind, AttemptOutcome, InstrumentKind, PaymentState};
use shop_store::entities::{attempts, payments};

/// One payment of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Payment)]
pub struct View {
    pub id: PaymentId,
    pub order_id: OrderId,
    pub instrument: InstrumentKind,
    pub payment_method_id: Option<PaymentMethodId>,
    pub gift_card_id: Option<GiftCardId>,
    /// `unknown` means that the gateway's answer is missing: ask with `sync_payment_status`, do not try again.
    pub status: PaymentState,
    /// What the payment is for, in minor units.
    #[schema(example = 3980)]
    pub amount_minor: i64,
    /// Held so far, in minor units.
    pub authorized_minor: i64,
    /// Taken so far, in minor units.
    pub captured_minor: i64,
    /// Given back so far, in minor units.
    pub refunded_minor: i64,
    pub currency: Currency,
    /// The gateway's name for it.
    pub charge_id: Option<String>,
    /// Why the gateway declined, when it did.
    pub decline_code: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// One call to the gateway, with its key and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PaymentAttempt)]
pub struct Attempt {
    pub id: AttemptId,
    pub kind: AttemptKind,
    pub refund_id: Option<RefundId>,
    /// The idempotency key the gateway knows it by.
    pub gateway_key: String,
    /// In minor units.
    pub amount_minor: i64,
    pub outcome: AttemptOutcome,
    pub gateway_ref: Option<String>,
    pub detail: Option<String>,
    pub created_at: DateTime<Utc>,
    pub settled_at: Option<DateTime<Utc>>,
}

impl From<payments::Model> for View {
    fn from(row: payments::Model) -> Self {
        Self {
            id: row.id,
            order_id: row.order_id,
            instrument: row.instrument,
            payment_method_id: row.payment_method_id,
            gift_card_id: row.gift_card_id,
            status: row.status,
            amount_minor: row.amount_minor,
            authorized_minor: row.authorized_minor,
            captured_minor: row.captured_minor,
            refunded_minor: row.refunded_minor,
            currency: row.currency,
            charge_id: row.charge_id,
            decline_code: row.decline_code,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<attempts::Model> for Attempt {
    fn from(row: attempts::Model) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            refund_id: row.refund_id,
            gateway_key: row.gateway_key,
            amount_minor: row.amount_minor,
            outcome: row.outcome,
            gateway_ref: row.gateway_ref,
            detail: row.detail,
            created_at: row.created_at,
            settled_at: row.settled_at,
        }
    }
}
