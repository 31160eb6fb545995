//! Orders whose items staff change, with the links on which the difference is paid, and what staff noted on them.

use anyhow::{Context, Result};
use chrono::TimeDelta;
use shop_domain::ids::{NoteId, OrderId, PrincipalId};
use shop_domain::reasons::CancelReason;
use shop_store::entities::order_notes;

use super::Cast;
use super::baskets::Placed::{HoursAgo, WeeksAgo};
use super::baskets::{Placed, basket_abroad};
use super::tickets::named;
use crate::ground::Ground;
use crate::history::{History, Instrument};

/// Baskets are numbered; nobody else has these.
const FIRST_BASKET: usize = 1_100;

/// What an order goes through at the hands of somebody; and what they note about it.
type Case = (Placed, for<'g> fn(History<'g>, &Instrument, PrincipalId) -> Result<History<'g>>, &'static str);

const CASES: &[Case] = &[
    (
        HoursAgo(12),
        |order, pay, by| order.paid(pay)?.edit_begun(by, 0, 1),
        "Called: wants one more, and will ring back about the colour.",
    ),
    (
        HoursAgo(30),
        |order, pay, by| order.paid(pay)?.edit_begun(by, 0, 2)?.edit_discarded(),
        "Changed their mind; nothing was changed.",
    ),
    // What it costs more is still due, and there is a page for it.
    (
        HoursAgo(20),
        |order, pay, by| order.paid(pay)?.edit_begun(by, 1, 1)?.edit_committed()?.link_made(by),
        "Sent the link for the difference by mail.",
    ),
    // What it cost more was paid.
    (
        WeeksAgo,
        |order, pay, by| {
            let edited = order.paid(pay)?.edit_begun(by, 1, 1)?.edit_committed()?.link_made(by)?;
            edited.link_paid(&Instrument::card("tok_visa"))?.in_transit()?.delivered()
        },
        "",
    ),
    (HoursAgo(8), |order, _, by| order.link_made(by), ""),
    // Nobody paid.
    (WeeksAgo, |order, _, by| order.link_made(by), "Wrote twice, no answer."),
    (
        WeeksAgo,
        |order, _, by| order.link_made(by)?.wait_hours(5).cancelled(Some(CancelReason::NoLongerNeeded)),
        "",
    ),
];

pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let by = named(ground, "admin")?.id;
    for (nth, (placed, life, note)) in (FIRST_BASKET..).zip(CASES) {
        let (basket, pay) = basket_abroad(ground, cast, nth, *placed)?;
        let order = life(History::placed(ground, basket)?, &pay, by).and_then(History::end);
        let order = order.with_context(|| format!("the edit of basket {nth}"))?;
        if !note.is_empty() {
            noted(ground, order, note)?;
        }
    }
    Ok(())
}

fn noted(ground: &mut Ground, order_id: OrderId, text: &str) -> Result<()> {
    let author = named(ground, "admin")?;
    let at = ground.now - TimeDelta::hours(1);
    ground.rows.order_notes.push(order_notes::Model {
        id: ground.draw.id(at, NoteId::new),
        order_id,
        author_id: author.id,
        author_name: author.name,
        text: text.to_owned(),
        created_at: at,
    });
    Ok(())
}
