use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{DisputeId, OrderId, PaymentId};
use shop_domain::money::Currency;
use shop_domain::status::DisputeStatus;
use shop_store::entities::disputes;

/// One chargeback.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Dispute)]
pub struct View {
    pub id: DisputeId,
    pub order_id: OrderId,
    pub payment_id: PaymentId,
    pub status: DisputeStatus,
    /// What the bank took back, in minor units.
    #[schema(example = 3980)]
    pub amount_minor: i64,
    pub currency: Currency,
    /// What was sent to the bank.
    pub evidence: Option<String>,
    /// Until when evidence is read; without any the dispute is lost then.
    pub due_at: DateTime<Utc>,
    pub opened_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
    /// The gateway's name for it.
    #[schema(example = "dp_01jz8q4w7c5v6n3m2k1h0g9f8e")]
    pub gateway_ref: String,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

impl From<disputes::Model> for View {
    fn from(row: disputes::Model) -> Self {
        Self {
            id: row.id,
            order_id: row.order_id,
            payment_id: row.payment_id,
            status: row.status,
            amount_minor: row.amount_minor,
            currency: row.currency,
            evidence: row.evidence,
            due_at: row.due_at,
            opened_at: row.opened_at,
            closed_at: row.closed_at,
            gateway_ref: row.gateway_ref,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}
