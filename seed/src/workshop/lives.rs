//! Orders that show what the combinations leave out: every other status of payments, refunds, parcels, returns,
//! exchanges and approvals, other ways to pay, and everyday business.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use rand::RngExt;
use rand::seq::IndexedRandom;
use shop_domain::reasons::{RefundReason, ReturnReason};
use shop_domain::status::RefundKind;

use super::catalogue::is_ordinary;
use super::{Cast, Where};
use crate::ground::Ground;
use crate::history::{Back, Basket, Ending, History, Instrument, Item, Reply};

/// Where the customers of these orders start in the list of customers.
const FIRST_SHOPPER: usize = 65;

/// A basket of two ordinary lines for the nth shopper, weeks ago, and what they pay with.
pub(super) fn basket<'a>(ground: &Ground, cast: &'a Cast, nth: usize) -> Result<(Basket<'a>, Instrument)> {
    let mut chance = ground.draw.chance(&format!("basket {nth}"));
    // Ada's orders are those that the tutorials name, and no others.
    let shopper = cast.shopper(1 + nth % (cast.shoppers.len() - 1))?;
    let site = cast.sites.of(shopper.lives_in);
    let all: Vec<_> = cast.stock.of(shopper.lives_in).iter().filter(|row| is_ordinary(row)).collect();
    let items: Vec<Item> = all
        .sample(&mut chance, 2)
        .map(|variant| Item { variant: (*variant).clone(), quantity: chance_quantity(nth) })
        .collect();
    ensure!(items.len() == 2, "a store with nothing to sell");
    let hours_ago = chance.random_range(18 * 24..26 * 24);
    let basket = Basket {
        site,
        customer: &shopper.customer,
        address: shopper.addresses.first().context("a customer without an address")?.address.clone(),
        items,
        method: site.methods.first().cloned(),
        coupon: None,
        placed_at: ground.now - TimeDelta::minutes(60 * hours_ago + chance.random_range(0..60)),
    };
    let method = shopper.methods.first().context("a customer without a payment method")?;
    Ok((basket, Instrument::saved(method)))
}

/// Mostly one of a thing.
const fn chance_quantity(nth: usize) -> u32 {
    if nth.is_multiple_of(3) { 2 } else { 1 }
}

type Life = for<'g> fn(History<'g>, &Instrument) -> Result<History<'g>>;

const BOTH: &[usize] = &[0, 1];
const FIRST: &[usize] = &[0];

/// One life each, told from the moment the order is placed.
const LIVES: &[Life] = &[
    // Payments.
    |order, _| order.opened(&Instrument::card("tok_visa")),
    |order, _| {
        order
            .opened(&Instrument::card("tok_insufficient_funds"))?
            .authorized(Reply::Refused("insufficient_funds"))
    },
    |order, _| {
        order
            .opened(&Instrument::card("tok_3ds_required"))?
            .authorized(Reply::Refused("authentication_required"))
    },
    |order, pay| order.opened(pay)?.authorized(Reply::Waiting),
    |order, pay| order.held_on(pay)?.capture_sent(Reply::Waiting),
    |order, pay| {
        let declined = order.opened(&Instrument::card("tok_insufficient_funds"))?;
        declined.authorized(Reply::Refused("insufficient_funds"))?.paid(pay)
    },
    // Refunds.
    |order, pay| order.paid(pay)?.refund_decided(Back::unshipped(FIRST)),
    |order, pay| order.paid(pay)?.refund_decided(Back::unshipped(FIRST))?.refund_sent(Reply::Waiting),
    |order, pay| {
        order
            .paid(pay)?
            .refund_decided(Back::unshipped(FIRST))?
            .refund_sent(Reply::Refused("refund_declined"))
    },
    |order, pay| {
        let fee = Back::shipping(RefundKind::ShippingDifference, 200);
        order.paid(pay)?.sent()?.refund_decided(fee)?.refund_cancelled()
    },
    |order, pay| {
        let returned = order.paid(pay)?.in_transit()?.delivered()?.came_back(FIRST, ReturnReason::Faulty)?;
        returned.return_inspected()?.refunded(Back::returned(FIRST).to_store_credit())
    },
    // Parcels.
    |order, pay| order.paid(pay)?.packed(BOTH),
    |order, pay| order.paid(pay)?.packed(BOTH)?.labelled(),
    |order, pay| order.paid(pay)?.packed(BOTH)?.unpacked(),
    |order, pay| order.paid(pay)?.sent(),
    |order, pay| order.paid(pay)?.sent_lines(FIRST)?.delivered()?.sent_lines(&[1])?.delivered(),
    |order, pay| order.paid(pay)?.in_transit()?.lost()?.replaced()?.labelled()?.shipped(),
    // Returns.
    |order, pay| order.paid(pay)?.in_transit()?.delivered()?.return_requested(FIRST, ReturnReason::Faulty),
    |order, pay| {
        order
            .paid(pay)?
            .in_transit()?
            .delivered()?
            .return_requested(BOTH, ReturnReason::WrongSize)?
            .return_approved()
    },
    |order, pay| {
        order
            .paid(pay)?
            .in_transit()?
            .delivered()?
            .return_requested(FIRST, ReturnReason::ChangedMind)?
            .return_rejected()
    },
    |order, pay| {
        order
            .paid(pay)?
            .in_transit()?
            .delivered()?
            .return_requested(FIRST, ReturnReason::WrongItem)?
            .return_approved()?
            .return_sent()
    },
    |order, pay| {
        order
            .paid(pay)?
            .in_transit()?
            .delivered()?
            .return_requested(FIRST, ReturnReason::ArrivedLate)?
            .return_cancelled()
    },
    |order, pay| {
        order
            .paid(pay)?
            .in_transit()?
            .delivered()?
            .came_back(FIRST, ReturnReason::NotAsDescribed)?
            .return_inspected()
    },
    // A check that found nothing.
    |order, pay| order.paid(pay)?.held()?.wait_hours(4).released()?.in_transit()?.delivered(),
    // Goodwill that a lead signed off.
    |order, pay| {
        order
            .paid(pay)?
            .in_transit()?
            .delivered()?
            .wait_days(2)
            .refunded(Back::kept(FIRST, RefundReason::Damaged))
    },
];

