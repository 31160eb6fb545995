//! The words on the wire, shared by the client and the simulator.
//!
//! Amounts are integers in the currency's minor unit. Inputs are verbs, what comes back are nouns.

mod keys;
pub mod ledger;
mod payments;
mod refunds;

use serde::{Deserialize, Serialize};

pub use keys::{KeyRecord, KeyResult, Operation};
pub use ledger::{BalanceTransaction, TransactionKind};
pub use payments::{
    Authorize, Capture, Dispute, DisputeStatus, Evidence, Instrument, Payment, PaymentStatus,
};
pub use refunds::{CreateRefund, Refund, RefundStatus};

/// Names one call; the same key never has two effects.
pub const KEY_HEADER: &str = "Idempotency-Key";
/// `true` on an answer that was given before.
pub const REPLAYED_HEADER: &str = "Idempotent-Replayed";
/// Names a fault or a decline code that this one call is to meet.
pub const MOCK_HEADER: &str = "Mock-Response";
/// The API key of an account is this and the account's name.
pub const ACCOUNT_PREFIX: &str = "gw_";
/// The longest idempotency key.
pub const KEY_CHARS_MAX: usize = 255;
/// The most entries in one page.
pub const PAGE_MAX: u32 = 100;

/// Error codes that change what a caller may conclude; every other code is a plain refusal.
pub mod code {
    /// Nothing is known under that id or key.
    pub const NOT_FOUND: &str = "not_found";
    /// The key was fenced before it had an effect; it never will have one.
    pub const KEY_CANCELLED: &str = "key_cancelled";
    /// The key belongs to a request with other content, which may have had an effect.
    pub const KEY_CONFLICT: &str = "idempotency_conflict";
    /// The key had its answer too long ago to replay it.
    pub const KEY_EXPIRED: &str = "idempotency_key_expired";
}

/// Why the gateway said no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decline {
    /// Stable, for programs: `insufficient_funds`, `capture_exceeds_authorized`, ….
    pub code: String,
    /// For people.
    pub message: String,
}

/// The body of every answer that is not a success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    pub error: Decline,
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    pub data: Vec<T>,
    /// Pass as `after` for the next page; absent on the last one.
    pub next_after: Option<u64>,
}
