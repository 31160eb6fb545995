//! Payments and refunds that go other ways than most: calls that never left or were made void, money that no gateway
//! sees, and the two ways back that others leave out.

use anyhow::{Context, Result};
use shop_domain::status::{InstrumentKind, RefundKind};

use super::Cast;
use super::baskets::Placed::WeeksAgo;
use super::baskets::basket_abroad;
use super::lives::Life;
use crate::ground::Ground;
use crate::history::{Back, Basket, History, Reply};

/// Baskets are numbered; nobody else has these.
const FIRST_BASKET: usize = 1_000;

const LIVES: &[Life] = &[
    // The line was down, and was up again.
    |order, pay| arrived(order.opened(pay)?.authorized(Reply::NotSent)?.authorized(Reply::Done)?.captured()?),
    // Nobody ever answered: that call can have no effect any more, and another one took the money.
    |order, pay| arrived(order.opened(pay)?.authorized(Reply::Fenced)?.held_on(pay)?.captured()?),
    |order, pay| order.held_on(pay)?.capture_sent(Reply::NotSent),
    |order, _| arrived(order.paid_offline(InstrumentKind::Cash)?),
    |order, _| arrived(order.paid_offline(InstrumentKind::BankTransfer)?),
];

pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let mut nth = FIRST_BASKET;
    for life in LIVES {
        let (basket, pay) = basket_abroad(ground, cast, nth, WeeksAgo)?;
        let order = life(History::placed(ground, basket)?, &pay);
        order.and_then(History::end).with_context(|| format!("the payment of basket {nth}"))?;
        nth += 1;
    }
    slower(ground, cast, nth)
}

/// Express was paid for and standard was sent, so the difference goes back.
fn slower(ground: &mut Ground, cast: &Cast, nth: usize) -> Result<()> {
    let (basket, pay) = basket_abroad(ground, cast, nth, WeeksAgo)?;
    let method = |name: &str| basket.site.methods.iter().find(|row| row.name == name).cloned();
    let express = method("Express").context("nobody is in a hurry")?;
    let standard = method("Standard").context("everybody is in a hurry")?;
    let minor = express.price_minor - standard.price_minor;
    let basket = Basket { method: Some(express), ..basket };
    let order = History::placed(ground, basket)?.paid(&pay)?.sent()?.by_method("Standard")?;
    let order = order.scanned()?.delivered()?;
    order.refunded(Back::shipping(RefundKind::ShippingDifference, minor))?.end()?;
    Ok(())
}

fn arrived(order: History<'_>) -> Result<History<'_>> {
    order.in_transit()?.delivered()
}
