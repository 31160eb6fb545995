//! The one catalogue of error codes: the same words on REST, on both MCP doors and in stored actions.
//!
//! To add a code, add a variant and its row; HTTP status, tool error and the documentation follow from it.

use crate::words::{same_text, words};

mod catalogue;

pub use catalogue::CATALOGUE;

words! {
    /// Stable code of a failure.
    pub enum ErrorCode {
        InProgress = "in_progress",
        ConsentRequired = "consent_required",
        ApprovalPending = "approval_pending",
        RateLimited = "rate_limited",
        UpstreamUnavailable = "upstream_unavailable",
        OutcomeUnknown = "outcome_unknown",
        ValidationFailed = "validation_failed",
        FieldNotAllowed = "field_not_allowed",
        ActionNotAllowed = "action_not_allowed",
        VersionConflict = "version_conflict",
        PreconditionFailed = "precondition_failed",
        NotFound = "not_found",
        Ambiguous = "ambiguous",
        Forbidden = "forbidden",
        ConsentStale = "consent_stale",
        ApprovalRejected = "approval_rejected",
        IdempotencyKeyRequired = "idempotency_key_required",
        IdempotencyConflict = "idempotency_conflict",
        PaymentDeclined = "payment_declined",
        AuthenticationRequired = "authentication_required",
        OutOfStock = "out_of_stock",
        PriceChanged = "price_changed",
        CouponInvalid = "coupon_invalid",
        AddressUndeliverable = "address_undeliverable",
        NotEligible = "not_eligible",
        ActionExpired = "action_expired",
        Internal = "internal",
    }

    /// What a call came to. A client treats a value that it does not know as terminal.
    pub enum Outcome {
        /// The postcondition of this call holds and was read again.
        Success = "success",
        /// The same call again, within its bound, is safe and useful.
        RetryableFailure = "retryable_failure",
        /// Stop, or do what `next_actions` says.
        TerminalFailure = "terminal_failure",
    }

    /// What a caller should do after a failure.
    pub enum Retry {
        /// Correct the named fields and call again.
        FixInput = "fix_input",
        /// Calling again cannot help.
        Never = "never",
        /// Read the thing again and decide anew.
        Reread = "reread",
        /// A person must act first.
        Wait = "wait",
        /// The same call again, after `retry_after_ms`.
        AfterMs = "after_ms",
        /// The effect may have happened: look it up before anything else.
        CheckFirst = "check_first",
    }

    /// The family of a failure; it decides the HTTP status of most codes.
    pub enum Kind {
        Invalid = "invalid",
        Unauthenticated = "unauthenticated",
        Forbidden = "forbidden",
        NotFound = "not_found",
        Conflict = "conflict",
        /// A business rule says no.
        Rejected = "rejected",
        NeedsApproval = "needs_approval",
        Busy = "busy",
        /// The effect may have happened.
        Unknown = "unknown",
        Internal = "internal",
    }
}

/// One row of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The code itself.
    pub code: ErrorCode,
    /// Its family.
    pub kind: Kind,
    /// HTTP status of a response that carries it.
    pub http: u16,
    /// What the caller should do.
    pub retry: Retry,
    /// A short title for people.
    pub title: &'static str,
    /// What to do about it, in one sentence.
    pub hint: &'static str,
}

// A code without its row, or out of order, does not compile.
const _: () = {
    let (mut codes, mut rows): (&[ErrorCode], &[Entry]) = (ErrorCode::ALL, &CATALOGUE);
    while let (Some((code, other_codes)), Some((row, other_rows))) = (codes.split_first(), rows.split_first())
    {
        assert!(same_text(code.as_str(), row.code.as_str()));
        (codes, rows) = (other_codes, other_rows);
    }
    assert!(codes.is_empty() && rows.is_empty());
};

impl ErrorCode {
    /// The row of this code.
    #[must_use]
    pub fn entry(self) -> &'static Entry {
        let [first, ..] = &CATALOGUE;
        // The table is complete, which is checked above at compile time.
        CATALOGUE.iter().find(|row| row.code == self).unwrap_or(first)
    }

    /// Whether the same call may help later.
    #[must_use]
    pub fn outcome(self) -> Outcome {
        self.entry().retry.outcome()
    }
}

impl Retry {
    /// The class of failures that carry this advice.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::AfterMs | Self::Wait | Self::CheckFirst => Outcome::RetryableFailure,
            Self::FixInput | Self::Never | Self::Reread => Outcome::TerminalFailure,
        }
    }
}

/// The catalogue as a Markdown table, for the documentation.
#[must_use]
pub fn markdown() -> String {
    let mut table =
        String::from("| code | HTTP | outcome | retry | title | hint |\n|---|---|---|---|---|---|\n");
    for Entry { code, http, retry, title, hint, .. } in &CATALOGUE {
        let outcome = retry.outcome();
        table.push_str(&format!("| `{code}` | {http} | `{outcome}` | `{retry}` | {title} | {hint} |\n"));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed list of the contract, written down a second time.
    const CONTRACT: [(&str, u16, Outcome); 27] = {
        use Outcome::{RetryableFailure as Later, TerminalFailure as Stop};
        [
            ("in_progress", 409, Later),
            ("consent_required", 403, Later),
            ("approval_pending", 403, Later),
            ("rate_limited", 429, Later),
            ("upstream_unavailable", 503, Later),
            ("outcome_unknown", 409, Later),
            ("validation_failed", 400, Stop),
            ("field_not_allowed", 400, Stop),
            ("action_not_allowed", 409, Stop),
            ("version_conflict", 412, Stop),
            ("precondition_failed", 409, Stop),
            ("not_found", 404, Stop),
            ("ambiguous", 409, Stop),
            ("forbidden", 403, Stop),
            ("consent_stale", 409, Stop),
            ("approval_rejected", 403, Stop),
            ("idempotency_key_required", 400, Stop),
            ("idempotency_conflict", 422, Stop),
            ("payment_declined", 402, Stop),
            ("authentication_required", 401, Stop),
            ("out_of_stock", 409, Stop),
            ("price_changed", 409, Stop),
            ("coupon_invalid", 422, Stop),
            ("address_undeliverable", 422, Stop),
            ("not_eligible", 422, Stop),
            ("action_expired", 410, Stop),
            ("internal", 500, Stop),
        ]
    };

    #[test]
    fn the_catalogue_is_the_contract() {
        let row = |code: &ErrorCode| (code.as_str(), code.entry().http, code.outcome());
        let rows: Vec<_> = ErrorCode::ALL.iter().map(row).collect();
        assert_eq!(rows, CONTRACT);
    }

    #[test]
    fn every_row_speaks_to_people() {
        for entry in &CATALOGUE {
            assert!(entry.hint.ends_with('.') && !entry.title.ends_with('.'), "{}", entry.code);
        }
        assert_eq!(markdown().lines().count(), 2 + CATALOGUE.len());
    }
}
