//! The workshop shop: two brands, three stores, at least sixty products, forty customers, and a hundred and twenty
//! orders that cover every combination of statuses; and everything else there is, in every status.

mod ada;
mod audit;
mod baskets;
mod carts;
mod catalog;
mod catalogue;
pub(crate) mod combinations;
pub(crate) mod crowd;
mod customers;
mod deals;
mod disputes;
mod gift_cards;
mod inventory;
mod lives;
mod offers;
mod order_edits;
mod org;
mod payments;
mod people;
mod places;
mod products;
mod reviews;
mod swaps;
mod tickets;
mod webhooks;

use anyhow::{Context, Result};
use shop_store::entities::{coupons, promotions, variants};

pub(crate) use people::Shopper;

use crate::Demo;
use crate::ground::Ground;
use crate::history::Site;

/// How many orders there are before the [`rest`].
const ORDERS: usize = 120;
/// The first number after those that the tutorials name.
const FIRST_NUMBER: i64 = 1_011;

/// Which of the three stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    De,
    Gb,
    Us,
}

impl Where {
    pub(crate) const ALL: [Self; 3] = [Self::De, Self::Gb, Self::Us];

    pub(crate) const fn country(self) -> &'static str {
        match self {
            Self::De => "DE",
            Self::Gb => "GB",
            Self::Us => "US",
        }
    }
}

/// One of a thing for each store.
#[derive(Clone)]
pub(crate) struct Each<T> {
    de: T,
    gb: T,
    us: T,
}

impl<T> Each<T> {
    fn try_new(mut make: impl FnMut(Where) -> Result<T>) -> Result<Self> {
        Ok(Self { de: make(Where::De)?, gb: make(Where::Gb)?, us: make(Where::Us)? })
    }

    pub(crate) const fn of(&self, which: Where) -> &T {
        match which {
            Where::De => &self.de,
            Where::Gb => &self.gb,
            Where::Us => &self.us,
        }
    }
}

/// Everything that histories are made of.
pub(crate) struct Cast {
    pub(crate) sites: Each<Site>,
    pub(crate) stock: Each<Vec<variants::Model>>,
    pub(crate) coupons: Vec<(coupons::Model, promotions::Model)>,
    /// Ada first, Bob second.
    pub(crate) shoppers: Vec<Shopper>,
}

impl Cast {
    pub(crate) fn variant(&self, title: &str) -> Result<variants::Model> {
        let all = Where::ALL.into_iter().flat_map(|which| self.stock.of(which));
        all.clone()
            .find(|row| row.title == title)
            .cloned()
            .with_context(|| format!("nothing is called {title}"))
    }

    pub(crate) fn coupon(&self, code: &str) -> Result<(coupons::Model, promotions::Model)> {
        let found = self.coupons.iter().find(|(coupon, _)| coupon.code == code);
        found.cloned().with_context(|| format!("there is no coupon {code}"))
    }

    pub(crate) fn shopper(&self, nth: usize) -> Result<&Shopper> {
        self.shoppers.get(nth % self.shoppers.len().max(1)).context("nobody shops here")
    }
}

/// Fills a shop; returns what tutorials name, and who and what more can be told of.
pub(crate) fn build(ground: &mut Ground) -> Result<(Demo, Cast)> {
    let org = org::build(ground)?;
    let stock = catalogue::build(ground, &org);
    let coupons = offers::build(ground);
    let shoppers = people::build(ground, &org)?;
    let sites = Each::try_new(|which| org.site(which))?;
    let cast = Cast { sites, stock, coupons, shoppers };
    let mut demo = ada::orders(ground, &cast)?;
    ada::cart(ground, &cast, &mut demo)?;
    combinations::orders(ground, &cast)?;
    lives::orders(ground, &cast)?;
    swaps::orders(ground, &cast)?;
    lives::everyday(ground, &cast, ORDERS)?;
    deals::build(ground, &cast)?;
    let next = FIRST_NUMBER + ground.number_orders(FIRST_NUMBER);
    reviews::build(ground)?;
    tickets::build(ground, &demo)?;
    rest(ground, &cast)?;
    ground.number_orders(next);
    webhooks::build(ground)?;
    audit::build(ground)?;
    ground.set(shop_service::principals::DEMO_PRINCIPAL, "ada");
    Ok((demo, cast))
}

/// Whatever else can be in a shop, in every state. It comes after everything that has a name or a number elsewhere, so
/// that this keeps its ids, and its orders have the numbers behind all others.
fn rest(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let retired = catalog::build(ground, cast)?;
    inventory::build(ground, cast, &retired)?;
    payments::orders(ground, cast)?;
    order_edits::orders(ground, cast)?;
    disputes::orders(ground, cast)?;
    carts::build(ground, cast)?;
    let survivor = customers::build(ground, cast)?;
    gift_cards::build(ground, cast, &survivor)
}
