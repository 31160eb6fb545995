//! One order for every combination of its three statuses that the rules can produce.

use anyhow::{Context, Result};
use shop_domain::ids::OrderId;
use shop_domain::reasons::{CancelReason, RefundReason, ReturnReason};
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};

use super::Cast;
use super::baskets::{Placed, basket};
use crate::ground::Ground;
use crate::history::{Back, History, Instrument, Reply};

use OrderFulfillmentStatus as Goods;
use OrderPaymentStatus as Money;

/// Money statuses of an order whose goods may leave: something was taken.
const TAKEN: &[Money] =
    &[Money::PartiallyPaid, Money::Paid, Money::PartiallyRefunded, Money::Refunded, Money::Unknown];
/// The same for one that is delivered without being completed: paid and delivered is completed.
const TAKEN_NOT_PAID: &[Money] =
    &[Money::PartiallyPaid, Money::PartiallyRefunded, Money::Refunded, Money::Unknown];
/// What can become of the money of a completed order, which was paid once.
const WAS_PAID: &[Money] = &[Money::Paid, Money::PartiallyRefunded, Money::Refunded, Money::Unknown];

/// What the rules can produce: secured money confirms an order, goods leave once money was taken and no hold is on,
/// paid and delivered completes it, and what has left is never cancelled.
pub(crate) const COMBINATIONS: &[(OrderStatus, &[Money], &[Goods])] = &[
    (OrderStatus::Draft, &[Money::Unpaid], &[Goods::Unfulfilled]),
    (OrderStatus::Pending, &[Money::Unpaid, Money::Voided, Money::Unknown], &[Goods::Unfulfilled]),
    (OrderStatus::Confirmed, Money::ALL, &[Goods::Unfulfilled]),
    (OrderStatus::Confirmed, TAKEN, &[Goods::Partial, Goods::Shipped, Goods::Exception]),
    (OrderStatus::Confirmed, TAKEN_NOT_PAID, &[Goods::Delivered, Goods::Returned]),
    (OrderStatus::OnHold, Money::ALL, &[Goods::Unfulfilled]),
    (OrderStatus::OnHold, TAKEN, &[Goods::Partial]),
    (OrderStatus::Completed, WAS_PAID, &[Goods::Delivered, Goods::Returned]),
    (OrderStatus::Cancelled, Money::ALL, &[Goods::Unfulfilled]),
];

/// What exchanges add to them: new goods are under way for an order that was complete.
#[cfg(test)]
pub(crate) const OF_EXCHANGES: (OrderStatus, Money, Goods) =
    (OrderStatus::Completed, Money::Paid, Goods::Shipped);

const BOTH: &[usize] = &[0, 1];
const FIRST: &[usize] = &[0];
const SECOND: &[usize] = &[1];

/// Tells one history for each of them.
pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let mut nth = 1;
    for (status, moneys, goodses) in COMBINATIONS {
        for money in *moneys {
            for goods in *goodses {
                order(ground, cast, nth, (*status, *money, *goods))
                    .with_context(|| format!("an order that is {status}, {money} and {goods}"))?;
                nth += 1;
            }
        }
    }
    Ok(())
}

fn order(
    ground: &mut Ground,
    cast: &Cast,
    nth: usize,
    (status, money, goods): (OrderStatus, Money, Goods),
) -> Result<OrderId> {
    let placed = match goods {
        Goods::Partial => Placed::HoursAgo(20),
        Goods::Shipped => Placed::HoursAgo(45),
        Goods::Unfulfilled | Goods::Delivered | Goods::Exception | Goods::Returned => Placed::WeeksAgo,
    };
    let (basket, instrument) = basket(ground, cast, nth, placed)?;
    let accepts_draft = status == OrderStatus::Draft
        || (matches!(status, OrderStatus::Confirmed | OrderStatus::OnHold) && money == Money::Unpaid);
    if accepts_draft {
        let draft = History::drafted(ground, basket)?;
        return match status {
            OrderStatus::Confirmed => draft.accepted()?.end(),
            OrderStatus::OnHold => draft.accepted()?.held()?.end(),
            OrderStatus::Draft | OrderStatus::Pending | OrderStatus::Completed | OrderStatus::Cancelled => {
                draft.end()
            }
        };
    }
    let order = secured(History::placed(ground, basket)?, &instrument, status, money, goods)?;
    let order = match status {
        OrderStatus::Cancelled => {
            ending_money(order.wait_hours(3).cancelled(Some(CancelReason::NoLongerNeeded))?, money)?
        }
        OrderStatus::Completed => complete(order, money, goods)?,
        OrderStatus::Draft | OrderStatus::Pending | OrderStatus::Confirmed | OrderStatus::OnHold => {
            on_the_way(order, money, goods)?
        }
    };
    let order = if status == OrderStatus::OnHold { order.held()? } else { order };
    order.end()
}

