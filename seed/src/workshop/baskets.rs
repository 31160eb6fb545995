//! What ordinary customers put into their baskets, and what they pay with.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::catalogue::is_ordinary;
use super::{Cast, Shopper, Where};
use crate::ground::Ground;
use crate::history::{Basket, Instrument, Item};

/// When an order is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placed {
    /// Long enough ago for everything to have happened, and not too long for a return.
    WeeksAgo,
    /// For what would not stay as it is: parcels on their way arrive by themselves.
    HoursAgo(i64),
}

/// The nth basket of two ordinary things, and what is paid with. Baskets go round among the customers.
pub(super) fn basket<'a>(
    ground: &Ground,
    cast: &'a Cast,
    nth: usize,
    placed: Placed,
) -> Result<(Basket<'a>, Instrument)> {
    // Ada's orders are those that the tutorials name, and no others.
    let others = cast.shoppers.get(1..).filter(|others| !others.is_empty()).context("nobody shops here")?;
    let shopper = others.iter().cycle().nth(nth).context("nobody shops here")?;
    basket_of(ground, cast, shopper, nth, placed)
}

/// The same of those outside Germany, whose stock no tutorial counts.
pub(super) fn basket_abroad<'a>(
    ground: &Ground,
    cast: &'a Cast,
    nth: usize,
    placed: Placed,
) -> Result<(Basket<'a>, Instrument)> {
    let abroad: Vec<_> = cast.shoppers.iter().filter(|shopper| shopper.lives_in != Where::De).collect();
    let shopper = abroad.iter().cycle().nth(nth).context("nobody shops abroad")?;
    basket_of(ground, cast, shopper, nth, placed)
}

/// The same for one customer.
pub(super) fn basket_of<'a>(
    ground: &Ground,
    cast: &'a Cast,
    shopper: &'a Shopper,
    nth: usize,
    placed: Placed,
) -> Result<(Basket<'a>, Instrument)> {
    let mut chance = ground.draw.chance(&format!("basket {nth}"));
    let site = cast.sites.of(shopper.lives_in);
    let sold: Vec<_> = cast.stock.of(shopper.lives_in).iter().filter(|row| is_ordinary(row)).collect();
    let quantity = if nth.is_multiple_of(3) { 2 } else { 1 };
    let chosen = sold.sample(&mut chance, 2);
    let items: Vec<Item> = chosen.map(|variant| Item { variant: (*variant).clone(), quantity }).collect();
    ensure!(items.len() == 2, "a store with nothing to sell");
    let ago = match placed {
        Placed::WeeksAgo => TimeDelta::minutes(chance.random_range(18 * 24 * 60..26 * 24 * 60)),
        Placed::HoursAgo(hours) => TimeDelta::hours(hours) + TimeDelta::minutes(chance.random_range(0..60)),
    };
    let basket = Basket {
        site,
        customer: &shopper.customer,
        address: shopper.addresses.first().context("a customer without an address")?.address.clone(),
        items,
        method: site.methods.first().cloned(),
        coupon: None,
        placed_at: ground.now - ago,
    };
    let method = shopper.methods.first().context("a customer without a payment method")?;
    Ok((basket, Instrument::saved(method)))
}
