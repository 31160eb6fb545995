//! Refunds: captured money given back.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Decline;

/// `POST /v1/refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateRefund {
    /// The gateway's id of the payment.
    pub payment: String,
    pub amount_minor: i64,
    /// The merchant's own name for this refund.
    pub reference: String,
}

/// One refund as the gateway sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    pub id: String,
    pub payment: String,
    pub status: RefundStatus,
    pub amount_minor: i64,
    pub currency: String,
    pub reference: String,
    /// Set when the status is `failed`.
    pub failure: Option<Decline>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// Accepted; the money is on its way and may still come back.
    Pending,
    Succeeded,
    /// Accepted once, then bounced: the money is with the merchant again.
    Failed,
}
