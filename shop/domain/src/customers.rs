//! The life of one customer account.

use crate::machine::{IllegalMove, mermaid};
use crate::status::CustomerStatus;
use crate::words::words;

words! {
    /// What can happen to a customer account.
    pub enum CustomerEvent {
        Blocked = "blocked",
        /// The block is lifted.
        Unblocked = "unblocked",
        /// It was a duplicate and is folded into another account.
        Merged = "merged",
        Anonymized = "anonymized",
    }
}

impl CustomerStatus {
    /// The whole life of a customer account, in one table.
    pub fn after(self, event: CustomerEvent) -> Result<Self, IllegalMove> {
        use {CustomerEvent as E, CustomerStatus as S};
        match (self, event) {
            (S::Active, E::Blocked) => Ok(S::Blocked),
            (S::Blocked, E::Unblocked) => Ok(S::Active),
            (S::Active | S::Blocked, E::Merged) => Ok(S::Merged),
            // What is left of a merged account is personal data too.
            (S::Active | S::Blocked | S::Merged, E::Anonymized) => Ok(S::Anonymized),
            (from, event) => {
                Err(IllegalMove { noun: "customer", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Active], Self::ALL, CustomerEvent::ALL, Self::after)
    }

    /// Whether the person may sign in and buy.
    #[must_use]
    pub const fn is_welcome(self) -> bool {
        match self {
            Self::Active => true,
            Self::Blocked | Self::Anonymized | Self::Merged => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_customer_moves_only_along_their_table() {
        use {CustomerEvent as E, CustomerStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Active, E::Blocked, S::Blocked),
                (S::Active, E::Merged, S::Merged),
                (S::Active, E::Anonymized, S::Anonymized),
                (S::Blocked, E::Unblocked, S::Active),
                (S::Blocked, E::Merged, S::Merged),
                (S::Blocked, E::Anonymized, S::Anonymized),
                (S::Merged, E::Anonymized, S::Anonymized),
            ],
        );
    }
}
