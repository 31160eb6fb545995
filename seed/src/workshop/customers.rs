//! Customers who may not buy any more: one who was blocked, one whose account was a second one, and one who wanted to
//! be forgotten.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shop_domain::customers::CustomerEvent;
use shop_domain::ids::{ActionId, CustomerId, OrderId, ReservationId};
use shop_domain::status::{CartStatus, ReservationStatus};
use shop_service::customers::{ERASED, erased_address};
use shop_store::columns::Tags;
use shop_store::entities::{customers, holds, orders, reservations};

use super::baskets::Placed::WeeksAgo;
use super::baskets::basket_of;
use super::people::{self, Person};
use super::{Cast, Shopper, Where, carts};
use crate::ground::Ground;
use crate::history::History;
use crate::value::Purse;

/// Baskets are numbered; nobody else has these.
const FIRST_BASKET: usize = 1_400;
/// Credit of the second account.
const CREDIT_MINOR: i64 = 1_500;

/// Returns the customer into whom another one was folded.
pub(super) fn build(ground: &mut Ground, cast: &Cast) -> Result<Shopper> {
    let suspect = account(ground, cast, ("Victor", "Sharp", "victor.sharp"), ("Home", "3 Mill Lane"));
    blocked(ground, suspect.customer.id)?;
    let survivor = account(ground, cast, ("Grace", "Hill", "grace.hill"), ("Home", "18 Orchard Close"));
    let duplicate = account(ground, cast, ("Grace", "Hill", "g.hill.work"), ("Office", "2 Exchange Square"));
    let order = arrived(ground, cast, &duplicate, FIRST_BASKET)?;
    merged(ground, (&survivor, &duplicate), order)?;
    let leaver = account(ground, cast, ("Arthur", "Penn", "arthur.penn"), ("Home", "41 Quay Street"));
    let order = arrived(ground, cast, &leaver, FIRST_BASKET + 1)?;
    left_behind(ground, cast, &leaver)?;
    anonymized(ground, &leaver, order)?;
    Ok(survivor)
}

fn account(
    ground: &mut Ground,
    cast: &Cast,
    (first_name, last_name, mail): (&str, &str, &str),
    (label, line1): (&str, &str),
) -> Shopper {
    let person = Person {
        first_name: first_name.to_owned(),
        last_name: last_name.to_owned(),
        email: format!("{mail}@example.com"),
        phone: None,
        joined_at: ground.now - TimeDelta::days(60),
    };
    let store = &cast.sites.of(Where::Gb).store;
    let mut shopper = people::customer(ground, store, Where::Gb, person);
    people::address(ground, &mut shopper, (label, line1, "", ("York", "YO1 7HH", "")));
    people::saved(ground, &mut shopper, people::VISA);
    shopper
}

fn arrived(ground: &mut Ground, cast: &Cast, shopper: &Shopper, nth: usize) -> Result<OrderId> {
    let (basket, pay) = basket_of(ground, cast, shopper, nth, WeeksAgo)?;
    History::placed(ground, basket)?.paid(&pay)?.in_transit()?.delivered()?.end()
}

fn blocked(ground: &mut Ground, id: CustomerId) -> Result<()> {
    let at = ground.now - TimeDelta::days(9);
    moves(ground, at, id, CustomerEvent::Blocked)?;
    let data = json!({ "reason": "three cards of three people in one hour" });
    ground.books.event(&ground.draw, at, "customer.blocked", id, None, data);
    Ok(())
}

/// Everything of the second account is the first one's from here on.
fn merged(ground: &mut Ground, (survivor, duplicate): (&Shopper, &Shopper), order_id: OrderId) -> Result<()> {
    let (to, from, currency) =
        (survivor.customer.id, duplicate.customer.id, order(ground, order_id)?.currency);
    ground.issue_credit(duplicate.customer.created_at, from, currency, CREDIT_MINOR)?;
    let at = ground.now - TimeDelta::days(5);
    for row in ground.rows.addresses.iter_mut().filter(|row| row.customer_id == from) {
        row.customer_id = to;
        row.is_default = false;
    }
    for row in ground.rows.payment_methods.iter_mut().filter(|row| row.customer_id == from) {
        row.customer_id = to;
        row.is_default = false;
    }
    order(ground, order_id)?.customer_id = Some(to);
    for (owner, minor, why) in [
        (from, -CREDIT_MINOR, format!("merged into {to}")),
        (to, CREDIT_MINOR, format!("merged from {from}")),
    ] {
        ground.change(at, Purse::Credit(owner, currency), minor, "merge", None)?;
        ground.rows.credit_entries.last_mut().context("credit that was just moved")?.reason = why;
    }
    let row = customer(ground, to)?;
    row.updated_at = at;
    row.version += 1;
    let data = json!({ "duplicate_id": from });
    ground.books.event(&ground.draw, at, "customer.merged", to, None, data);
    moves(ground, at, from, CustomerEvent::Merged)?;
    customer(ground, from)?.merged_into = Some(to);
    let data = json!({ "survivor_id": to });
    ground.books.event(&ground.draw, at, "customer.merged_into", from, None, data);
    Ok(())
}

