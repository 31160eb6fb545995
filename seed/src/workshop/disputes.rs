//! One dispute in every state: what a bank took back, and what came of it.

use anyhow::{Context, Result};

use super::Cast;
use super::baskets::Placed::{HoursAgo, WeeksAgo};
use super::baskets::{Placed, basket_abroad};
use super::lives::Life;
use crate::ground::Ground;
use crate::history::{History, Instrument};

/// Baskets are numbered; nobody else has these.
const FIRST_BASKET: usize = 1_200;
/// Days for the bank to ask, and few enough for its deadline to be ahead.
const RECENTLY: Placed = HoursAgo(7 * 24);
const PROOF: &str = "Delivered to the door of the address on the card; the carrier has a photo of it.";

/// What each goes through once it is disputed.
const CASES: &[(Placed, Life)] = &[
    (RECENTLY, |order, _| Ok(order)),
    (RECENTLY, |order, _| order.contested(PROOF, true)),
    (WeeksAgo, |order, _| order.contested(PROOF, true)?.dispute_decided(true)),
    (WeeksAgo, |order, _| order.contested("We are sure that it arrived.", false)?.dispute_decided(false)),
    (WeeksAgo, |order, _| order.dispute_unanswered()),
    (WeeksAgo, |order, _| order.dispute_accepted()),
];

pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let card = Instrument::card("tok_dispute_later");
    for (nth, (placed, life)) in (FIRST_BASKET..).zip(CASES) {
        let (basket, _) = basket_abroad(ground, cast, nth, *placed)?;
        let order = History::placed(ground, basket)?.paid(&card)?.in_transit()?.delivered()?.disputed()?;
        let order = life(order, &card).and_then(History::end);
        order.with_context(|| format!("the dispute of basket {nth}"))?;
    }
    Ok(())
}
