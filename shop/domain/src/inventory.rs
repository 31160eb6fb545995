//! How the count of units changes other than by buying: stock-takes, adjustments and transfers.

use thiserror::Error;

use crate::limits;
use crate::machine::{IllegalMove, mermaid};
use crate::status::TransferStatus;
use crate::words::words;

words! {
    /// Why a count was changed by hand.
    pub enum AdjustmentReason {
        /// Units that cannot be sold any more.
        Damage = "damage",
        /// Units that are gone, and nobody knows how.
        Shrink = "shrink",
        /// Units that nobody had counted.
        Found = "found",
        /// The last change was wrong.
        Correction = "correction",
        /// Somebody counted the shelf.
        StockTake = "stock_take",
    }

    /// What can happen to a transfer.
    pub enum TransferEvent {
        /// Some units arrived, and more are expected.
        PartReceived = "part_received",
        /// All arrived, or nothing more is expected.
        Received = "received",
    }
}

/// Why a count cannot become what somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CountError {
    /// Held units are on the shelf until who holds them lets go.
    #[error("{reserved} of {on_hand} units are reserved, and the count cannot go below that")]
    Reserved {
        /// Units on the shelf.
        on_hand: i64,
        /// Units of these that somebody holds.
        reserved: i64,
    },
    /// More than a shelf holds, or fewer than none.
    #[error("a location holds 0 to {} units of a variant", limits::STOCK_MAX)]
    OutOfRange,
}

/// The count after a change, if it may be.
///
/// # Errors
/// When units that somebody holds would be gone, or the count is absurd.
pub fn counted(on_hand: i64, reserved: i64, delta: i64) -> Result<i64, CountError> {
    let count = on_hand.checked_add(delta).ok_or(CountError::OutOfRange)?;
    if !(0..=limits::STOCK_MAX).contains(&count) {
        return Err(CountError::OutOfRange);
    }
    if count < reserved {
        return Err(CountError::Reserved { on_hand, reserved });
    }
    Ok(count)
}

impl AdjustmentReason {
    /// Whether a change in this direction can have this reason.
    #[must_use]
    pub const fn explains(self, delta: i64) -> bool {
        match self {
            Self::Damage | Self::Shrink => delta < 0,
            Self::Found => delta > 0,
            Self::Correction => delta != 0,
            // A stock-take says how many there are, not how many more.
            Self::StockTake => false,
        }
    }
}

impl TransferStatus {
    /// The whole life of a transfer, in one table.
    pub fn after(self, event: TransferEvent) -> Result<Self, IllegalMove> {
        use {TransferEvent as E, TransferStatus as S};
        match (self, event) {
            (S::InTransit | S::PartiallyReceived, E::PartReceived) => Ok(S::PartiallyReceived),
            (S::InTransit | S::PartiallyReceived, E::Received) => Ok(S::Received),
            (from, event) => {
                Err(IllegalMove { noun: "transfer", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::InTransit], Self::ALL, TransferEvent::ALL, Self::after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_transfer_moves_only_along_its_table() {
        use {TransferEvent as E, TransferStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::InTransit, E::PartReceived, S::PartiallyReceived),
                (S::InTransit, E::Received, S::Received),
                (S::PartiallyReceived, E::PartReceived, S::PartiallyReceived),
                (S::PartiallyReceived, E::Received, S::Received),
            ],
        );
    }

    #[test]
    fn what_is_reserved_stays_on_the_shelf() {
        for (on_hand, reserved, delta, expected) in [
            (10, 0, -10, Ok(0)),
            (10, 4, -6, Ok(4)),
            (10, 4, -7, Err(CountError::Reserved { on_hand: 10, reserved: 4 })),
            (10, 0, -11, Err(CountError::OutOfRange)),
            (0, 0, limits::STOCK_MAX, Ok(limits::STOCK_MAX)),
            (1, 0, limits::STOCK_MAX, Err(CountError::OutOfRange)),
            (1, 0, i64::MAX, Err(CountError::OutOfRange)),
        ] {
            assert_eq!(counted(on_hand, reserved, delta), expected, "{on_hand} {reserved} {delta}");
        }
    }

    #[test]
    fn a_reason_fits_the_direction() {
        use AdjustmentReason as R;
        let fits: Vec<_> = R::ALL.iter().map(|r| (r.explains(-1), r.explains(0), r.explains(1))).collect();
        let (less, more, either, never) =
            ((true, false, false), (false, false, true), (true, false, true), (false, false, false));
        assert_eq!(fits, [less, less, more, either, never]);
    }
}
