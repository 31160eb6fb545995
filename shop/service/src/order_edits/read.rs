use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::ids::{OrderEditId, OrderId};
use shop_domain::operations::operation;
use shop_domain::status::OrderEditStatus;
use shop_store::entities::{order_edits, orders as order_rows};

use super::quote::quote;
use super::view::View;
use crate::error::{Error, Result};
use crate::{Ctx, orders};

/// One order edit: what is staged, and what it would cost.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: OrderEditId) -> Result<View> {
    ctx.may(operation("get_order_edit"))?;
    let (row, order) = find(ctx, ctx.read()?, id).await?;
    let quote = quote(ctx.read()?, &order, &row).await?;
    Ok(View::new(row, &order, &quote))
}

/// One edit of an order in sight, with that order.
pub(super) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: OrderEditId,
) -> Result<(order_edits::Model, order_rows::Model)> {
    let missing = || Error::not_found(format!("order edit {id}"));
    let row = order_edits::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let order = orders::find(ctx, conn, row.order_id).await.map_err(|_| missing())?;
    Ok((row, order))
}

/// The edit of an order that is open; there is at most one.
pub(super) async fn open_of(
    conn: &impl ConnectionTrait,
    order: OrderId,
) -> Result<Option<order_edits::Model>> {
    let open = order_edits::Entity::find()
        .filter(order_edits::Column::OrderId.eq(order))
        .filter(order_edits::Column::Status.eq(OrderEditStatus::Open));
    Ok(open.one(conn).await?)
}
