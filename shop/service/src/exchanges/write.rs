use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::exchanges::ExchangeEvent;
use shop_domain::ids::ExchangeId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::returns::ReturnEvent;
use shop_domain::status::{ExchangeStatus, ReservationStatus};
use shop_store::columns::ReturnLines;
use shop_store::entities::{exchanges, returns};

use super::books::{carve, line_of, reprice};
use super::quote::old_units;
use super::read::{after, find, return_of, view};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, after_sales, events, inventory, orders as order_service, returns as return_service};

/// Accepts an exchange and fixes its difference: it is due on the order, or owed back, from here on.
///
/// # Errors
/// When it is decided already.
pub async fn approve(ctx: &Ctx, id: ExchangeId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("approve_exchange")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let mut status = after(&row, ExchangeEvent::Approved)?;
    if after_sales::policy_of(&*tx, &order).await?.exchange_waits_for_return {
        status = status
            .after(ExchangeEvent::ReturnAwaited)
            .map_err(|refusal| Error::precondition("exchange_not_ready", refusal.to_string()))?;
    }
    let mut lines = row.lines.clone();
    let mut inbound = return_of(&*tx, &row).await?;
    let (mut priced, mut difference) = (Vec::new(), 0);
    for (line, back) in lines.0.iter_mut().zip(&mut inbound.lines.0) {
        let own = carve(&*tx, ctx, line).await?;
        let (old, new) = (old_units(line), old_units(line).at_price(line.new_price_minor)?);
        difference += new.total_minor()? - old.total_minor()?;
        line.line_id = own.id;
        back.line_id = own.id;
        priced.push((own, new));
    }
    reprice(&*tx, ctx, &order, priced).await?;
    move_return(&*tx, inbound.clone()).await?;
    return_service::accept(&*tx, ctx, inbound, limits::RETURN_DEADLINE_DAYS).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.lines = Set(lines);
    row.difference_minor = Set(difference);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "difference_minor": difference });
    events::record(&*tx, ctx, "exchange.approved", id, Some(order.id), data).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// The return follows its units to lines of their own.
async fn move_return(tx: &impl ConnectionTrait, inbound: returns::Model) -> Result<()> {
    let lines: ReturnLines = inbound.lines.clone();
    let mut row = inbound.into_active_model();
    row.lines = Set(lines);
    row.update(tx).await?;
    Ok(())
}

/// Undoes an exchange before the new goods leave: their hold ends, and what the old goods cost counts again. Old
/// goods that are back already become an ordinary return that can be refunded.
///
/// # Errors
/// When the new goods have left, or it was cancelled already.
pub async fn cancel(ctx: &Ctx, id: ExchangeId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("cancel_exchange")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, ExchangeEvent::Cancelled)?;
    if row.status != ExchangeStatus::Requested {
        let mut priced = Vec::new();
        for line in &row.lines.0 {
            priced.push((line_of(&*tx, line.line_id).await?, old_units(line)));
        }
        reprice(&*tx, ctx, &order, priced).await?;
    }
    inventory::release(&*tx, &id.to_string(), ReservationStatus::Released).await?;
    give_up_return(&*tx, ctx, &row).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "exchange.cancelled", id, Some(order.id), json!({})).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

async fn give_up_return(tx: &impl ConnectionTrait, ctx: &Ctx, row: &exchanges::Model) -> Result<()> {
    let inbound = return_of(tx, row).await?;
    if inbound.lines.0.iter().all(|line| line.received == 0) {
        return_service::close(tx, ctx, inbound, ReturnEvent::Cancelled, None).await?;
        return Ok(());
    }
    for back in &inbound.lines.0 {
        let line = line_of(tx, back.line_id).await?;
        let received = line.received_quantity + back.received;
        let mut line = line.into_active_model();
        line.received_quantity = Set(received);
        line.update(tx).await?;
    }
    let version = inbound.version + 1;
    let mut inbound = inbound.into_active_model();
    inbound.exchange_id = Set(None);
    inbound.updated_at = Set(ctx.now());
    inbound.version = Set(version);
    inbound.update(tx).await?;
    Ok(())
}
