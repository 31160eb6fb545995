//! Orders that show what the combinations leave out: every other status of payments, refunds, parcels, returns and
//! approvals, other ways to pay, and everyday business.

use anyhow::{Context, Result, ensure};
use shop_domain::reasons::{RefundReason, ReturnReason};

use super::baskets::Placed::{HoursAgo, WeeksAgo};
use super::baskets::{Placed, basket, basket_of};
use super::{Cast, Shopper};
use crate::ground::Ground;
use crate::history::{Back, Basket, Ending, History, Instrument, Reply};

/// Baskets are numbered; the combinations have those before.
const FIRST_BASKET: usize = 100;

const BOTH: &[usize] = &[0, 1];
const FIRST: &[usize] = &[0];
const SECOND: &[usize] = &[1];

/// What an order goes through from the moment it is placed.
pub(super) type Life = for<'g> fn(History<'g>, &Instrument) -> Result<History<'g>>;

const PAYMENTS: &[(Placed, Life)] = &[
    (WeeksAgo, |order, pay| order.opened(pay)),
    (WeeksAgo, |order, _| declined(order)),
    (WeeksAgo, |order, pay| declined(order)?.paid(pay)),
    (WeeksAgo, |order, _| {
        let card = Instrument::card("tok_3ds_required");
        order.opened(&card)?.authorized(Reply::Refused("authentication_required"))
    }),
    (WeeksAgo, |order, pay| order.opened(pay)?.authorized(Reply::Waiting)),
    (WeeksAgo, |order, pay| order.held_on(pay)?.capture_sent(Reply::Waiting)),
];

const REFUNDS: &[(Placed, Life)] = &[
    (WeeksAgo, |order, pay| order.paid(pay)?.refund_decided(Back::unshipped(FIRST))),
    (WeeksAgo, |order, pay| {
        order.paid(pay)?.refund_decided(Back::unshipped(FIRST))?.refund_sent(Reply::Waiting)
    }),
    (WeeksAgo, |order, pay| {
        let refund = order.paid(pay)?.refund_decided(Back::unshipped(FIRST))?;
        refund.refund_sent(Reply::Refused("refund_declined"))
    }),
    (WeeksAgo, |order, pay| order.paid(pay)?.refund_decided(Back::price_drop(0, 150))?.refund_cancelled()),
    (WeeksAgo, |order, pay| {
        let back = arrived(order, pay)?.came_back(FIRST, ReturnReason::Faulty)?.return_inspected()?;
        back.refunded(Back::returned(FIRST).into_store_credit())
    }),
    (WeeksAgo, |order, pay| {
        arrived(order, pay)?.wait_days(2).refunded(Back::kept(FIRST, RefundReason::Damaged))
    }),
];

const PARCELS: &[(Placed, Life)] = &[
    (HoursAgo(9), |order, pay| order.paid(pay)?.packed(BOTH)),
    (HoursAgo(9), |order, pay| order.paid(pay)?.packed(BOTH)?.labelled()),
    (HoursAgo(9), |order, pay| order.paid(pay)?.packed(BOTH)?.unpacked()),
    (HoursAgo(20), |order, pay| order.paid(pay)?.sent()),
    (WeeksAgo, |order, pay| order.paid(pay)?.sent_lines(FIRST)?.delivered()?.sent_lines(SECOND)?.delivered()),
    (HoursAgo(80), |order, pay| order.paid(pay)?.in_transit()?.lost()?.replaced()?.labelled()?.shipped()),
    // A check that found nothing.
    (WeeksAgo, |order, pay| arrived(order.held()?.wait_hours(4).released()?, pay)),
];

const RETURNS: &[(Placed, Life)] = &[
    (WeeksAgo, |order, pay| arrived(order, pay)?.return_requested(FIRST, ReturnReason::Faulty)),
    (WeeksAgo, |order, pay| {
        arrived(order, pay)?.return_requested(BOTH, ReturnReason::WrongSize)?.return_approved()
    }),
    (WeeksAgo, |order, pay| {
        arrived(order, pay)?.return_requested(FIRST, ReturnReason::NotAsDescribed)?.return_rejected()
    }),
    (WeeksAgo, |order, pay| {
        let asked = arrived(order, pay)?.return_requested(FIRST, ReturnReason::ChangedMind)?;
        asked.return_approved()?.return_sent()
    }),
    (WeeksAgo, |order, pay| {
        arrived(order, pay)?.return_requested(FIRST, ReturnReason::WrongItem)?.return_cancelled()
    }),
    (WeeksAgo, |order, pay| {
        arrived(order, pay)?.came_back(FIRST, ReturnReason::NotAsDescribed)?.return_inspected()
    }),
];

