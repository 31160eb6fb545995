//! The life of one dispute: a bank asks for the customer's money back.

use crate::machine::{IllegalMove, mermaid};
use crate::status::DisputeStatus;
use crate::words::words;

words! {
    /// What can happen to a dispute.
    pub enum DisputeEvent {
        EvidenceSent = "evidence_sent",
        Won = "won",
        /// Decided against the shop, or its deadline passed.
        Lost = "lost",
        Accepted = "accepted",
    }
}

impl DisputeStatus {
    /// The whole life of a dispute, in one table.
    pub fn after(self, event: DisputeEvent) -> Result<Self, IllegalMove> {
        use {DisputeEvent as E, DisputeStatus as S};
        match (self, event) {
            // Once: the bank reads what comes first.
            (S::Open, E::EvidenceSent) => Ok(S::EvidenceSent),
            (S::EvidenceSent, E::Won) => Ok(S::Won),
            (S::Open | S::EvidenceSent, E::Lost) => Ok(S::Lost),
            (S::Open | S::EvidenceSent, E::Accepted) => Ok(S::Accepted),
            (from, event) => Err(IllegalMove { noun: "dispute", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Open], Self::ALL, DisputeEvent::ALL, Self::after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_dispute_moves_only_along_its_table() {
        use {DisputeEvent as E, DisputeStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Open, E::EvidenceSent, S::EvidenceSent),
                (S::Open, E::Lost, S::Lost),
                (S::Open, E::Accepted, S::Accepted),
                (S::EvidenceSent, E::Won, S::Won),
                (S::EvidenceSent, E::Lost, S::Lost),
                (S::EvidenceSent, E::Accepted, S::Accepted),
            ],
        );
    }
}
