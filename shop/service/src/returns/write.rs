use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::ids::ReturnId;
use shop_domain::limits;
use shop_domain::operations::{Operation, operation};
use shop_domain::returns::ReturnEvent;
use shop_domain::status::ReturnStatus;
use shop_store::entities::returns;

use super::input::{Approve, Reject, check_reason};
use super::read::{find, view};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, orders};

/// Accepts a return and sets its deadline.
///
/// # Errors
/// When it is decided already, or belongs to an exchange.
pub async fn approve(ctx: &Ctx, id: ReturnId, input: Approve) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("approve_return")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_stand_alone(&row)?;
    let days = input.deadline_days.unwrap_or(limits::RETURN_DEADLINE_DAYS);
    if !(1..=limits::RETURN_DEADLINE_DAYS_MAX).contains(&days) {
        let message = format!("a deadline is 1 to {} days away", limits::RETURN_DEADLINE_DAYS_MAX);
        return Err(Error::invalid("/deadline_days", message));
    }
    let row = accept(&*tx, ctx, row, days).await?;
    orders::refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// Declines a return with a reason the customer reads.
///
/// # Errors
/// When it is decided already, or belongs to an exchange.
pub async fn reject(ctx: &Ctx, id: ReturnId, input: Reject) -> Result<Reply<View>> {
    check_reason(&input.reason)?;
    end(ctx, operation("reject_return"), id, ReturnEvent::Rejected, Some(input.reason)).await
}

/// Closes a return before anything came back.
///
/// # Errors
/// When goods are back already, or it belongs to an exchange.
pub async fn cancel(ctx: &Ctx, id: ReturnId) -> Result<Reply<View>> {
    end(ctx, operation("cancel_return"), id, ReturnEvent::Cancelled, None).await
}

async fn end(
    ctx: &Ctx,
    operation: &'static Operation,
    id: ReturnId,
    event: ReturnEvent,
    reason: Option<String>,
) -> Result<Reply<View>> {
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_stand_alone(&row)?;
    let row = close(&*tx, ctx, row, event, reason).await?;
    orders::refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// The old goods of an exchange share its fate.
fn must_stand_alone(row: &returns::Model) -> Result<()> {
    match row.exchange_id {
        Some(exchange) => Err(Error::precondition(
            "return_of_exchange",
            format!("return {} belongs to exchange {exchange}; approve or cancel that", row.id),
        )),
        None => Ok(()),
    }
}

/// Lets a return come.
pub(crate) async fn accept(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: returns::Model,
    deadline_days: i64,
) -> Result<returns::Model> {
    let status = after(&row, ReturnEvent::Approved)?;
    let deadline = ctx.now() + TimeDelta::days(deadline_days);
    let (id, order_id, version) = (row.id, row.order_id, row.version + 1);
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.deadline_at = Set(Some(deadline));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(tx).await?;
    let data = json!({ "deadline_at": deadline });
    events::record(tx, ctx, "return.approved", id, Some(order_id), data).await?;
    Ok(row)
}

/// Ends a return of which nothing came back: its units are the customer's again.
pub(crate) async fn close(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: returns::Model,
    event: ReturnEvent,
    reason: Option<String>,
) -> Result<returns::Model> {
    let status = after(&row, event)?;
    for line in orders::lines_of(tx, row.order_id).await? {
        let own = row.lines.0.iter().filter(|returned| returned.line_id == line.id);
        let units: i64 = own.map(|returned| returned.quantity).sum();
        if units > 0 {
            let left = line.return_quantity - units;
            let mut line = line.into_active_model();
            line.return_quantity = Set(left);
            line.update(tx).await?;
        }
    }
    let (id, order_id, version) = (row.id, row.order_id, row.version + 1);
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.reject_reason = Set(reason);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(tx).await?;
    events::record(tx, ctx, &format!("return.{event}"), id, Some(order_id), json!({})).await?;
    Ok(row)
}

pub(super) fn after(row: &returns::Model, event: ReturnEvent) -> Result<ReturnStatus> {
    row.status.after(event).map_err(|refusal| Error::precondition("return_not_ready", refusal.to_string()))
}