/// How far exchanges go.
const EXCHANGES: [usize; 6] = [0, 1, 2, 3, 4, 5];

/// What becomes of sign-offs that no operation used.
const ENDINGS: [Ending; 5] =
    [Ending::Waiting, Ending::Approved, Ending::Rejected, Ending::Withdrawn, Ending::Expired];

pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let mut nth = FIRST_SHOPPER;
    for life in LIVES {
        let (basket, pay) = basket(ground, cast, nth)?;
        life(History::placed(ground, basket)?, &pay)?.end()?;
        nth += 1;
    }
    for ending in ENDINGS {
        let (basket, pay) = basket(ground, cast, nth)?;
        let open = matches!(ending, Ending::Waiting | Ending::Approved);
        let order = History::placed(ground, basket)?.paid(&pay)?.in_transit()?.delivered()?;
        let order = if open { order.until_hours_before_now(2) } else { order.wait_hours(30) };
        order.asked_to_refund_without_return(1_000, ending)?.end()?;
        nth += 1;
    }
    for steps in EXCHANGES {
        exchange(ground, cast, steps)?;
    }
    other_ways_to_pay(ground, cast)
}

/// Shoes in the wrong size, taken so many steps along.
fn exchange(ground: &mut Ground, cast: &Cast, steps: usize) -> Result<()> {
    let (mut basket, pay) = basket(ground, cast, 2)?;
    let shopper = cast.shopper(1)?;
    basket.customer = &shopper.customer;
    basket.site = cast.sites.of(Where::De);
    basket.method = basket.site.methods.first().cloned();
    basket.address = shopper.addresses.first().context("Bob has a home")?.address.clone();
    basket.items = vec![Item { variant: cast.variant("Sneakers, black, 42")?, quantity: 1 }];
    let to = cast.variant("Sneakers, black, 43")?;
    let pay = shopper.methods.first().map_or(pay, Instrument::saved);
    let order = History::placed(ground, basket)?.paid(&pay)?.in_transit()?.delivered()?;
    let order = order.exchange_requested(0, &to)?;
    let order = match steps {
        0 => order,
        1 => order.exchange_cancelled()?,
        2 => order.exchange_approved()?,
        3 => order.exchange_approved()?.exchange_awaits_return()?,
        4 => order.exchange_approved()?.exchange_awaits_return()?.exchange_shipped()?,
        _ => order.exchange_approved()?.exchange_awaits_return()?.exchange_shipped()?.exchange_completed()?,
    };
    order.end()?;
    Ok(())
}

/// Gift card, store credit, both with a card, and coupons.
fn other_ways_to_pay(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let holders = |wants_card: bool| {
        let all = cast.shoppers.iter().enumerate().skip(2);
        all.filter(move |(_, row)| if wants_card { row.gift_card.is_some() } else { row.has_credit })
    };
    let (nth, shopper) = holders(true).next().context("nobody has a gift card")?;
    let card = Instrument::gift_card(shopper.gift_card.context("a gift card")?);
    let (order, pay) = basket(ground, cast, nth - 1)?;
    let order =
        History::placed(ground, order)?.opened_for(&card, 3_000)?.authorized(Reply::Done)?.captured()?;
    order.paid(&pay)?.in_transit()?.delivered()?.end()?;
    let (nth, _) = holders(false).next().context("nobody has store credit")?;
    let (order, pay) = basket(ground, cast, nth - 1)?;
    let credit = Instrument::store_credit();
    let order =
        History::placed(ground, order)?.opened_for(&credit, 1_500)?.authorized(Reply::Done)?.captured()?;
    order.paid(&pay)?.in_transit()?.delivered()?.end()?;
    for (nth, code) in [(3, "WELCOME10"), (7, "FREESHIP"), (11, "ONCE20")] {
        let (order, pay) = basket(ground, cast, nth)?;
        let order = Basket { coupon: Some(cast.coupon(code)?), ..order };
        History::placed(ground, order)?.paid(&pay)?.in_transit()?.delivered()?.end()?;
    }
    Ok(())
}

/// Plain orders until there are as many as there should be.
pub(super) fn everyday(ground: &mut Ground, cast: &Cast, orders: usize) -> Result<()> {
    ensure!(ground.rows.orders.len() <= orders, "more than {orders} orders: {}", ground.rows.orders.len());
    for nth in ground.rows.orders.len()..orders {
        let (order, pay) = basket(ground, cast, nth)?;
        let order = History::placed(ground, order)?.paid(&pay)?;
        if nth.is_multiple_of(4) {
            order.in_transit()?.end()?
        } else {
            order.in_transit()?.delivered()?.end()?
        };
    }
    Ok(())
}
