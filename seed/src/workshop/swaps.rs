//! Exchanges: in a store that wants the old goods first, and in one that trusts its customers.

use anyhow::{Context, Result};

use super::baskets::Placed::{HoursAgo, WeeksAgo};
use super::baskets::{Placed, basket_of};
use super::{Cast, Where};
use crate::ground::Ground;
use crate::history::{History, Item};

/// Baskets are numbered; all others have those before.
const FIRST_BASKET: usize = 200;

/// How far an exchange goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    Requested,
    Cancelled,
    /// In a store that waits, it waits from here on.
    Approved,
    Shipped,
    /// The old goods came back before the new ones left, so that nothing is open any more.
    Completed,
}

const SWAPS: [(Where, Placed, Until); 6] = [
    (Where::De, WeeksAgo, Until::Requested),
    (Where::De, WeeksAgo, Until::Cancelled),
    (Where::De, WeeksAgo, Until::Approved),
    (Where::De, HoursAgo(160), Until::Completed),
    (Where::Gb, WeeksAgo, Until::Approved),
    (Where::Gb, HoursAgo(90), Until::Shipped),
];

pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    for (nth, (which, placed, until)) in (FIRST_BASKET..).zip(SWAPS) {
        order(ground, cast, nth, (which, placed, until))
            .with_context(|| format!("the exchange with basket {nth}"))?;
    }
    Ok(())
}

/// Something in the wrong size.
fn order(
    ground: &mut Ground,
    cast: &Cast,
    nth: usize,
    (which, placed, until): (Where, Placed, Until),
) -> Result<()> {
    let (wrong, right) = match which {
        Where::De => ("Sneakers, black, 42", "Sneakers, black, 43"),
        Where::Gb | Where::Us => ("Lambswool jumper, M", "Lambswool jumper, L"),
    };
    let mut shoppers = cast.shoppers.iter().skip(1).filter(|shopper| shopper.lives_in == which);
    let shopper = shoppers.next().context("nobody shops there")?;
    let (mut basket, pay) = basket_of(ground, cast, shopper, nth, placed)?;
    basket.items = vec![Item { variant: cast.variant(wrong)?, quantity: 1 }];
    let right = cast.variant(right)?;
    let order = History::placed(ground, basket)?.paid(&pay)?.in_transit()?.delivered()?;
    let order = order.exchange_requested(0, &right)?;
    let order = match until {
        Until::Requested => order,
        Until::Cancelled => order.exchange_cancelled()?,
        Until::Approved => order.exchange_approved()?,
        Until::Shipped => order.exchange_approved()?.exchange_shipped(&right)?,
        Until::Completed => {
            let back = order.exchange_approved()?.return_sent()?.return_received()?.return_inspected()?;
            back.exchange_shipped(&right)?
        }
    };
    order.end()?;
    Ok(())
}
