//! The life of one support ticket: whose turn it is, and when it is over.

use crate::machine::{IllegalMove, mermaid};
use crate::status::TicketStatus;
use crate::words::words;

words! {
    /// What can happen to a ticket.
    pub enum TicketEvent {
        /// The customer wrote: the shop's turn.
        CustomerReplied = "customer_replied",
        /// The shop wrote: the customer's turn.
        StaffReplied = "staff_replied",
        Escalated = "escalated",
        Closed = "closed",
    }
}

impl TicketStatus {
    /// The whole life of a ticket, in one table.
    pub fn after(self, event: TicketEvent) -> Result<Self, IllegalMove> {
        use {TicketEvent as E, TicketStatus as S};
        match (self, event) {
            // A reply reopens what was closed.
            (S::Open | S::Pending | S::Closed, E::CustomerReplied) => Ok(S::Open),
            (S::Open | S::Pending | S::Closed, E::StaffReplied) => Ok(S::Pending),
            // Whoever writes meanwhile, the team it was passed to still has it.
            (S::Escalated, E::CustomerReplied | E::StaffReplied) => Ok(S::Escalated),
            (S::Open | S::Pending, E::Escalated) => Ok(S::Escalated),
            (S::Open | S::Pending | S::Escalated, E::Closed) => Ok(S::Closed),
            (from, event) => Err(IllegalMove { noun: "ticket", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Open], Self::ALL, TicketEvent::ALL, Self::after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_ticket_moves_only_along_its_table() {
        use {TicketEvent as E, TicketStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Open, E::CustomerReplied, S::Open),
                (S::Open, E::StaffReplied, S::Pending),
                (S::Open, E::Escalated, S::Escalated),
                (S::Open, E::Closed, S::Closed),
                (S::Pending, E::CustomerReplied, S::Open),
                (S::Pending, E::StaffReplied, S::Pending),
                (S::Pending, E::Escalated, S::Escalated),
                (S::Pending, E::Closed, S::Closed),
                (S::Escalated, E::CustomerReplied, S::Escalated),
                (S::Escalated, E::StaffReplied, S::Escalated),
                (S::Escalated, E::Closed, S::Closed),
                (S::Closed, E::CustomerReplied, S::Open),
                (S::Closed, E::StaffReplied, S::Pending),
            ],
        );
    }
}