/// A cart that was never ordered, whose goods were held for half an hour; and an agent's checkout, whose goods and
/// coupon were.
fn left_behind(ground: &mut Ground, cast: &Cast, shopper: &Shopper) -> Result<()> {
    let at = ground.now - TimeDelta::days(12);
    let (basket, _) = basket_of(ground, cast, shopper, FIRST_BASKET + 2, WeeksAgo)?;
    let cart = carts::filled(ground, at, &basket);
    let checkout = ground.draw.id(at, ActionId::new);
    let until = at + TimeDelta::minutes(basket.site.store.policy.hold_minutes);
    for (item, holder) in basket.items.iter().zip([cart.to_string(), checkout.to_string()]) {
        let (variant_id, quantity) = (item.variant.id, i64::from(item.quantity));
        let row = reservations::Model {
            id: ground.draw.id(at, ReservationId::new),
            variant_id,
            location_id: basket.site.location_id,
            quantity,
            holder,
            status: ReservationStatus::Expired,
            expires_at: Some(until),
            created_at: at,
        };
        if row.holder == cart.to_string() {
            let data = json!({ "variant_id": variant_id, "quantity": quantity, "cart_id": cart });
            ground.books.event(&ground.draw, at, "inventory.reserved", row.id, None, data);
        }
        ground.rows.reservations.push(row);
    }
    let (coupon, _) = cast.coupon("WELCOME10")?;
    ground.rows.holds.push(holds::Model {
        id: ground.draw.id(at, ReservationId::new),
        kind: "coupon".to_owned(),
        subject: coupon.id.to_string(),
        amount: 1,
        holder: checkout.to_string(),
        status: ReservationStatus::Expired,
        expires_at: Some(until),
        created_at: at,
    });
    Ok(())
}

/// Who they were goes, wherever it is written down; what they bought stays.
fn anonymized(ground: &mut Ground, shopper: &Shopper, order_id: OrderId) -> Result<()> {
    let (at, id) = (ground.now - TimeDelta::days(3), shopper.customer.id);
    moves(ground, at, id, CustomerEvent::Anonymized)?;
    let row = customer(ground, id)?;
    row.email = format!("{id}@erased.invalid");
    row.first_name = ERASED.to_owned();
    row.last_name = ERASED.to_owned();
    row.phone = None;
    row.tags = Tags::default();
    let rows = &mut ground.rows;
    rows.addresses.retain(|row| row.customer_id != id);
    for row in rows.payment_methods.iter_mut().filter(|row| row.customer_id == id) {
        row.token = None;
        row.brand = None;
        row.last4 = None;
        row.label = ERASED.to_owned();
        row.is_default = false;
        row.detached_at = Some(at);
        row.version += 1;
    }
    for row in rows.carts.iter_mut().filter(|row| row.customer_id == Some(id)) {
        row.address_id = None;
        row.shipping_address = None;
        row.status = CartStatus::Abandoned;
        row.updated_at = at;
        row.version += 1;
    }
    forgotten(ground, at, order_id)?;
    ground.books.event(&ground.draw, at, "customer.anonymized", id, None, json!({}));
    Ok(())
}

/// An order that leads to nobody.
fn forgotten(ground: &mut Ground, at: DateTime<Utc>, order_id: OrderId) -> Result<()> {
    let row = order(ground, order_id)?;
    row.shipping_address = erased_address(&row.shipping_address.country);
    row.contact_email = ERASED.to_owned();
    row.contact_phone = None;
    row.updated_at = at;
    row.version += 1;
    let rows = &mut ground.rows;
    rows.payments.iter_mut().filter(|row| row.order_id == order_id).for_each(|row| row.token = None);
    for parcel in rows.fulfillments.iter_mut().filter(|row| row.order_id == order_id) {
        parcel.destination = erased_address(&parcel.destination.country);
        parcel.updated_at = at;
        parcel.version += 1;
        let scans = ground.books.numbered.scans.iter_mut().filter(|scan| scan.fulfillment_id == parcel.id);
        scans.for_each(|scan| scan.place = ERASED.to_owned());
    }
    Ok(())
}

fn moves(ground: &mut Ground, at: DateTime<Utc>, id: CustomerId, event: CustomerEvent) -> Result<()> {
    let row = customer(ground, id)?;
    row.status = row.status.after(event)?;
    row.updated_at = at;
    row.version += 1;
    Ok(())
}

fn customer(ground: &mut Ground, id: CustomerId) -> Result<&mut customers::Model> {
    ground.rows.customers.iter_mut().find(|row| row.id == id).context("a customer who never came")
}

fn order(ground: &mut Ground, id: OrderId) -> Result<&mut orders::Model> {
    ground.rows.orders.iter_mut().find(|row| row.id == id).context("an order that was never placed")
}