/// The money before anything is packed or cancelled.
fn secured<'g>(
    order: History<'g>,
    instrument: &Instrument,
    status: OrderStatus,
    money: Money,
    goods: Goods,
) -> Result<History<'g>> {
    let is_pending = status == OrderStatus::Pending;
    let is_cancelled = status == OrderStatus::Cancelled;
    match money {
        Money::Unpaid => Ok(order),
        Money::Voided if is_pending => order.opened(instrument)?.voided(Reply::Done),
        Money::Unknown if is_pending => order.opened(instrument)?.authorized(Reply::LostBefore),
        Money::Authorized => order.held_on(instrument),
        Money::Voided if is_cancelled => order.held_on(instrument),
        Money::Voided => order.held_on(instrument)?.voided(Reply::Done),
        Money::PartiallyPaid => {
            let half = order.line_total(0).max(1);
            order.held_on(instrument)?.captured_part(half, Reply::Done)
        }
        Money::Unknown if is_cancelled => order.held_on(instrument),
        Money::Unknown if goods == Goods::Unfulfilled => {
            order.held_on(instrument)?.capture_sent(Reply::LostAfter)
        }
        Money::Paid | Money::PartiallyRefunded | Money::Refunded | Money::Unknown => order.paid(instrument),
    }
}

/// The money after a cancellation, when all that was paid is too much.
fn ending_money(order: History<'_>, money: Money) -> Result<History<'_>> {
    match money {
        Money::Voided => order.voided(Reply::Done),
        Money::Unknown => order.voided(Reply::LostAfter),
        Money::PartiallyRefunded => order.refunded(Back::unshipped(FIRST)),
        Money::Refunded => {
            let shipping = order.shipping_total();
            order.refunded(Back::unshipped(BOTH).with_shipping(shipping))
        }
        Money::Unpaid | Money::Authorized | Money::PartiallyPaid | Money::Paid => Ok(order),
    }
}

/// Goods that are somewhere between shelf and customer; money that goes back goes while they are.
fn on_the_way(order: History<'_>, money: Money, goods: Goods) -> Result<History<'_>> {
    match goods {
        // With nothing left it would be a cancelled order, so all goes back as a lower price.
        Goods::Unfulfilled if money == Money::Refunded => dropped(order, money),
        Goods::Unfulfilled => give_back(order, money, &[Back::unshipped(FIRST)]),
        Goods::Partial => dropped(order.sent_lines(FIRST)?, money),
        Goods::Shipped => dropped(order.in_transit()?, money),
        // Paying for what is lost would end the exception.
        Goods::Exception => dropped(order.in_transit()?.lost()?, money),
        Goods::Delivered => dropped(order.in_transit()?, money)?.delivered(),
        Goods::Returned => {
            let order = dropped(order.in_transit()?, money)?.delivered()?;
            order.came_back(BOTH, ReturnReason::ChangedMind)
        }
    }
}

/// Prices fall while the goods are under way.
fn dropped(order: History<'_>, money: Money) -> Result<History<'_>> {
    let (first, second) = (order.line_total(0), order.line_total(1));
    let part = if money == Money::Refunded { first } else { first / 5 };
    give_back(order, money, &[Back::price_drop(0, part), Back::price_drop(1, second)])
}

/// Paid and delivered first; what goes back goes afterwards.
fn complete(order: History<'_>, money: Money, goods: Goods) -> Result<History<'_>> {
    let order = order.in_transit()?.delivered()?;
    if goods != Goods::Returned {
        let kept = |lines: &[usize]| Back::kept(lines, RefundReason::Goodwill);
        return give_back(order, money, &[kept(FIRST), kept(SECOND)]);
    }
    let order = order.came_back(BOTH, ReturnReason::NotAsDescribed)?;
    match money {
        Money::Paid => Ok(order),
        Money::Unpaid
        | Money::Authorized
        | Money::PartiallyPaid
        | Money::PartiallyRefunded
        | Money::Refunded
        | Money::Voided
        | Money::Unknown => {
            let back = [Back::returned(FIRST), Back::returned(SECOND)];
            give_back(order.return_inspected()?, money, &back)
        }
    }
}

/// The first part goes back; or all parts and the shipping; or the first part, and the answer is lost.
fn give_back<'g>(order: History<'g>, money: Money, parts: &[Back]) -> Result<History<'g>> {
    let first = || parts.first().cloned().context("nothing to give back");
    match money {
        Money::PartiallyRefunded => order.wait_hours(2).refunded(first()?),
        Money::Refunded => {
            let order = order.wait_hours(2).shipping_refunded()?;
            parts.iter().cloned().try_fold(order, History::refunded)
        }
        // Where nothing has left, it is the capture whose answer is missing.
        Money::Unknown if order.has_unknown_payment() => Ok(order),
        Money::Unknown => order.wait_hours(2).refund_decided(first()?)?.refund_sent(Reply::LostBefore),
        Money::Unpaid | Money::Authorized | Money::PartiallyPaid | Money::Paid | Money::Voided => Ok(order),
    }
}
