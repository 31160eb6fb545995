//! Many more customers and orders for shops that show what size costs: two years of everyday business, all of it over.

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use fake::Fake;
use fake::faker::address::raw::StreetName;
use fake::faker::name::raw::{FirstName, LastName};
use fake::locales::EN;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use shop_domain::reasons::{CancelReason, ReturnReason};

use super::catalogue::is_ordinary;
use super::people::{self, Person};
use super::{Cast, Shopper, Where, places};
use crate::ground::Ground;
use crate::history::{Back, Basket, History, Instrument, Item, Reply};
use crate::writer::Writer;

/// Orders that are told, written and forgotten together.
const AT_ONCE: usize = 2_000;
const ORDERS_PER_CUSTOMER: usize = 10;
/// The years in which they were placed, told in days before the present. The last ones are over today.
const FIRST_DAYS_AGO: i64 = 730;
const LAST_DAYS_AGO: i64 = 30;
/// One order in so many is sent back, cancelled, or declined; the others arrive.
const SENT_BACK_EVERY: usize = 20;
const CANCELLED_EVERY: usize = 33;
const DECLINED_EVERY: usize = 50;

/// A crowd's time: each of its batches has a slice of it, so that what was before a slice is never added to.
struct Span {
    now: DateTime<Utc>,
    orders: usize,
}

impl Span {
    /// When the nth order is placed, but for the minute.
    fn at(&self, nth: usize) -> Result<DateTime<Utc>> {
        let (nth, orders) = (i64::try_from(nth)?, i64::try_from(self.orders)?);
        let minutes = (FIRST_DAYS_AGO - LAST_DAYS_AGO) * 24 * 60;
        Ok(self.now - TimeDelta::days(FIRST_DAYS_AGO) + TimeDelta::minutes(minutes * nth / orders))
    }
}

/// Tells so many orders and writes them; `told` hears how many there are.
pub(crate) async fn write(
    ground: &mut Ground,
    cast: &Cast,
    writer: &mut Writer<'_>,
    orders: usize,
    mut told: impl FnMut(usize),
) -> Result<()> {
    let span = Span { now: ground.now, orders };
    let mut number = writer.next_number();
    for first in (0..orders).step_by(AT_ONCE) {
        let last = orders.min(first + AT_ONCE);
        batch(ground, cast, &span, first..last)?;
        number += ground.number_orders(number);
        writer.write(ground, span.at(last)?).await?;
        told(last);
    }
    Ok(())
}

fn batch(ground: &mut Ground, cast: &Cast, span: &Span, of: std::ops::Range<usize>) -> Result<()> {
    let mut chance = ground.draw.chance(&format!("crowd {}", of.start));
    let joined_at = span.at(of.start)?;
    let buyers = of.len().div_ceil(ORDERS_PER_CUSTOMER);
    let buyers = (0..buyers).map(|nth| buyer(ground, cast, &mut chance, joined_at, of.start + nth));
    let buyers = buyers.collect::<Result<Vec<_>>>()?;
    for nth in of {
        let placed_at = span.at(nth)? + TimeDelta::seconds(chance.random_range(1..60));
        let (basket, pay) = basket(cast, &buyers, &mut chance, placed_at)?;
        let order = History::placed(ground, basket)?;
        live(order, nth, &pay).and_then(History::end).with_context(|| format!("the crowd's order {nth}"))?;
    }
    Ok(())
}

/// What an order of the crowd goes through.
fn live<'g>(order: History<'g>, nth: usize, pay: &Instrument) -> Result<History<'g>> {
    if nth.is_multiple_of(DECLINED_EVERY) {
        let card = Instrument::card("tok_insufficient_funds");
        return order
            .opened(&card)?
            .authorized(Reply::Refused("insufficient_funds"))?
            .cancelled(Some(CancelReason::NoLongerNeeded));
    }
    if nth.is_multiple_of(CANCELLED_EVERY) {
        return order
            .paid(pay)?
            .cancelled(Some(CancelReason::NoLongerNeeded))?
            .refunded(Back::unshipped(&[0, 1]));
    }
    let order = order.paid(pay)?.in_transit()?.delivered()?;
    if nth.is_multiple_of(SENT_BACK_EVERY) {
        let back = order.came_back(&[0], ReturnReason::Faulty)?.return_inspected()?;
        return back.refunded(Back::returned(&[0]));
    }
    Ok(order)
}

fn buyer(
    ground: &mut Ground,
    cast: &Cast,
    chance: &mut ChaCha8Rng,
    joined_at: DateTime<Utc>,
    nth: usize,
) -> Result<Shopper> {
    let lives_in = *Where::ALL.choose(chance).context("no store")?;
    let (first_name, last_name): (&str, &str) =
        (FirstName(EN).fake_with_rng(chance), LastName(EN).fake_with_rng(chance));
    let person = Person {
        email: format!("{}.{}{nth}@crowd.example.com", people::plain(first_name), people::plain(last_name)),
        first_name: first_name.to_owned(),
        last_name: last_name.to_owned(),
        phone: None,
        joined_at,
    };
    let mut shopper = people::customer(ground, &cast.sites.of(lives_in).store, lives_in, person);
    let street: String = StreetName(EN).fake_with_rng(chance);
    let town = places::towns(lives_in).choose(chance).context("a country without towns")?;
    let line1 = format!("{} {street}", chance.random_range(1..180));
    people::address(ground, &mut shopper, ("Home", &line1, "", *town));
    people::saved(ground, &mut shopper, people::VISA);
    Ok(shopper)
}

fn basket<'a>(
    cast: &'a Cast,
    buyers: &'a [Shopper],
    chance: &mut ChaCha8Rng,
    placed_at: DateTime<Utc>,
) -> Result<(Basket<'a>, Instrument)> {
    let shopper = buyers.choose(chance).context("nobody shops here")?;
    let site = cast.sites.of(shopper.lives_in);
    let sold: Vec<_> = cast.stock.of(shopper.lives_in).iter().filter(|row| is_ordinary(row)).collect();
    let chosen = sold.sample(chance, 2).map(|variant| Item { variant: (*variant).clone(), quantity: 1 });
    let items: Vec<Item> = chosen.collect();
    ensure!(items.len() == 2, "a store with nothing to sell");
    let basket = Basket {
        site,
        customer: &shopper.customer,
        address: shopper.addresses.first().context("a customer without an address")?.address.clone(),
        items,
        method: site.methods.first().cloned(),
        coupon: None,
        placed_at,
    };
    let method = shopper.methods.first().context("a customer without a payment method")?;
    Ok((basket, Instrument::saved(method)))
}
