//! Payments: a hold, captured in whole or in parts, or voided.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// `POST /v1/payments`: hold the money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authorize {
    pub amount_minor: i64,
    pub currency: String,
    /// A test token or test card number.
    pub instrument: String,
    /// The merchant's own name for what is paid.
    pub reference: String,
}

/// `POST /v1/payments/{id}/capture`: take money that is held; may be done in parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    pub amount_minor: i64,
}

/// One payment as the gateway sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    pub id: String,
    pub status: PaymentStatus,
    pub reference: String,
    pub currency: String,
    pub instrument: Instrument,
    pub requested_minor: i64,
    /// Less than requested after a partial approval.
    pub authorized_minor: i64,
    pub captured_minor: i64,
    /// Includes refunds that are still pending, not those that failed.
    pub refunded_minor: i64,
    pub dispute: Option<Dispute>,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaymentStatus {
    /// Held, nothing taken yet.
    Authorized,
    /// Taken, in whole or in part.
    Captured,
    /// The hold was released; nothing was taken.
    Voided,
}

/// What was paid with; never a whole card number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instrument {
    pub token: String,
    pub brand: String,
    pub last4: String,
}

/// The customer's bank took the money back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispute {
    pub id: String,
    pub status: DisputeStatus,
    /// What was taken back: all that was captured and not refunded by then.
    pub amount_minor: i64,
    pub opened_at: DateTime<Utc>,
    /// Until when evidence is read; without any the dispute is lost then.
    pub due_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStatus {
    NeedsResponse,
    /// Evidence was sent; the bank decides.
    UnderReview,
    /// The money is with the merchant again.
    Won,
    /// Decided against the merchant, given up, or not answered in time.
    Lost,
}

/// `POST /v1/disputes/{id}/evidence`: contest it, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    pub text: String,
}
