//! What is wrong, in the customer's terms. What follows from it is decided by the order's state.

use serde_json::{Value, json};
use shop_domain::reasons::{CancelReason, ReturnReason};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    ChangedMind,
    NoLongerNeeded,
    OrderedByMistake,
    FoundCheaper,
    WrongSize,
    WrongItem,
    NotAsDescribed,
    Faulty,
    DamagedInTransit,
    ArrivedLate,
    NeverArrived,
    ReturnUnpaid,
    SlowerShipping,
    ShippingFee,
    PriceDrop,
    MissedCoupon,
}

/// Kinds of problems that are dealt with alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The goods are right, and not wanted.
    Unwanted,
    /// The goods are not what they should be.
    Wrong,
    /// They are not there.
    Missing,
    /// Only money is wrong.
    Money,
    /// They went back, and nobody paid.
    Unpaid,
}

impl Problem {
    pub(super) const ALL: [Self; 16] = [
        Self::ChangedMind,
        Self::NoLongerNeeded,
        Self::OrderedByMistake,
        Self::FoundCheaper,
        Self::WrongSize,
        Self::WrongItem,
        Self::NotAsDescribed,
        Self::Faulty,
        Self::DamagedInTransit,
        Self::ArrivedLate,
        Self::NeverArrived,
        Self::ReturnUnpaid,
        Self::SlowerShipping,
        Self::ShippingFee,
        Self::PriceDrop,
        Self::MissedCoupon,
    ];

    pub(super) const fn word(self) -> &'static str {
        self.row().0
    }

    /// What a person reads.
    pub(super) const fn label(self) -> &'static str {
        self.row().1
    }

    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::ChangedMind => ("changed_mind", "The customer has changed their mind"),
            Self::NoLongerNeeded => ("no_longer_needed", "It is no longer needed"),
            Self::OrderedByMistake => ("ordered_by_mistake", "It was ordered by mistake, or twice"),
            Self::FoundCheaper => ("found_cheaper", "It is cheaper elsewhere"),
            Self::WrongSize => ("wrong_size", "The size does not fit"),
            Self::WrongItem => ("wrong_item", "Something else was sent"),
            Self::NotAsDescribed => ("not_as_described", "It is not as described"),
            Self::Faulty => ("faulty", "It is faulty or does not work"),
            Self::DamagedInTransit => ("damaged_in_transit", "It arrived damaged"),
            Self::ArrivedLate => ("arrived_late", "It takes or took too long"),
            Self::NeverArrived => ("never_arrived", "It never arrived, or the carrier lost it"),
            Self::ReturnUnpaid => ("return_unpaid", "It was sent back and the money has not come"),
            Self::SlowerShipping => ("slower_shipping", "Faster shipping was paid for than was used"),
            Self::ShippingFee => ("shipping_fee", "The shipping fee should come back"),
            Self::PriceDrop => ("price_drop", "The shop sells it cheaper now"),
            Self::MissedCoupon => ("missed_coupon", "A coupon code was forgotten"),
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|problem| problem.word() == word)
    }

    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::ChangedMind
            | Self::NoLongerNeeded
            | Self::OrderedByMistake
            | Self::FoundCheaper
            | Self::WrongSize
            | Self::ArrivedLate => Kind::Unwanted,
            Self::WrongItem | Self::NotAsDescribed | Self::Faulty | Self::DamagedInTransit => Kind::Wrong,
            Self::NeverArrived => Kind::Missing,
            Self::SlowerShipping | Self::ShippingFee | Self::PriceDrop | Self::MissedCoupon => Kind::Money,
            Self::ReturnUnpaid => Kind::Unpaid,
        }
    }

    /// The shop's word for it on a return or exchange.
    pub(super) const fn return_reason(self) -> ReturnReason {
        match self {
            Self::WrongSize => ReturnReason::WrongSize,
            Self::FoundCheaper | Self::PriceDrop => ReturnReason::FoundCheaper,
            Self::NotAsDescribed => ReturnReason::NotAsDescribed,
            Self::WrongItem => ReturnReason::WrongItem,
            Self::Faulty => ReturnReason::Faulty,
            Self::DamagedInTransit => ReturnReason::DamagedInTransit,
            Self::ArrivedLate => ReturnReason::ArrivedLate,
            Self::ChangedMind
            | Self::NoLongerNeeded
            | Self::OrderedByMistake
            | Self::NeverArrived
            | Self::ReturnUnpaid
            | Self::SlowerShipping
            | Self::ShippingFee
            | Self::MissedCoupon => ReturnReason::ChangedMind,
        }
    }

    /// The shop's word for it on a cancelled order.
    pub(super) const fn cancel_reason(self) -> CancelReason {
        match self {
            Self::OrderedByMistake => CancelReason::OrderedByMistake,
            Self::FoundCheaper | Self::PriceDrop => CancelReason::FoundCheaper,
            Self::ArrivedLate | Self::NeverArrived => CancelReason::TooSlow,
            Self::ChangedMind
            | Self::NoLongerNeeded
            | Self::WrongSize
            | Self::WrongItem
            | Self::NotAsDescribed
            | Self::Faulty
            | Self::DamagedInTransit
            | Self::ReturnUnpaid
            | Self::SlowerShipping
            | Self::ShippingFee
            | Self::MissedCoupon => CancelReason::NoLongerNeeded,
        }
    }
}

pub(super) fn schema() -> Value {
    json!({ "type": "string", "enum": Problem::ALL.map(Problem::word) })
}

/// The reasons that a return or an exchange is asked for with.
pub(super) fn return_reason_schema() -> Value {
    json!({ "type": "string", "enum": ReturnReason::WORDS })
}

/// The reasons for money back before anything is in the customer's hands.
pub(super) const BEFORE_DELIVERY: [Problem; 7] = [
    Problem::NoLongerNeeded,
    Problem::OrderedByMistake,
    Problem::ChangedMind,
    Problem::FoundCheaper,
    Problem::ArrivedLate,
    Problem::NeverArrived,
    Problem::DamagedInTransit,
];

pub(super) fn before_delivery_schema() -> Value {
    json!({ "type": "string", "enum": BEFORE_DELIVERY.map(Problem::word) })
}
