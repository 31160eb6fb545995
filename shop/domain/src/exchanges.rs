//! The life of one exchange: goods come back, other goods go out.

use crate::machine::{IllegalMove, mermaid};
use crate::status::ExchangeStatus;
use crate::words::words;

words! {
    /// What can happen to an exchange.
    pub enum ExchangeEvent {
        Approved = "approved",
        /// The store's policy wants the old goods back before the new ones leave.
        ReturnAwaited = "return_awaited",
        /// The new goods have left.
        Shipped = "shipped",
        /// The old goods are back and the difference is settled.
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

impl ExchangeStatus {
    /// The whole life of an exchange, in one table.
    pub fn after(self, event: ExchangeEvent) -> Result<Self, IllegalMove> {
        use {ExchangeEvent as E, ExchangeStatus as S};
        match (self, event) {
            (S::Requested, E::Approved) => Ok(S::Approved),
            (S::Approved, E::ReturnAwaited) => Ok(S::AwaitingReturn),
            (S::Approved | S::AwaitingReturn, E::Shipped) => Ok(S::Shipped),
            (S::Shipped, E::Completed) => Ok(S::Completed),
            (S::Requested | S::Approved | S::AwaitingReturn, E::Cancelled) => Ok(S::Cancelled),
            (from, event) => {
                Err(IllegalMove { noun: "exchange", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Requested], Self::ALL, ExchangeEvent::ALL, Self::after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn an_exchange_moves_only_along_its_table() {
        use {ExchangeEvent as E, ExchangeStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Requested, E::Approved, S::Approved),
                (S::Requested, E::Cancelled, S::Cancelled),
                (S::Approved, E::ReturnAwaited, S::AwaitingReturn),
                (S::Approved, E::Shipped, S::Shipped),
                (S::Approved, E::Cancelled, S::Cancelled),
                (S::AwaitingReturn, E::Shipped, S::Shipped),
                (S::AwaitingReturn, E::Cancelled, S::Cancelled),
                (S::Shipped, E::Completed, S::Completed),
            ],
        );
    }
}
