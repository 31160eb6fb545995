//! The life of one refund, and how much of an order may still go back.

use thiserror::Error;

use crate::after_sales::AfterSalesOperation;
use crate::machine::{IllegalMove, mermaid};
use crate::status::{RefundKind, RefundStatus};
use crate::words::words;

words! {
    /// What can happen to a refund.
    pub enum RefundEvent {
        Sent = "sent",
        /// The call did not leave the building.
        NotSent = "not_sent",
        Succeeded = "succeeded",
        Failed = "failed",
        /// The call may have landed and its answer is missing.
        OutcomeLost = "outcome_lost",
        Cancelled = "cancelled",
    }
}

impl RefundStatus {
    /// The whole life of a refund, in one table.
    pub fn after(self, event: RefundEvent) -> Result<Self, IllegalMove> {
        use {RefundEvent as E, RefundStatus as S};
        match (self, event) {
            // A failed refund is sent again under its own key; a second refund would be money twice.
            (S::Pending | S::Failed, E::Sent) => Ok(S::Submitted),
            (S::Submitted, E::NotSent) => Ok(S::Pending),
            // Store credit and gift cards need no gateway, so they succeed straight from pending. A look-up may
            // find that a refund answered as failed went through.
            (S::Pending | S::Submitted | S::Failed | S::Unknown, E::Succeeded) => Ok(S::Succeeded),
            // Banks send accepted refunds back, sometimes days later.
            (S::Submitted | S::Unknown | S::Succeeded, E::Failed) => Ok(S::Failed),
            (S::Submitted, E::OutcomeLost) => Ok(S::Unknown),
            (S::Pending | S::Failed, E::Cancelled) => Ok(S::Cancelled),
            (from, event) => Err(IllegalMove { noun: "refund", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Pending], Self::ALL, RefundEvent::ALL, Self::after)
    }

    /// Whether the amount of such a refund is no longer there for another one. A failed refund keeps its claim
    /// until it is cancelled, because it may yet be retried or turn out to have gone through.
    #[must_use]
    pub const fn claims_its_amount(self) -> bool {
        match self {
            Self::Pending | Self::Submitted | Self::Succeeded | Self::Failed | Self::Unknown => true,
            Self::Cancelled => false,
        }
    }
}

impl RefundKind {
    /// The operation that makes refunds of this kind, whose row in the legality table applies.
    #[must_use]
    pub const fn operation(self) -> AfterSalesOperation {
        match self {
            Self::Unshipped => AfterSalesOperation::RefundUnshippedItems,
            Self::NoReturn => AfterSalesOperation::RefundWithoutReturn,
            Self::Returned => AfterSalesOperation::RefundReturnedItems,
            Self::ShippingFee => AfterSalesOperation::RefundShippingFee,
            Self::ShippingDifference => AfterSalesOperation::RefundShippingDifference,
            Self::PriceAdjustment => AfterSalesOperation::RefundPriceAdjustment,
        }
    }
}

/// Why an amount cannot be refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RefundError {
    /// Zero or less.
    #[error("a refund must be more than zero")]
    NotPositive,
    /// No money was taken that could go back.
    #[error("nothing was captured")]
    NothingCaptured,
    /// More than what is left.
    #[error("at most {left_minor} can still be refunded, not {asked_minor}")]
    TooMuch {
        /// What was asked for, in minor units.
        asked_minor: i64,
        /// What is left, in minor units.
        left_minor: i64,
    },
}

/// Whether an amount may go back, given what was captured and what refunds already claim.
pub fn may_refund(captured_minor: i64, claimed_minor: i64, asked_minor: i64) -> Result<(), RefundError> {
    if asked_minor <= 0 {
        return Err(RefundError::NotPositive);
    }
    if captured_minor <= 0 {
        return Err(RefundError::NothingCaptured);
    }
    let left_minor = captured_minor.saturating_sub(claimed_minor).max(0);
    if asked_minor > left_minor {
        return Err(RefundError::TooMuch { asked_minor, left_minor });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_refund_moves_only_along_its_table() {
        use {RefundEvent as E, RefundStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Pending, E::Sent, S::Submitted),
                (S::Pending, E::Succeeded, S::Succeeded),
                (S::Pending, E::Cancelled, S::Cancelled),
                (S::Submitted, E::NotSent, S::Pending),
                (S::Submitted, E::Succeeded, S::Succeeded),
                (S::Submitted, E::Failed, S::Failed),
                (S::Submitted, E::OutcomeLost, S::Unknown),
                (S::Succeeded, E::Failed, S::Failed),
                (S::Failed, E::Sent, S::Submitted),
                (S::Failed, E::Succeeded, S::Succeeded),
                (S::Failed, E::Cancelled, S::Cancelled),
                (S::Unknown, E::Succeeded, S::Succeeded),
                (S::Unknown, E::Failed, S::Failed),
            ],
        );
    }

    #[test]
    fn refusals_say_what_is_left() {
        assert_eq!(may_refund(1_000, 0, 0), Err(RefundError::NotPositive));
        assert_eq!(may_refund(0, 0, 1), Err(RefundError::NothingCaptured));
        assert_eq!(may_refund(1_000, 0, 1_000), Ok(()));
        let refusal = may_refund(1_000, 900, 101).unwrap_err();
        assert_eq!(refusal.to_string(), "at most 100 can still be refunded, not 101");
    }

    proptest! {
        #[test]
        fn refunds_never_exceed_what_was_captured(
            captured in 0_i64..100_000,
            asked in proptest::collection::vec(-10_i64..50_000, 0..30),
        ) {
            let mut claimed = 0;
            for amount in asked {
                if may_refund(captured, claimed, amount).is_ok() {
                    claimed += amount;
                }
                prop_assert!((0..=captured).contains(&claimed));
            }
        }
    }
}
