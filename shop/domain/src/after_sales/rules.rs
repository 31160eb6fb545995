//! The rules themselves: one match per operation, over every state of the goods.

use super::AfterSalesOperation as Op;
use super::AfterSalesState as S;
use super::{Goods, OrderFacts, Verdict};
use crate::policy::Policy;

const fn no(rule: &'static str) -> Verdict {
    Verdict::No { rule }
}

/// Whether an operation is legal on one group of goods.
pub(super) fn judge(operation: Op, order: &OrderFacts, goods: Goods, policy: &Policy) -> Verdict {
    match operation {
        Op::CancelOrder => cancel(order, goods.state, policy),
        Op::VoidPayment => void(order, goods.state),
        Op::RefundUnshippedItems => refund_unshipped(order, goods.state),
        Op::RefundWithoutReturn | Op::SendReplacement => goods_stay_away(goods),
        Op::RequestReturn | Op::RequestExchange => goods_come_back(order, goods.state, policy),
        Op::RefundReturnedItems => refund_returned(goods.state),
        Op::RefundShippingFee | Op::RefundShippingDifference => refund_shipping(goods.state),
        Op::RefundPriceAdjustment => adjust_price(goods, policy),
        Op::ChangeOrderDeliveryAddress => change_address(goods.state),
        Op::RedirectShipment => redirect(goods.state),
    }
}

fn cancel(order: &OrderFacts, state: S, policy: &Policy) -> Verdict {
    match state {
        S::AuthorizedUnshipped | S::CapturedUnshipped if policy.edit_once && order.was_edited => {
            no("order_was_edited")
        }
        S::AuthorizedUnshipped | S::CapturedUnshipped => Verdict::Yes,
        // The goods are gone: they are returned, never cancelled.
        S::Shipped | S::DeliveredInWindow | S::DeliveredOutOfWindow | S::ReturnReceived => {
            no("order_has_shipped")
        }
        S::Cancelled => Verdict::AlreadyDone,
    }
}

fn void(order: &OrderFacts, state: S) -> Verdict {
    match state {
        S::AuthorizedUnshipped | S::Cancelled if order.holds_money => Verdict::Yes,
        S::AuthorizedUnshipped | S::Cancelled => no("nothing_held"),
        // Taken money is refunded, never voided.
        S::CapturedUnshipped => no("payment_captured"),
        S::Shipped | S::DeliveredInWindow | S::DeliveredOutOfWindow | S::ReturnReceived => {
            no("order_has_shipped")
        }
    }
}

fn refund_unshipped(order: &OrderFacts, state: S) -> Verdict {
    match state {
        S::AuthorizedUnshipped => no("nothing_captured"),
        S::CapturedUnshipped | S::Cancelled if order.has_refundable => Verdict::Yes,
        S::CapturedUnshipped => no("already_refunded"),
        S::Cancelled if order.has_captured => no("already_refunded"),
        S::Cancelled => no("nothing_captured"),
        S::Shipped | S::DeliveredInWindow | S::DeliveredOutOfWindow | S::ReturnReceived => {
            no("order_has_shipped")
        }
    }
}

/// Money or goods again, while the first goods are not coming back.
fn goods_stay_away(goods: Goods) -> Verdict {
    match goods.state {
        S::AuthorizedUnshipped | S::CapturedUnshipped => no("order_not_shipped"),
        S::Shipped if goods.has_exception => Verdict::Yes,
        S::Shipped => no("no_delivery_exception"),
        // The customer has the goods, so it is goodwill or a matter of belief.
        S::DeliveredInWindow | S::DeliveredOutOfWindow => Verdict::Approval,
        S::ReturnReceived => no("return_already_received"),
        S::Cancelled => no("order_cancelled"),
    }
}

