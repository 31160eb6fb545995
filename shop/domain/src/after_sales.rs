//! Which after-sales operation is legal when: the rules behind every refund, return, exchange, cancellation and
//! change of address.
//!
//! An order is seen as groups of goods, each in one [`AfterSalesState`], because a partly shipped order is in
//! several at once. Operations on lines need one group that allows them; operations on the whole order need all.

use crate::policy::Policy;
use crate::words::words;

mod rules;
mod table;

pub use rules::rule_text;
pub use table::markdown;

words! {
    /// Where a group of goods of one order stands.
    pub enum AfterSalesState {
        AuthorizedUnshipped = "authorized_unshipped",
        CapturedUnshipped = "captured_unshipped",
        Shipped = "shipped",
        DeliveredInWindow = "delivered_in_window",
        DeliveredOutOfWindow = "delivered_out_of_window",
        ReturnReceived = "return_received",
        Cancelled = "cancelled",
    }

    /// The operations that the legality table speaks of, by operation id.
    pub enum AfterSalesOperation {
        CancelOrder = "cancel_order",
        VoidPayment = "void_payment",
        RefundUnshippedItems = "refund_unshipped_items",
        RefundWithoutReturn = "refund_without_return",
        RequestReturn = "request_return",
        RefundReturnedItems = "refund_returned_items",
        RequestExchange = "request_exchange",
        SendReplacement = "send_replacement",
        RefundShippingFee = "refund_shipping_fee",
        RefundShippingDifference = "refund_shipping_difference",
        RefundPriceAdjustment = "refund_price_adjustment",
        ChangeOrderDeliveryAddress = "change_order_delivery_address",
        RedirectShipment = "redirect_shipment",
    }

    /// Where the rules of the legality table live.
    pub enum RulesMode {
        /// The shop enforces them.
        Server = "server",
        /// The shop trusts its caller, as where rules live in the page that hides the buttons.
        Ui = "ui",
    }

    /// What a shop may leave to its caller. Authentication, scope, arithmetic and stock are not here.
    pub enum Trust {
        /// The legality table: where goods are, and what may be done to them there.
        Legality = "legality",
        /// That nobody tries again while an outcome is unknown.
        OneAttempt = "one_attempt",
    }

    /// The after-sales doors of an order view.
    pub enum Door {
        Refund = "refund",
        ReturnRefund = "return_refund",
        Exchange = "exchange",
        Cancel = "cancel",
        ChangeAddress = "change_address",
        Redirect = "redirect",
        Replacement = "replacement",
    }
}

impl RulesMode {
    /// What this mode leaves to its caller: whoever relaxes a rule asks here, by the name of the rule.
    #[must_use]
    pub const fn trusts_caller_on(self, rule: Trust) -> bool {
        match (self, rule) {
            (Self::Server, _) => false,
            (Self::Ui, Trust::Legality | Trust::OneAttempt) => true,
        }
    }
}

impl AfterSalesOperation {
    /// Whether the operation concerns the whole order rather than some of its goods.
    #[must_use]
    pub const fn is_for_the_whole_order(self) -> bool {
        match self {
            Self::CancelOrder | Self::VoidPayment | Self::ChangeOrderDeliveryAddress => true,
            Self::RefundUnshippedItems
            | Self::RefundWithoutReturn
            | Self::RequestReturn
            | Self::RefundReturnedItems
            | Self::RequestExchange
            | Self::SendReplacement
            | Self::RefundShippingFee
            | Self::RefundShippingDifference
            | Self::RefundPriceAdjustment
            | Self::RedirectShipment => false,
        }
    }
}

/// What the rules look at, of the order as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderFacts {
    /// Whether the order is cancelled.
    pub is_cancelled: bool,
    /// Whether a payment holds money that is neither taken nor released.
    pub holds_money: bool,
    /// Whether any money was taken.
    pub has_captured: bool,
    /// Whether taken money is left that no refund claims.
    pub has_refundable: bool,
    /// Whether an order edit has changed its items.
    pub was_edited: bool,
    /// Whether a return or exchange was ever asked for, except rejected or cancelled ones.
    pub has_after_sales: bool,
    /// Its lines.
    pub lines: Vec<LineFacts>,
}

/// What the rules look at, of one line, in units. Cancelled units are in none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineFacts {
    /// Not handed to a carrier.
    pub unshipped: u32,
    /// With a carrier, lost or damaged there included.
    pub shipped: u32,
    /// Delivered and with the customer.
    pub delivered: u32,
    /// Back at a location and not refunded yet.
    pub return_received: u32,
    /// Days since the delivery of the delivered units.
    pub days_since_delivery: i64,
    /// Whether a carrier or a customer reported the shipped units as lost, damaged or refused.
    pub has_exception: bool,
}

/// One group of goods, as the rules see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Goods {
    state: AfterSalesState,
    has_exception: bool,
    days_since_delivery: i64,
}

