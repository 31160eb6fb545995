//! Gift cards that came to an end, and one onto which money went back.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use shop_domain::ids::{CustomerId, GiftCardId};
use shop_domain::ledger;
use shop_domain::reasons::RefundReason;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::gift_cards;

use super::baskets::Placed::WeeksAgo;
use super::baskets::basket_of;
use super::{Cast, Shopper};
use crate::books::Refs;
use crate::ground::Ground;
use crate::history::{Back, History};
use crate::value::{NewCard, Purse};

/// Baskets are numbered; nobody else has this one.
const BASKET: usize = 1_500;

pub(super) fn build(ground: &mut Ground, cast: &Cast, holder: &Shopper) -> Result<()> {
    let mut chance = ground.draw.chance("gift cards");
    let at = ground.now - TimeDelta::days(28);
    let nobodys = issued(ground, at, (cast, holder), None, &mut chance)?;
    disabled(ground, at + TimeDelta::days(20), nobodys)?;
    let customer = Some(holder.customer.id);
    let redeemed_card = issued(ground, at, (cast, holder), customer, &mut chance)?;
    redeemed(ground, at + TimeDelta::days(25), redeemed_card, holder.customer.id)?;
    let card = issued(ground, at, (cast, holder), customer, &mut chance)?;
    let (basket, pay) = basket_of(ground, cast, holder, BASKET, WeeksAgo)?;
    let order = History::placed(ground, basket)?.paid(&pay)?.in_transit()?.delivered()?.wait_hours(20);
    order.refunded(Back::kept(&[0], RefundReason::Damaged).onto_card(card))?.end()?;
    Ok(())
}

fn issued(
    ground: &mut Ground,
    at: DateTime<Utc>,
    (cast, holder): (&Cast, &Shopper),
    customer_id: Option<CustomerId>,
    chance: &mut ChaCha8Rng,
) -> Result<GiftCardId> {
    let store = &cast.sites.of(holder.lives_in).store;
    let card = NewCard {
        external_id: None,
        code: format!("GIFT-{:08}", chance.random_range(0..100_000_000)),
        customer_id,
        store_id: store.id,
        currency: store.currency,
        minor: 2_500,
    };
    let data = json!({ "amount_minor": card.minor, "currency": card.currency });
    let id = ground.issue_card(at, card)?;
    ground.books.event(&ground.draw, at, "gift_card.issued", id, None, data);
    Ok(id)
}

/// A code that somebody published: what is on it is lost.
fn disabled(ground: &mut Ground, at: DateTime<Utc>, id: GiftCardId) -> Result<()> {
    let card = card(ground, id)?.clone();
    let lost = card.balance_minor;
    ground.change(at, Purse::Card(id), -lost, "disabled", None)?;
    let postings = ledger::gift_card_disabled(lost)?;
    ground.books.post(&ground.draw, at, &postings, Refs::of(card.currency), "gift_card_disabled")?;
    end(ground, id, GiftCardStatus::Disabled)?;
    let data = json!({ "amount_minor": lost, "reason": "its code was published" });
    ground.books.event(&ground.draw, at, "gift_card.disabled", id, None, data);
    Ok(())
}

/// All of it became store credit.
fn redeemed(ground: &mut Ground, at: DateTime<Utc>, id: GiftCardId, customer: CustomerId) -> Result<()> {
    let card = card(ground, id)?.clone();
    let amount = card.balance_minor;
    ground.change(at, Purse::Card(id), -amount, "redeemed", None)?;
    ground.change(at, Purse::Credit(customer, card.currency), amount, "gift_card", None)?;
    let entry = ground.rows.credit_entries.last_mut().context("credit that was just given")?;
    entry.reason = format!("gift card ending in {}", card.last4);
    let postings = ledger::gift_card_redeemed(amount)?;
    ground.books.post(&ground.draw, at, &postings, Refs::of(card.currency), "gift_card_redeemed")?;
    end(ground, id, GiftCardStatus::Spent)?;
    let data = json!({ "amount_minor": amount, "customer_id": customer });
    ground.books.event(&ground.draw, at, "gift_card.redeemed", id, None, data);
    Ok(())
}

fn end(ground: &mut Ground, id: GiftCardId, status: GiftCardStatus) -> Result<()> {
    card(ground, id)?.status = status;
    Ok(())
}

fn card(ground: &mut Ground, id: GiftCardId) -> Result<&mut gift_cards::Model> {
    ground.rows.gift_cards.iter_mut().find(|card| card.id == id).context("a card that was never issued")
}
