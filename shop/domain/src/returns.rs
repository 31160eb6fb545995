//! The life of one return.

use crate::machine::{IllegalMove, mermaid};
use crate::status::ReturnStatus;
use crate::words::words;

words! {
    /// What can happen to a return.
    pub enum ReturnEvent {
        Approved = "approved",
        Rejected = "rejected",
        /// The carrier has the parcel.
        SentBack = "sent_back",
        /// Units came back, perhaps not yet all of them.
        Received = "received",
        Inspected = "inspected",
        Refunded = "refunded",
        Cancelled = "cancelled",
    }

    /// What becomes of a unit that came back.
    pub enum ReturnGrade {
        /// As good as new: it is paid for and goes back on the shelf.
        Restock = "restock",
        /// Paid for, and no longer fit for sale.
        WriteOff = "write_off",
        /// Not accepted: the customer gets it back, and no money.
        SendBack = "send_back",
    }
}

impl ReturnGrade {
    /// Whether the customer is paid for the unit.
    #[must_use]
    pub const fn is_paid_for(self) -> bool {
        match self {
            Self::Restock | Self::WriteOff => true,
            Self::SendBack => false,
        }
    }
}

impl ReturnStatus {
    /// The whole life of a return, in one table.
    pub fn after(self, event: ReturnEvent) -> Result<Self, IllegalMove> {
        use {ReturnEvent as E, ReturnStatus as S};
        match (self, event) {
            (S::Requested, E::Approved) => Ok(S::Approved),
            (S::Requested, E::Rejected) => Ok(S::Rejected),
            (S::Approved, E::SentBack) => Ok(S::InTransit),
            (S::Approved | S::InTransit | S::Received, E::Received) => Ok(S::Received),
            (S::Received, E::Inspected) => Ok(S::Inspected),
            // Never before the goods are back.
            (S::Received | S::Inspected, E::Refunded) => Ok(S::Refunded),
            (S::Requested | S::Approved | S::InTransit, E::Cancelled) => Ok(S::Cancelled),
            (from, event) => Err(IllegalMove { noun: "return", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Requested], Self::ALL, ReturnEvent::ALL, Self::after)
    }

    /// Whether the return is neither settled nor given up.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::Requested | Self::Approved | Self::InTransit | Self::Received | Self::Inspected => true,
            Self::Rejected | Self::Refunded | Self::Cancelled => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_return_moves_only_along_its_table() {
        use {ReturnEvent as E, ReturnStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Requested, E::Approved, S::Approved),
                (S::Requested, E::Rejected, S::Rejected),
                (S::Requested, E::Cancelled, S::Cancelled),
                (S::Approved, E::SentBack, S::InTransit),
                (S::Approved, E::Received, S::Received),
                (S::Approved, E::Cancelled, S::Cancelled),
                (S::InTransit, E::Received, S::Received),
                (S::InTransit, E::Cancelled, S::Cancelled),
                (S::Received, E::Received, S::Received),
                (S::Received, E::Inspected, S::Inspected),
                (S::Received, E::Refunded, S::Refunded),
                (S::Inspected, E::Refunded, S::Refunded),
            ],
        );
    }

    #[test]
    fn a_return_is_open_as_long_as_it_can_move() {
        for &status in ReturnStatus::ALL {
            let can_move = ReturnEvent::ALL.iter().any(|&event| status.after(event).is_ok());
            assert_eq!(status.is_open(), can_move, "{status}");
        }
    }
}