/// Whether an operation is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go ahead.
    Yes,
    /// Go ahead when a second person agrees.
    Approval,
    /// No, and by which rule.
    No {
        /// Stable name of the rule, such as `order_has_shipped`.
        rule: &'static str,
    },
    /// It is so already; answer like the first time.
    AlreadyDone,
}

impl Verdict {
    /// Whether the operation can go ahead, perhaps with a second person.
    #[must_use]
    pub const fn is_eligible(self) -> bool {
        match self {
            Self::Yes | Self::Approval => true,
            Self::No { .. } | Self::AlreadyDone => false,
        }
    }

    /// The rule behind a no, and `already_done` where nothing is left to do.
    #[must_use]
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Yes | Self::Approval => None,
            Self::No { rule } => Some(rule),
            Self::AlreadyDone => Some("already_done"),
        }
    }

    /// How permissive it is, for comparing groups of goods.
    const fn rank(self) -> u8 {
        match self {
            Self::No { .. } => 0,
            Self::AlreadyDone => 1,
            Self::Approval => 2,
            Self::Yes => 3,
        }
    }
}

/// Whether an operation is legal on an order. `mode` relaxes exactly this table.
#[must_use]
pub fn verdict(
    operation: AfterSalesOperation,
    order: &OrderFacts,
    policy: &Policy,
    mode: RulesMode,
) -> Verdict {
    over(operation, order, &order.lines, policy, mode)
}

/// Whether an operation is legal on one line of an order.
#[must_use]
pub fn line_verdict(
    operation: AfterSalesOperation,
    order: &OrderFacts,
    line: &LineFacts,
    policy: &Policy,
    mode: RulesMode,
) -> Verdict {
    over(operation, order, std::slice::from_ref(line), policy, mode)
}

fn over(
    operation: AfterSalesOperation,
    order: &OrderFacts,
    lines: &[LineFacts],
    policy: &Policy,
    mode: RulesMode,
) -> Verdict {
    let verdicts =
        goods(order, lines, policy).into_iter().map(|goods| rules::judge(operation, order, goods, policy));
    let verdict = if operation.is_for_the_whole_order() {
        verdicts.min_by_key(|verdict| verdict.rank())
    } else {
        // The first of equals: its rule speaks of the goods that are furthest from the customer.
        verdicts.rev().max_by_key(|verdict| verdict.rank())
    };
    let verdict = verdict.unwrap_or(Verdict::No { rule: "nothing_left" });
    match verdict {
        Verdict::Approval | Verdict::No { .. } if mode.trusts_caller_on(Trust::Legality) => Verdict::Yes,
        Verdict::Yes | Verdict::Approval | Verdict::No { .. } | Verdict::AlreadyDone => verdict,
    }
}

/// The groups of goods of some lines of an order.
fn goods(order: &OrderFacts, lines: &[LineFacts], policy: &Policy) -> Vec<Goods> {
    use AfterSalesState as S;
    if order.is_cancelled {
        return vec![Goods { state: S::Cancelled, has_exception: false, days_since_delivery: 0 }];
    }
    let unshipped = if order.has_captured { S::CapturedUnshipped } else { S::AuthorizedUnshipped };
    let mut groups = Vec::new();
    for line in lines {
        let delivered = if line.days_since_delivery <= policy.return_window_days {
            S::DeliveredInWindow
        } else {
            S::DeliveredOutOfWindow
        };
        let states = [
            (line.unshipped, unshipped),
            (line.shipped, S::Shipped),
            (line.delivered, delivered),
            (line.return_received, S::ReturnReceived),
        ];
        for (units, state) in states {
            if units > 0 {
                let has_exception = line.has_exception && state == S::Shipped;
                groups.push(Goods { state, has_exception, days_since_delivery: line.days_since_delivery });
            }
        }
    }
    groups
}

/// What an order view says about each door, with the rule behind each refusal.
#[must_use]
pub fn eligibility(order: &OrderFacts, policy: &Policy, mode: RulesMode) -> Vec<(Door, Verdict)> {
    use AfterSalesOperation as Op;
    let judge = |operation| verdict(operation, order, policy, mode);
    let open = |door: Door| match door {
        // Keeping the goods is a door for lost parcels; whoever has them is pointed to a return.
        Door::Refund => match (judge(Op::RefundUnshippedItems), judge(Op::RefundWithoutReturn)) {
            (Verdict::Yes, _) | (_, Verdict::Yes) => Verdict::Yes,
            (unshipped, _) => unshipped,
        },
        Door::ReturnRefund => judge(Op::RequestReturn),
        Door::Exchange => judge(Op::RequestExchange),
        Door::Cancel => judge(Op::CancelOrder),
        Door::ChangeAddress => judge(Op::ChangeOrderDeliveryAddress),
        Door::Redirect => judge(Op::RedirectShipment),
        Door::Replacement => judge(Op::SendReplacement),
    };
    Door::ALL.iter().map(|&door| (door, open(door))).collect()
}

#[cfg(test)]
mod tests;
