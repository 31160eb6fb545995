use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::exchanges::ExchangeEvent;
use shop_domain::ids::ExchangeId;
use shop_domain::operations::operation;
use shop_domain::status::ExchangeStatus;
use shop_store::entities::{exchanges, orders, returns};

use super::view::View;
use crate::error::{Error, Result};
use crate::{Ctx, ledger, orders as order_service};

/// One exchange.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: ExchangeId) -> Result<View> {
    ctx.may(operation("get_exchange"))?;
    let (row, _) = find(ctx, ctx.read()?, id).await?;
    view(ctx.read()?, row).await
}

/// One exchange of an order in sight, with the order.
pub(super) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: ExchangeId,
) -> Result<(exchanges::Model, orders::Model)> {
    let missing = || Error::not_found(format!("exchange {id}"));
    let row = exchanges::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let order = order_service::find(ctx, conn, row.order_id).await.map_err(|_| missing())?;
    Ok((row, order))
}

/// An exchange as callers see it, inside or outside a transaction.
pub(super) async fn view(conn: &impl ConnectionTrait, row: exchanges::Model) -> Result<View> {
    let due = ledger::receivable(conn, row.order_id).await?;
    Ok(View::new(row, due))
}

/// The old goods' way back.
pub(super) async fn return_of(conn: &impl ConnectionTrait, row: &exchanges::Model) -> Result<returns::Model> {
    let id = row.return_id.ok_or_else(|| Error::internal("an exchange without a return"))?;
    let found = returns::Entity::find_by_id(id).one(conn).await?;
    found.ok_or_else(|| Error::internal("a return has vanished"))
}

/// Whether all old goods are back.
pub(super) fn is_back(row: &returns::Model) -> bool {
    row.lines.0.iter().all(|line| line.received >= line.quantity)
}

pub(super) fn after(row: &exchanges::Model, event: ExchangeEvent) -> Result<ExchangeStatus> {
    row.status.after(event).map_err(|refusal| Error::precondition("exchange_not_ready", refusal.to_string()))
}