fn goods_come_back(order: &OrderFacts, state: S, policy: &Policy) -> Verdict {
    match state {
        S::AuthorizedUnshipped | S::CapturedUnshipped | S::Shipped => no("order_not_delivered"),
        S::DeliveredInWindow | S::DeliveredOutOfWindow
            if policy.one_after_sales_per_order && order.has_after_sales =>
        {
            no("after_sales_already_requested")
        }
        S::DeliveredInWindow => Verdict::Yes,
        S::DeliveredOutOfWindow => Verdict::Approval,
        S::ReturnReceived => no("return_already_received"),
        S::Cancelled => no("order_cancelled"),
    }
}

fn refund_returned(state: S) -> Verdict {
    match state {
        S::ReturnReceived => Verdict::Yes,
        S::AuthorizedUnshipped
        | S::CapturedUnshipped
        | S::Shipped
        | S::DeliveredInWindow
        | S::DeliveredOutOfWindow => no("return_not_received"),
        S::Cancelled => no("order_cancelled"),
    }
}

fn refund_shipping(state: S) -> Verdict {
    match state {
        S::AuthorizedUnshipped => no("nothing_captured"),
        S::CapturedUnshipped | S::Shipped | S::DeliveredInWindow | S::ReturnReceived => Verdict::Yes,
        S::DeliveredOutOfWindow => Verdict::Approval,
        S::Cancelled => no("order_cancelled"),
    }
}

fn adjust_price(goods: Goods, policy: &Policy) -> Verdict {
    match goods.state {
        S::AuthorizedUnshipped => no("nothing_captured"),
        S::CapturedUnshipped | S::Shipped => Verdict::Yes,
        S::DeliveredInWindow if goods.days_since_delivery <= policy.price_match_days => Verdict::Yes,
        S::DeliveredInWindow | S::DeliveredOutOfWindow => no("price_match_window_closed"),
        S::ReturnReceived => no("return_already_received"),
        S::Cancelled => no("order_cancelled"),
    }
}

fn change_address(state: S) -> Verdict {
    match state {
        S::AuthorizedUnshipped | S::CapturedUnshipped => Verdict::Yes,
        S::Shipped | S::DeliveredInWindow | S::DeliveredOutOfWindow | S::ReturnReceived => {
            no("order_has_shipped")
        }
        S::Cancelled => no("order_cancelled"),
    }
}

fn redirect(state: S) -> Verdict {
    match state {
        S::Shipped => Verdict::Yes,
        S::AuthorizedUnshipped | S::CapturedUnshipped => no("order_not_shipped"),
        S::DeliveredInWindow | S::DeliveredOutOfWindow | S::ReturnReceived => no("order_delivered"),
        S::Cancelled => no("order_cancelled"),
    }
}

/// A rule in words, with the way that is open instead.
#[must_use]
pub fn rule_text(rule: &str) -> Option<&'static str> {
    let text = match rule {
        "already_done" => "it is done already; nothing changes",
        "already_refunded" => "all captured money is refunded or claimed by a refund already",
        "after_sales_already_requested" => "this order has had its one return or exchange",
        "no_delivery_exception" => {
            "the parcel is on its way; report a delivery exception if it is lost or damaged"
        }
        "nothing_captured" => "no money was captured; cancel the order and void the payment instead",
        "nothing_held" => "no payment holds money",
        "nothing_left" => "no goods of this order are left for it",
        "order_cancelled" => "the order is cancelled",
        "order_delivered" => "the goods are delivered; request a return or an exchange instead",
        "order_has_shipped" => "goods have shipped; redirect the parcel, or request a return after delivery",
        "order_not_delivered" => "the goods are not delivered yet",
        "order_not_shipped" => {
            "nothing has shipped; cancel, refund unshipped items or change the order instead"
        }
        "order_was_edited" => "its items were changed, which this store allows once and finally",
        "payment_captured" => "the money is captured; refund it instead of voiding",
        "price_match_window_closed" => "the time for price adjustments after delivery is over",
        "return_already_received" => "these goods are back already; refund the returned items",
        "return_not_received" => "the goods are not back yet; receive the return first",
        _ => return None,
    };
    Some(text)
}
