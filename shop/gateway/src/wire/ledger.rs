//! The gateway's books: the lines of its ledger file, and the statement it shows to merchants.
//!
//! A ledger file is one JSON line per effect, in order. Seeding writes such lines too, so that seeded books
//! reconcile; [`encode`] is the only place that knows the format.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Authorize, CreateRefund, Decline, Instrument, Operation};

/// One line: what was asked, and what really happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// From 1, without gaps.
    pub seq: u64,
    pub at: DateTime<Utc>,
    /// Absent for what the gateway did on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Absent for what the gateway did on its own, and in seeded lines, whose keys nobody sends again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    pub effect: Effect,
}

/// A call that may have an effect, complete: two calls with the same key must be equal in this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum Request {
    Authorize(Authorize),
    Capture { payment: String, amount_minor: i64 },
    Void { payment: String },
    Refund(CreateRefund),
    Contest { dispute: String, text: String },
    Concede { dispute: String },
    Fence,
}

impl Request {
    #[must_use]
    pub const fn operation(&self) -> Operation {
        match self {
            Self::Authorize(_) => Operation::Authorize,
            Self::Capture { .. } => Operation::Capture,
            Self::Void { .. } => Operation::Void,
            Self::Refund(_) => Operation::Refund,
            Self::Contest { .. } | Self::Concede { .. } => Operation::Dispute,
            Self::Fence => Operation::Fence,
        }
    }
}

/// What really happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Effect {
    /// A hold.
    Authorized {
        payment: String,
        requested_minor: i64,
        amount_minor: i64,
        currency: String,
        instrument: Instrument,
        reference: String,
    },
    Captured {
        payment: String,
        amount_minor: i64,
    },
    Voided {
        payment: String,
        amount_minor: i64,
    },
    Refunded {
        payment: String,
        refund: String,
        amount_minor: i64,
        reference: String,
        /// Absent when the refund succeeded at once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settles: Option<Settlement>,
    },
    /// A pending refund came to its end.
    RefundSettled {
        payment: String,
        refund: String,
        failure: Option<Decline>,
    },
    Disputed {
        payment: String,
        dispute: String,
        amount_minor: i64,
    },
    /// Evidence was sent.
    Contested {
        payment: String,
        dispute: String,
        /// How the bank will decide.
        wins: bool,
    },
    DisputeClosed {
        payment: String,
        dispute: String,
        amount_minor: i64,
        won: bool,
    },
    /// Nothing moved, and nothing ever will under this key.
    Refused(Decline),
    /// The key is a tombstone.
    Fenced,
}

/// How and when a pending refund will end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    pub at: DateTime<Utc>,
    pub failure: Option<Decline>,
}

/// The bytes of one line, with its newline.
///
/// # Errors
/// Never for the types above; kept because serialisation is fallible by type.
pub fn encode(line: &Line) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// `GET /v1/balance_transactions`: one entry of the statement, for reconciliation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BalanceTransaction {
    /// The cursor: pass the last one as `after`.
    pub seq: u64,
    pub at: DateTime<Utc>,
    pub kind: TransactionKind,
    /// The size of the hold, capture, release, refund or dispute.
    pub amount_minor: i64,
    /// What it did to the merchant's balance: 0 for holds and releases.
    pub net_minor: i64,
    pub currency: String,
    pub payment: String,
    pub refund: Option<String>,
    /// The merchant's reference of the payment or refund.
    pub reference: String,
    /// The key it was done under; absent for what the gateway did on its own.
    pub key: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransactionKind {
    Hold,
    Capture,
    Void,
    Refund,
    /// A refund that was accepted and then bounced.
    RefundFailure,
    Dispute,
    /// A dispute was won: what the bank took is back.
    DisputeWon,
}
