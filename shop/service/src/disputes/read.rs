use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::ids::{DisputeId, OrderId, PaymentId};
use shop_domain::operations::operation;
use shop_domain::status::DisputeStatus;
use shop_store::entities::{disputes, orders as order_rows};

use super::input::Filter;
use super::notice::catch_up;
use super::view::View;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, orders};

/// Disputes in sight, newest first. What the gateway has opened or decided since the last look is booked first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_disputes"))?;
    let limit = page.limit()?;
    catch_up(ctx).await?;
    let mut query = disputes::Entity::find()
        .filter(disputes::Column::OrderId.in_subquery(orders::ids_in_sight(&ctx.principal.scope)));
    if let Some(status) = filter.status {
        query = query.filter(disputes::Column::Status.eq(status));
    }
    if let Some(order) = filter.order_id {
        query = query.filter(disputes::Column::OrderId.eq(order));
    }
    if let Some(before) = page.after::<DisputeId>()? {
        query = query.filter(disputes::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(disputes::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One dispute about an order in sight, with that order.
pub(super) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: DisputeId,
) -> Result<(disputes::Model, order_rows::Model)> {
    let missing = || Error::not_found(format!("dispute {id}"));
    let row = disputes::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let order = orders::find(ctx, conn, row.order_id).await.map_err(|_| missing())?;
    Ok((row, order))
}

/// The dispute about a payment; there is at most one.
pub(crate) async fn of_payment(
    conn: &impl ConnectionTrait,
    payment: PaymentId,
) -> Result<Option<disputes::Model>> {
    Ok(disputes::Entity::find().filter(disputes::Column::PaymentId.eq(payment)).one(conn).await?)
}

/// The dispute about a payment as callers see it, inside or outside a transaction.
pub(crate) async fn view(conn: &impl ConnectionTrait, payment: PaymentId) -> Result<View> {
    let row = of_payment(conn, payment).await?;
    row.map(View::from).ok_or_else(|| Error::internal("a dispute has vanished"))
}

/// What banks have taken back of an order's payments and not given back, by payment.
pub(crate) async fn taken_back(conn: &impl ConnectionTrait, order: OrderId) -> Result<Vec<(PaymentId, i64)>> {
    let rows = disputes::Entity::find()
        .filter(disputes::Column::OrderId.eq(order))
        .filter(disputes::Column::Status.ne(DisputeStatus::Won))
        .all(conn)
        .await?;
    Ok(rows.into_iter().map(|row| (row.payment_id, row.amount_minor)).collect())
}
