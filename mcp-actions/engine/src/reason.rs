//! How a call ended: three outcomes and one closed list of reasons, the same words on every surface.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a caller may conclude from an answer. A client treats a word it does not know as terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The postcondition of this call holds and was re-read.
    Success,
    /// The same call again, within its bound, is safe and useful.
    RetryableFailure,
    /// Stop, or do what `next_actions` says.
    TerminalFailure,
}

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    InProgress,
    ConsentRequired,
    ApprovalPending,
    RateLimited,
    UpstreamUnavailable,
    OutcomeUnknown,
    ValidationFailed,
    FieldNotAllowed,
    ActionNotAllowed,
    VersionConflict,
    PreconditionFailed,
    NotFound,
    Ambiguous,
    Forbidden,
    ConsentStale,
    ApprovalRejected,
    IdempotencyKeyRequired,
    IdempotencyConflict,
    PaymentDeclined,
    AuthenticationRequired,
    OutOfStock,
    PriceChanged,
    CouponInvalid,
    AddressUndeliverable,
    NotEligible,
    ActionExpired,
    Internal,
}

/// What a row of the catalogue says about a reason.
struct Row {
    word: &'static str,
    outcome: Outcome,
    /// Whether different inputs could turn the refusal into a yes.
    mendable: bool,
}

impl Reason {
    pub const ALL: [Self; 27] = [
        Self::InProgress,
        Self::ConsentRequired,
        Self::ApprovalPending,
        Self::RateLimited,
        Self::UpstreamUnavailable,
        Self::OutcomeUnknown,
        Self::ValidationFailed,
        Self::FieldNotAllowed,
        Self::ActionNotAllowed,
        Self::VersionConflict,
        Self::PreconditionFailed,
        Self::NotFound,
        Self::Ambiguous,
        Self::Forbidden,
        Self::ConsentStale,
        Self::ApprovalRejected,
        Self::IdempotencyKeyRequired,
        Self::IdempotencyConflict,
        Self::PaymentDeclined,
        Self::AuthenticationRequired,
        Self::OutOfStock,
        Self::PriceChanged,
        Self::CouponInvalid,
        Self::AddressUndeliverable,
        Self::NotEligible,
        Self::ActionExpired,
        Self::Internal,
    ];

    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.row().word
    }

    #[must_use]
    pub const fn outcome(self) -> Outcome {
        self.row().outcome
    }

    /// Whether a refusal for this reason may be answered with other inputs (another card, another variant).
    #[must_use]
    pub const fn is_mendable(self) -> bool {
        self.row().mendable
    }

    const fn row(self) -> Row {
        match self {
            Self::InProgress => retryable("in_progress"),
            Self::ConsentRequired => retryable("consent_required"),
            Self::ApprovalPending => retryable("approval_pending"),
            Self::RateLimited => retryable("rate_limited"),
            Self::UpstreamUnavailable => retryable("upstream_unavailable"),
            Self::OutcomeUnknown => retryable("outcome_unknown"),
            Self::ValidationFailed => mendable("validation_failed"),
            Self::FieldNotAllowed => terminal("field_not_allowed"),
            Self::ActionNotAllowed => terminal("action_not_allowed"),
            Self::VersionConflict => terminal("version_conflict"),
            Self::PreconditionFailed => terminal("precondition_failed"),
            Self::NotFound => terminal("not_found"),
            Self::Ambiguous => terminal("ambiguous"),
            Self::Forbidden => terminal("forbidden"),
            Self::ConsentStale => terminal("consent_stale"),
            Self::ApprovalRejected => terminal("approval_rejected"),
            Self::IdempotencyKeyRequired => terminal("idempotency_key_required"),
            Self::IdempotencyConflict => terminal("idempotency_conflict"),
            Self::PaymentDeclined => mendable("payment_declined"),
            Self::AuthenticationRequired => mendable("authentication_required"),
            Self::OutOfStock => mendable("out_of_stock"),
            Self::PriceChanged => mendable("price_changed"),
            Self::CouponInvalid => mendable("coupon_invalid"),
            Self::AddressUndeliverable => mendable("address_undeliverable"),
            Self::NotEligible => terminal("not_eligible"),
            Self::ActionExpired => terminal("action_expired"),
            Self::Internal => terminal("internal"),
        }
    }
}

const fn retryable(word: &'static str) -> Row {
    Row { word, outcome: Outcome::RetryableFailure, mendable: false }
}

const fn terminal(word: &'static str) -> Row {
    Row { word, outcome: Outcome::TerminalFailure, mendable: false }
}

const fn mendable(word: &'static str) -> Row {
    Row { word, outcome: Outcome::TerminalFailure, mendable: true }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_spelled_the_same_in_the_table_and_on_the_wire() {
        for reason in Reason::ALL {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.word());
            assert_ne!(reason.outcome(), Outcome::Success);
        }
    }
}
