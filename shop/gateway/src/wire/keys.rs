//! What a key stands for.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Decline, Payment, Refund};

/// The calls of the gateway, under the names that fault scripts use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Authorize,
    Capture,
    Void,
    Refund,
    /// Contesting a dispute, or giving it up.
    Dispute,
    /// Any read by id or key.
    Lookup,
    Fence,
    /// A delivery from the gateway to the merchant.
    Webhook,
}

impl Operation {
    pub const ALL: [Self; 8] = [
        Self::Authorize,
        Self::Capture,
        Self::Void,
        Self::Refund,
        Self::Dispute,
        Self::Lookup,
        Self::Fence,
        Self::Webhook,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authorize => "authorize",
            Self::Capture => "capture",
            Self::Void => "void",
            Self::Refund => "refund",
            Self::Dispute => "dispute",
            Self::Lookup => "lookup",
            Self::Fence => "fence",
            Self::Webhook => "webhook",
        }
    }
}

/// `GET /v1/keys/{key}` and `POST /v1/keys/{key}/cancel`: what happened under a key. Keys are found for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    pub key: String,
    pub operation: Operation,
    pub at: DateTime<Utc>,
    /// What this call held, took, released or gave back; absent when it did nothing.
    pub amount_minor: Option<i64>,
    pub result: KeyResult,
}

/// What came of it, as it stands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum KeyResult {
    Payment(Payment),
    Refund(Refund),
    /// A clear no: this key had no effect and will have none.
    Refused(Decline),
    /// The key is a tombstone: it had no effect and will have none.
    Fenced,
}
