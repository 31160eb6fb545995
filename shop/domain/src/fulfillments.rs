//! The life of one parcel.

use crate::machine::{IllegalMove, mermaid};
use crate::status::FulfillmentStatus;
use crate::words::words;

words! {
    /// What can happen to a parcel.
    pub enum FulfillmentEvent {
        LabelBought = "label_bought",
        LabelVoided = "label_voided",
        Shipped = "shipped",
        /// The carrier saw it on its way.
        Scanned = "scanned",
        /// The carrier was given another address.
        Redirected = "redirected",
        Delivered = "delivered",
        /// Lost, damaged, refused or undeliverable.
        ExceptionReported = "exception_reported",
        Cancelled = "cancelled",
    }
}

impl FulfillmentStatus {
    /// The whole life of a parcel, in one table.
    pub fn after(self, event: FulfillmentEvent) -> Result<Self, IllegalMove> {
        use {FulfillmentEvent as E, FulfillmentStatus as S};
        match (self, event) {
            (S::Allocated, E::LabelBought) => Ok(S::Labelled),
            (S::Labelled, E::LabelVoided) => Ok(S::Allocated),
            (S::Allocated | S::Labelled, E::Shipped) => Ok(S::Shipped),
            (S::Shipped | S::InTransit, E::Scanned) => Ok(S::InTransit),
            (from @ (S::Shipped | S::InTransit), E::Redirected) => Ok(from),
            // Lost parcels turn up.
            (S::Shipped | S::InTransit | S::Exception, E::Delivered) => Ok(S::Delivered),
            // Not from delivered: that would be a way around the approval that a delivered parcel needs.
            (S::Shipped | S::InTransit, E::ExceptionReported) => Ok(S::Exception),
            (S::Allocated | S::Labelled, E::Cancelled) => Ok(S::Cancelled),
            (from, event) => {
                Err(IllegalMove { noun: "fulfillment", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Allocated], Self::ALL, FulfillmentEvent::ALL, Self::after)
    }

    /// Whether the goods have left the location.
    #[must_use]
    pub const fn has_left(self) -> bool {
        match self {
            Self::Shipped | Self::InTransit | Self::Delivered | Self::Exception => true,
            Self::Allocated | Self::Labelled | Self::Cancelled => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_parcel_moves_only_along_its_table() {
        use {FulfillmentEvent as E, FulfillmentStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Allocated, E::LabelBought, S::Labelled),
                (S::Allocated, E::Shipped, S::Shipped),
                (S::Allocated, E::Cancelled, S::Cancelled),
                (S::Labelled, E::LabelVoided, S::Allocated),
                (S::Labelled, E::Shipped, S::Shipped),
                (S::Labelled, E::Cancelled, S::Cancelled),
                (S::Shipped, E::Scanned, S::InTransit),
                (S::Shipped, E::Redirected, S::Shipped),
                (S::Shipped, E::Delivered, S::Delivered),
                (S::Shipped, E::ExceptionReported, S::Exception),
                (S::InTransit, E::Scanned, S::InTransit),
                (S::InTransit, E::Redirected, S::InTransit),
                (S::InTransit, E::Delivered, S::Delivered),
                (S::InTransit, E::ExceptionReported, S::Exception),
                (S::Exception, E::Delivered, S::Delivered),
            ],
        );
    }

    #[test]
    fn what_can_be_cancelled_has_not_left() {
        for &status in FulfillmentStatus::ALL {
            let is_cancellable = status.after(FulfillmentEvent::Cancelled).is_ok();
            assert!(!(is_cancellable && status.has_left()), "{status}");
        }
    }
}
