//! Why orders are cancelled and goods come back, and who pays the postage then.

use crate::words::words;

words! {
    /// Why an order is cancelled.
    pub enum CancelReason {
        NoLongerNeeded = "no_longer_needed",
        OrderedByMistake = "ordered_by_mistake",
        FoundCheaper = "found_cheaper",
        TooSlow = "too_slow",
        PaymentFailed = "payment_failed",
        OutOfStock = "out_of_stock",
        SuspectedFraud = "suspected_fraud",
    }

    /// Why goods come back.
    pub enum ReturnReason {
        ChangedMind = "changed_mind",
        WrongSize = "wrong_size",
        FoundCheaper = "found_cheaper",
        NotAsDescribed = "not_as_described",
        WrongItem = "wrong_item",
        Faulty = "faulty",
        DamagedInTransit = "damaged_in_transit",
        ArrivedLate = "arrived_late",
    }

    /// Who pays the postage of a return.
    pub enum PostagePayer {
        Shop = "shop",
        Customer = "customer",
    }

    /// How a support ticket ended.
    pub enum TicketResolution {
        Solved = "solved",
        NoLongerNeeded = "no_longer_needed",
        Refunded = "refunded",
        Replaced = "replaced",
        Refused = "refused",
        Duplicate = "duplicate",
        NoAnswer = "no_answer",
        Spam = "spam",
    }

    /// Why money goes back without goods coming back.
    pub enum RefundReason {
        Cancelled = "cancelled",
        Lost = "lost",
        Damaged = "damaged",
        Goodwill = "goodwill",
        SlowerShipping = "slower_shipping",
        PriceDrop = "price_drop",
        MissedCoupon = "missed_coupon",
        /// An order edit made the order cheaper.
        OrderEdit = "order_edit",
        /// Another payment took the place of this one.
        PaymentReplaced = "payment_replaced",
    }
}

impl CancelReason {
    /// The reason in words.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::NoLongerNeeded => "no longer needed",
            Self::OrderedByMistake => "ordered by mistake",
            Self::FoundCheaper => "found it cheaper elsewhere",
            Self::TooSlow => "delivery would take too long",
            Self::PaymentFailed => "payment failed",
            Self::OutOfStock => "out of stock",
            Self::SuspectedFraud => "suspected fraud",
        }
    }

    /// Whether a customer may give this reason; the others are the shop's.
    #[must_use]
    pub const fn is_customers(self) -> bool {
        match self {
            Self::NoLongerNeeded | Self::OrderedByMistake | Self::FoundCheaper | Self::TooSlow => true,
            Self::PaymentFailed | Self::OutOfStock | Self::SuspectedFraud => false,
        }
    }
}

impl TicketResolution {
    /// Whether a customer may end their own ticket so; the others are the shop's.
    #[must_use]
    pub const fn is_customers(self) -> bool {
        match self {
            Self::Solved | Self::NoLongerNeeded => true,
            Self::Refunded
            | Self::Replaced
            | Self::Refused
            | Self::Duplicate
            | Self::NoAnswer
            | Self::Spam => false,
        }
    }
}

impl ReturnReason {
    /// The reason in words.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::ChangedMind => "changed my mind",
            Self::WrongSize => "wrong size",
            Self::FoundCheaper => "found it cheaper elsewhere",
            Self::NotAsDescribed => "not as described",
            Self::WrongItem => "wrong item sent",
            Self::Faulty => "faulty",
            Self::DamagedInTransit => "damaged in transit",
            Self::ArrivedLate => "arrived too late",
        }
    }

    /// Whether a store may approve it unseen; what is said to be the shop's mistake is looked at first.
    #[must_use]
    pub const fn is_routine(self) -> bool {
        match self {
            Self::ChangedMind | Self::WrongSize | Self::FoundCheaper | Self::ArrivedLate => true,
            Self::NotAsDescribed | Self::WrongItem | Self::Faulty | Self::DamagedInTransit => false,
        }
    }

    /// Who pays the postage: the customer for a change of mind, the shop for its own mistakes.
    #[must_use]
    pub const fn postage_payer(self) -> PostagePayer {
        match self {
            Self::ChangedMind | Self::WrongSize | Self::FoundCheaper => PostagePayer::Customer,
            Self::NotAsDescribed
            | Self::WrongItem
            | Self::Faulty
            | Self::DamagedInTransit
            | Self::ArrivedLate => PostagePayer::Shop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shop_pays_for_its_own_mistakes() {
        use {PostagePayer as P, ReturnReason as R};
        for (reason, payer) in [
            (R::ChangedMind, P::Customer),
            (R::WrongSize, P::Customer),
            (R::FoundCheaper, P::Customer),
            (R::NotAsDescribed, P::Shop),
            (R::WrongItem, P::Shop),
            (R::Faulty, P::Shop),
            (R::DamagedInTransit, P::Shop),
            (R::ArrivedLate, P::Shop),
        ] {
            assert_eq!(reason.postage_payer(), payer, "{reason}");
        }
    }

    #[test]
    fn customers_do_not_cancel_for_the_shops_reasons() {
        let customers: Vec<_> =
            CancelReason::ALL.iter().filter(|r| r.is_customers()).map(|r| r.label()).collect();
        assert_eq!(
            customers,
            [
                "no longer needed",
                "ordered by mistake",
                "found it cheaper elsewhere",
                "delivery would take too long"
            ]
        );
    }
}
