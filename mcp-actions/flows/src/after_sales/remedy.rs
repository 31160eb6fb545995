//! What can be done about it: what the customer may want, and the one operation that is right for it.

use serde_json::{Value, json};
use shop_domain::after_sales::AfterSalesOperation as Op;

/// What the customer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Refund,
    RefundAndKeep,
    Replacement,
    Exchange,
}

impl Want {
    pub(super) const ALL: [Self; 4] = [Self::Refund, Self::RefundAndKeep, Self::Replacement, Self::Exchange];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::RefundAndKeep => "refund_and_keep",
            Self::Replacement => "replacement",
            Self::Exchange => "exchange",
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Refund => "The money back; goods that are there are sent back",
            Self::RefundAndKeep => "The money back without sending anything back; staff decide",
            Self::Replacement => "The same goods again",
            Self::Exchange => "Another variant of the same product",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|want| want.word() == word)
    }
}

pub(super) fn want_schema() -> Value {
    json!({ "type": "string", "enum": Want::ALL.map(Want::word) })
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    Cancel,
    RefundUnshipped,
    RefundKept,
    RefundReturned,
    Return,
    Exchange,
    Replace,
    ShippingFee,
    ShippingDifference,
    PriceAdjustment,
}

impl Remedy {
    const ALL: [Self; 10] = [
        Self::Cancel,
        Self::RefundUnshipped,
        Self::RefundKept,
        Self::RefundReturned,
        Self::Return,
        Self::Exchange,
        Self::Replace,
        Self::ShippingFee,
        Self::ShippingDifference,
        Self::PriceAdjustment,
    ];

    /// The word in summaries.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::RefundUnshipped => "refund_only",
            Self::RefundKept => "refund_without_return",
            Self::RefundReturned => "refund_returned",
            Self::Return => "return_refund",
            Self::Exchange => "exchange",
            Self::Replace => "replacement",
            Self::ShippingFee => "shipping_fee_refund",
            Self::ShippingDifference => "shipping_difference_refund",
            Self::PriceAdjustment => "price_adjustment",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|remedy| remedy.word() == word)
    }

    /// The row of the legality table it is judged by.
    pub(super) const fn operation(self) -> Op {
        match self {
            Self::Cancel => Op::CancelOrder,
            Self::RefundUnshipped => Op::RefundUnshippedItems,
            Self::RefundKept => Op::RefundWithoutReturn,
            Self::RefundReturned => Op::RefundReturnedItems,
            Self::Return => Op::RequestReturn,
            Self::Exchange => Op::RequestExchange,
            Self::Replace => Op::SendReplacement,
            Self::ShippingFee => Op::RefundShippingFee,
            Self::ShippingDifference => Op::RefundShippingDifference,
            Self::PriceAdjustment => Op::RefundPriceAdjustment,
        }
    }

    /// Whether money goes back when it is carried out.
    pub(super) const fn is_refund(self) -> bool {
        match self {
            Self::RefundUnshipped
            | Self::RefundKept
            | Self::RefundReturned
            | Self::ShippingFee
            | Self::ShippingDifference
            | Self::PriceAdjustment => true,
            Self::Cancel | Self::Return | Self::Exchange | Self::Replace => false,
        }
    }

    /// Whether the goods have to be with the customer first.
    pub(super) const fn needs_delivery(self) -> bool {
        match self {
            Self::Return | Self::Exchange => true,
            Self::Cancel
            | Self::RefundUnshipped
            | Self::RefundKept
            | Self::RefundReturned
            | Self::Replace
            | Self::ShippingFee
            | Self::ShippingDifference
            | Self::PriceAdjustment => false,
        }
    }
}
