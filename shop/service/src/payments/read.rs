use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::ids::{OrderId, PaymentId};
use shop_domain::operations::operation;
use shop_store::entities::{attempts, payments};

use super::input::Filter;
use super::view::{Attempt, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, orders};

/// Payments in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_payments"))?;
    let limit = page.limit()?;
    let mut query = payments::Entity::find()
        .filter(payments::Column::OrderId.in_subquery(orders::ids_in_sight(&ctx.principal.scope)));
    if let Some(order) = filter.order_id {
        query = query.filter(payments::Column::OrderId.eq(order));
    }
    if let Some(status) = filter.status {
        query = query.filter(payments::Column::Status.eq(status));
    }
    if let Some(before) = page.after::<PaymentId>()? {
        query = query.filter(payments::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(payments::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One payment.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: PaymentId) -> Result<View> {
    ctx.may(operation("get_payment"))?;
    Ok(find(ctx, ctx.read()?, id).await?.into())
}

/// Every gateway call of a payment, oldest first, refunds included.
///
/// # Errors
/// When it is out of sight.
pub async fn list_attempts(ctx: &Ctx, id: PaymentId, page: PageQuery) -> Result<Page<Attempt>> {
    ctx.may(operation("list_payment_attempts"))?;
    find(ctx, ctx.read()?, id).await?;
    let limit = page.limit()?;
    let mut query = attempts::Entity::find().filter(attempts::Column::PaymentId.eq(id));
    if let Some(after) = page.after::<shop_domain::ids::AttemptId>()? {
        query = query.filter(attempts::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(attempts::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Attempt::from))
}

/// One payment of an order in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: PaymentId) -> Result<payments::Model> {
    let missing = || Error::not_found(format!("payment {id}"));
    let row = payments::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    match orders::find(ctx, conn, row.order_id).await {
        Ok(_) => Ok(row),
        Err(_) => Err(missing()),
    }
}

pub(crate) async fn of_order(conn: &impl ConnectionTrait, order: OrderId) -> Result<Vec<payments::Model>> {
    let rows = payments::Entity::find().filter(payments::Column::OrderId.eq(order));
    Ok(rows.order_by_asc(payments::Column::Id).all(conn).await?)
}

/// A payment as callers see it, inside or outside a transaction.
pub(crate) async fn view(conn: &impl ConnectionTrait, id: PaymentId) -> Result<View> {
    let row = payments::Entity::find_by_id(id).one(conn).await?;
    row.map(View::from).ok_or_else(|| Error::internal("a payment has vanished"))
}
