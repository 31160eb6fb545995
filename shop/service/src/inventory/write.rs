use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::EntityTrait;
use serde_json::json;
use shop_domain::ids::{CartId, ReservationId};
use shop_domain::operations::operation;
use shop_domain::status::ReservationStatus;
use shop_store::entities::{reservations, stores};

use super::holds::schedule_expiry;
use super::input::Create;
use super::stock::{end, reserve};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, carts, events, pricing};

/// Nobody holds stock for longer without buying it.
const HOLD_HOURS_MAX: i64 = 24;

/// Holds units for a cart.
///
/// # Errors
/// When the cart is out of sight or closed, or there are not enough units.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_reservation")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = carts::find_open(ctx, &*tx, input.cart_id).await?;
    pricing::check_quantity(input.quantity, "/quantity")?;
    let expires_at = until(ctx, &store, input.expires_at)?;
    let wanted = [(input.variant_id, input.quantity)];
    let lines = pricing::load_lines(ctx, &*tx, &store, cart.customer_id, &wanted).await?;
    let holder = cart.id.to_string();
    let mut held = None;
    for line in &lines {
        held = reserve(&*tx, ctx, &line.variant, line.quantity, &holder, Some(expires_at)).await?;
    }
    let row = held.ok_or_else(|| {
        Error::precondition(
            "stock_not_counted",
            "the stock of this variant is not counted: nothing need be held",
        )
    })?;
    schedule_expiry(&*tx, &ctx.shop, &holder).await?;
    let data = json!({ "variant_id": row.variant_id, "quantity": row.quantity, "cart_id": cart.id });
    events::record(&*tx, ctx, "inventory.reserved", row.id, None, data).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Gives units back that were held for a cart.
///
/// # Errors
/// When the reservation is out of sight, is an order's, or has ended.
pub async fn release(ctx: &Ctx, id: ReservationId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("release_reservation")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let missing = || Error::not_found(format!("reservation {id}"));
    let row = reservations::Entity::find_by_id(id).one(&*tx).await?.ok_or_else(missing)?;
    // Units of orders, exchanges and actions are let go by those, and only by those.
    let cart: CartId = row.holder.parse().map_err(|_| missing())?;
    carts::find(ctx, &*tx, cart).await.map_err(|_| missing())?;
    if row.status != ReservationStatus::Active {
        let detail = format!("reservation {id} is {}; there is nothing to give back", row.status);
        return Err(Error::precondition("reservation_not_active", detail));
    }
    let row = end(&*tx, row, ReservationStatus::Released).await?;
    let data = json!({ "variant_id": row.variant_id, "quantity": row.quantity, "cart_id": cart });
    events::record(&*tx, ctx, "inventory.released", id, None, data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

fn until(ctx: &Ctx, store: &stores::Model, asked: Option<DateTime<Utc>>) -> Result<DateTime<Utc>> {
    let now = ctx.now();
    let at = asked.unwrap_or_else(|| now + TimeDelta::minutes(store.policy.hold_minutes));
    if at <= now || at > now + TimeDelta::hours(HOLD_HOURS_MAX) {
        let message =
            format!("units are held until a time after {now} and at most {HOLD_HOURS_MAX} hours later");
        return Err(Error::invalid("/expires_at", message));
    }
    Ok(at)
}