/// What becomes of sign-offs that no operation used.
const ENDINGS: [Ending; 5] =
    [Ending::Waiting, Ending::Approved, Ending::Rejected, Ending::Withdrawn, Ending::Expired];

fn arrived<'g>(order: History<'g>, pay: &Instrument) -> Result<History<'g>> {
    order.paid(pay)?.in_transit()?.delivered()
}

fn declined(order: History<'_>) -> Result<History<'_>> {
    let card = Instrument::card("tok_insufficient_funds");
    order.opened(&card)?.authorized(Reply::Refused("insufficient_funds"))
}

pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let mut nth = FIRST_BASKET;
    for (placed, life) in [PAYMENTS, REFUNDS, PARCELS, RETURNS].into_iter().flatten() {
        let (basket, pay) = basket(ground, cast, nth, *placed)?;
        let order = life(History::placed(ground, basket)?, &pay);
        order.and_then(History::end).with_context(|| format!("the life with basket {nth}"))?;
        nth += 1;
    }
    for ending in ENDINGS {
        let (basket, pay) = basket(ground, cast, nth, WeeksAgo)?;
        let order = arrived(History::placed(ground, basket)?, &pay)?;
        let is_open = matches!(ending, Ending::Waiting | Ending::Approved);
        let order = if is_open { order.until_hours_before_now(2) } else { order.wait_hours(30) };
        order.asked_to_refund_without_return(1_000, ending)?.end()?;
        nth += 1;
    }
    other_ways_to_pay(ground, cast, nth)
}

/// Gift card and store credit, each with a card for the rest, and coupons.
fn other_ways_to_pay(ground: &mut Ground, cast: &Cast, nth: usize) -> Result<()> {
    let others = || cast.shoppers.iter().skip(2);
    let holder = others().find_map(|shopper| Some((shopper, shopper.gift_card?)));
    let (shopper, card) = holder.context("nobody has a gift card")?;
    first_with(ground, cast, nth, shopper, &Instrument::gift_card(card), 3_000)?;
    let shopper = others().find(|shopper| shopper.has_credit).context("nobody has store credit")?;
    first_with(ground, cast, nth + 1, shopper, &Instrument::store_credit(), 1_500)?;
    for (nth, code) in (nth + 2..).zip(["WELCOME10", "FREESHIP", "ONCE20"]) {
        let (order, pay) = basket(ground, cast, nth, WeeksAgo)?;
        let order = Basket { coupon: Some(cast.coupon(code)?), ..order };
        arrived(History::placed(ground, order)?, &pay)?.end()?;
    }
    Ok(())
}

fn first_with(
    ground: &mut Ground,
    cast: &Cast,
    nth: usize,
    shopper: &Shopper,
    first: &Instrument,
    minor: i64,
) -> Result<()> {
    let (order, pay) = basket_of(ground, cast, shopper, nth, WeeksAgo)?;
    let order = History::placed(ground, order)?.opened_for(first, minor)?.authorized(Reply::Done)?;
    arrived(order.captured()?, &pay)?.end()?;
    Ok(())
}

/// Plain orders until there are as many as there should be.
pub(super) fn everyday(ground: &mut Ground, cast: &Cast, orders: usize) -> Result<()> {
    let told = ground.rows.orders.len();
    ensure!(told <= orders, "{told} orders are more than {orders}");
    for nth in told..orders {
        let is_on_its_way = nth.is_multiple_of(4);
        let placed = if is_on_its_way { HoursAgo(45) } else { WeeksAgo };
        let (order, pay) = basket(ground, cast, nth, placed)?;
        let order = History::placed(ground, order)?.paid(&pay)?.in_transit()?;
        let order = if is_on_its_way { order } else { order.delivered()? };
        order.end()?;
    }
    Ok(())
}
