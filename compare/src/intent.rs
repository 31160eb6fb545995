//! What a request asks for, in its own words. An expert gets this and nothing more: no id, no price, no status.
//!
//! Own tasks carry an intent in their file, where a test holds every word of it against the request. τ² tasks get
//! theirs from the gold calls, with each id replaced by the words a customer would use.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Intent {
    Checkout(Checkout),
    /// Where is it?
    TrackOrder(OrderWords),
    /// Just look at the order.
    ReadOrder(OrderWords),
    CancelOrder(CancelOrder),
    /// Refund only: paid, nothing shipped.
    RefundUnshipped(OrderItems),
    /// It never arrived; the customer wants the money.
    LostParcelRefund(OrderWords),
    /// It never arrived; the customer wants the goods.
    LostParcelReplacement(OrderWords),
    /// Money back, and the goods stay with the customer.
    RefundKeepItems(OrderItems),
    ReturnItems(ReturnItems),
    /// Goods of an earlier return are back; the customer chooses where the money goes.
    RefundReturned(RefundReturned),
    ExchangeItems(ExchangeItems),
    /// Other forms of what was ordered, before it is shipped.
    ModifyItems(ModifyItems),
    /// Paid already, but with the wrong thing.
    ChangePayment(ChangePayment),
    RefundShippingFee(OrderWords),
    RefundShippingDifference(OrderWords),
    /// A code was forgotten when the order was placed.
    RefundMissedCoupon(OrderCoupon),
    ChangeOrderAddress(ChangeOrderAddress),
    ChangeProfileAddress(ChangeProfileAddress),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderWords {
    /// The number people use, such as `#1042`.
    pub(crate) order: String,
}

/// Some units, as a person names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    pub(crate) title: String,
    /// Enough of colour, size and so on to tell it from the others.
    #[serde(default)]
    pub(crate) options: BTreeMap<String, String>,
    #[serde(default = "one")]
    pub(crate) quantity: i64,
}

const fn one() -> i64 {
    1
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderItems {
    pub(crate) order: String,
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderCoupon {
    pub(crate) order: String,
    pub(crate) coupon: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checkout {
    pub(crate) items: Vec<Item>,
    /// The label of a saved address.
    pub(crate) address: String,
    pub(crate) coupon: Option<String>,
    /// In the order in which they are used; the last one pays the rest.
    pub(crate) pay: Vec<Pay>,
    /// What to pay with when the first way is declined.
    pub(crate) if_declined: Option<Pay>,
    /// What to buy when the first choice is sold out.
    pub(crate) if_sold_out: Option<Item>,
}

/// A way to pay, as a person says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pay {
    pub(crate) with: Means,
    /// Which card, when there are several.
    #[serde(default)]
    pub(crate) last4: Option<String>,
    /// In minor units; the rest when absent.
    #[serde(default)]
    pub(crate) amount_minor: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Means {
    Card,
    Paypal,
    GiftCard,
    StoreCredit,
}

impl Means {
    /// The shop's word on REST.
    pub(crate) const fn instrument(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Paypal => "paypal",
            Self::GiftCard => "gift_card",
            Self::StoreCredit => "store_credit",
        }
    }

    /// The word of source 1.
    pub(crate) const fn payment_type(self) -> &'static str {
        match self {
            Self::StoreCredit => "balance",
            Self::Card | Self::Paypal | Self::GiftCard => self.instrument(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelOrder {
    pub(crate) order: String,
    pub(crate) reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReturnItems {
    pub(crate) order: String,
    pub(crate) items: Vec<Item>,
    pub(crate) reason: String,
    /// Where the money shall go; the way it came when absent.
    pub(crate) refund_to: Option<Pay>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefundReturned {
    pub(crate) order: String,
    pub(crate) refund_to: Pay,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExchangeItems {
    pub(crate) order: String,
    pub(crate) swaps: Vec<Swap>,
    pub(crate) reason: String,
    /// What a difference is paid with or given back to.
    pub(crate) settle_with: Option<Pay>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModifyItems {
    pub(crate) order: String,
    pub(crate) swaps: Vec<Swap>,
    /// What a difference is paid with or given back to.
    pub(crate) settle_with: Pay,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePayment {
    pub(crate) order: String,
    pub(crate) pay_with: Pay,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Swap {
    pub(crate) item: Item,
    /// The options that the new one has.
    pub(crate) to: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeOrderAddress {
    pub(crate) order: String,
    pub(crate) to: AddressWords,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeProfileAddress {
    pub(crate) who: Option<Who>,
    /// The label of the saved address; the default one when absent.
    pub(crate) label: Option<String>,
    pub(crate) to: AddressWords,
}

/// Another person than the caller, for staff who act on their behalf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Who {
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) postal_code: String,
}

/// A postal address as it is dictated; the name on it stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddressWords {
    pub(crate) line1: String,
    #[serde(default)]
    pub(crate) line2: String,
    pub(crate) city: String,
    #[serde(default)]
    pub(crate) region: String,
    pub(crate) postal_code: String,
    pub(crate) country: String,
}

impl Intent {
    /// The name reports use.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Checkout(_) => "checkout",
            Self::TrackOrder(_) => "track_order",
            Self::ReadOrder(_) => "read_order",
            Self::CancelOrder(_) => "cancel_order",
            Self::RefundUnshipped(_) => "refund_unshipped",
            Self::LostParcelRefund(_) => "lost_parcel_refund",
            Self::LostParcelReplacement(_) => "lost_parcel_replacement",
            Self::RefundKeepItems(_) => "refund_keep_items",
            Self::ReturnItems(_) => "return_items",
            Self::RefundReturned(_) => "refund_returned",
            Self::ExchangeItems(_) => "exchange_items",
            Self::ModifyItems(_) => "modify_items",
            Self::ChangePayment(_) => "change_payment",
            Self::RefundShippingFee(_) => "refund_shipping_fee",
            Self::RefundShippingDifference(_) => "refund_shipping_difference",
            Self::RefundMissedCoupon(_) => "refund_missed_coupon",
            Self::ChangeOrderAddress(_) => "change_order_address",
            Self::ChangeProfileAddress(_) => "change_profile_address",
        }
    }
}
