//! The life of one parcel.

use chrono::{DateTime, TimeDelta, Utc};

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

    /// Why a parcel is sent.
    pub enum FulfillmentPurpose {
        /// Goods of the order, for the first time.
        Order = "order",
        /// The new goods of an exchange.
        Exchange = "exchange",
        /// The same goods again, free.
        Replacement = "replacement",
    }

    /// What can go wrong with a parcel on its way.
    pub enum DeliveryException {
        Lost = "lost",
        Damaged = "damaged",
        /// The receiver did not take it.
        Refused = "refused",
        ReturnedToSender = "returned_to_sender",
    }

    /// What a carrier's scan says.
    pub enum ScanCode {
        /// The carrier has the parcel.
        PickedUp = "picked_up",
        InTransit = "in_transit",
        /// It goes to another address now.
        Redirected = "redirected",
        OutForDelivery = "out_for_delivery",
        Delivered = "delivered",
        /// Something went wrong; the parcel's exception says what.
        Exception = "exception",
    }
}

/// What the carrier has seen of a parcel by now, besides picking it up: under way half-way through the fastest
/// delivery, at the door in the last hours of the slowest, and delivered then.
#[must_use]
pub fn scans_due(
    shipped_at: DateTime<Utc>,
    days_min: i64,
    days_max: i64,
    now: DateTime<Utc>,
) -> Vec<(ScanCode, DateTime<Utc>)> {
    let slowest_hours = days_max.max(1).saturating_mul(24);
    let under_way_hours = days_min.max(0).saturating_mul(12).min(slowest_hours - ROUND_HOURS - 1);
    let scans = [
        (ScanCode::InTransit, under_way_hours),
        (ScanCode::OutForDelivery, slowest_hours - ROUND_HOURS),
        (ScanCode::Delivered, slowest_hours),
    ];
    let at = |hours| shipped_at.checked_add_signed(TimeDelta::try_hours(hours)?);
    scans
        .into_iter()
        .filter_map(|(code, hours)| Some((code, at(hours)?)))
        .filter(|(_, at)| *at <= now)
        .collect()
}

/// How long a courier's round takes.
const ROUND_HOURS: i64 = 6;

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
    fn a_parcel_is_seen_more_often_the_longer_it_is_away() {
        use ScanCode as C;
        let shipped = DateTime::from_timestamp(1_768_478_400, 0).unwrap();
        let codes = |hours| {
            let due = scans_due(shipped, 2, 3, shipped + TimeDelta::hours(hours));
            due.into_iter().map(|(code, _)| code).collect::<Vec<_>>()
        };
        assert_eq!(codes(0), []);
        assert_eq!(codes(23), []);
        assert_eq!(codes(24), [C::InTransit]);
        assert_eq!(codes(66), [C::InTransit, C::OutForDelivery]);
        assert_eq!(codes(72), [C::InTransit, C::OutForDelivery, C::Delivered]);
    }

    #[test]
    fn scans_are_in_order_however_fast_the_method() {
        let shipped = DateTime::from_timestamp(1_768_478_400, 0).unwrap();
        for (days_min, days_max) in [(0, 0), (0, 1), (1, 1), (3, 2), (5, 9), (i64::MAX, i64::MAX)] {
            let due = scans_due(shipped, days_min, days_max, DateTime::<Utc>::MAX_UTC);
            assert!(due.is_sorted_by(|a, b| a.1 < b.1), "{days_min} to {days_max} days: {due:?}");
            assert!(due.iter().all(|(_, at)| *at >= shipped), "{days_min} to {days_max} days: {due:?}");
        }
    }

    #[test]
    fn what_can_be_cancelled_has_not_left() {
        for &status in FulfillmentStatus::ALL {
            let is_cancellable = status.after(FulfillmentEvent::Cancelled).is_ok();
            assert!(!(is_cancellable && status.has_left()), "{status}");
        }
    }
}
