//! What subscribers may ask to be told, and the life of one delivery to them.

use crate::machine::{IllegalMove, mermaid};
use crate::status::DeliveryStatus;
use crate::words::words;

words! {
    /// What can happen to a delivery.
    pub enum DeliveryEvent {
        /// The subscriber answered with a success.
        Accepted = "accepted",
        /// It did not, and there are tries left.
        Missed = "missed",
        /// It did not, for the last time.
        GivenUp = "given_up",
        /// The endpoint was deleted.
        EndpointDeleted = "endpoint_deleted",
    }
}

impl DeliveryStatus {
    /// The whole life of a delivery, in one table.
    pub fn after(self, event: DeliveryEvent) -> Result<Self, IllegalMove> {
        use {DeliveryEvent as E, DeliveryStatus as S};
        match (self, event) {
            (S::Pending, E::Accepted) => Ok(S::Delivered),
            (S::Pending, E::Missed) => Ok(S::Pending),
            (S::Pending, E::GivenUp) => Ok(S::Failed),
            (S::Pending, E::EndpointDeleted) => Ok(S::Cancelled),
            (from, event) => {
                Err(IllegalMove { noun: "webhook delivery", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Pending], Self::ALL, DeliveryEvent::ALL, Self::after)
    }
}

/// What stands for every event.
pub const EVERYTHING: &str = "*";

/// What events are about: the first part of their type.
pub const TOPICS: &[&str] = &[
    "approval",
    "cart",
    "category",
    "collection",
    "consent",
    "coupon",
    "customer",
    "dispute",
    "exchange",
    "fulfillment",
    "gift_card",
    "inventory",
    "order",
    "payment",
    "price",
    "price_list",
    "product",
    "promotion",
    "refund",
    "return",
    "review",
    "role",
    "staff",
    "store",
    "store_credit",
    "tax_rate",
    "ticket",
    "variant",
    "webhook",
];

/// Whether a text names one type of events (`order.placed`), all of a topic (`order.*`), or all there are (`*`).
#[must_use]
pub fn is_subscription(text: &str) -> bool {
    if text == EVERYTHING {
        return true;
    }
    let Some((topic, what)) = text.split_once('.') else { return false };
    let is_word = !what.is_empty() && what.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    TOPICS.contains(&topic) && (what == EVERYTHING || is_word)
}

/// Whether a subscription wants an event of this type.
#[must_use]
pub fn wants(subscription: &str, kind: &str) -> bool {
    match subscription.strip_suffix(EVERYTHING) {
        // `order.` and the empty text.
        Some(beginning) => kind.starts_with(beginning),
        None => subscription == kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_delivery_moves_only_along_its_table() {
        use {DeliveryEvent as E, DeliveryStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Pending, E::Accepted, S::Delivered),
                (S::Pending, E::Missed, S::Pending),
                (S::Pending, E::GivenUp, S::Failed),
                (S::Pending, E::EndpointDeleted, S::Cancelled),
            ],
        );
    }

    #[test]
    fn a_subscription_wants_what_it_names() {
        for (subscription, is_one, kind, is_wanted) in [
            ("*", true, "order.placed", true),
            ("order.*", true, "order.placed", true),
            ("order.*", true, "order_edit.begun", false),
            ("order.placed", true, "order.placed", true),
            ("order.placed", true, "order.cancelled", false),
            ("order", false, "order.placed", false),
            ("order.", false, "order.placed", false),
            ("weather.*", false, "order.placed", false),
            ("order.Placed", false, "order.placed", false),
        ] {
            assert_eq!(is_subscription(subscription), is_one, "{subscription}");
            assert_eq!(wants(subscription, kind), is_wanted, "{subscription} {kind}");
        }
    }
}
