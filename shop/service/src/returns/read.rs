use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::after_sales::{RulesMode, Trust};
use shop_domain::ids::{OrderId, ReturnId};
use shop_domain::operations::operation;
use shop_domain::reasons::ReturnReason;
use shop_store::entities::{order_lines, orders, refunds, returns};

use super::input::Filter;
use super::view::{Reason, Reasons, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, orders as order_service};

/// Returns in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_returns"))?;
    let limit = page.limit()?;
    let mut query = returns::Entity::find()
        .filter(returns::Column::OrderId.in_subquery(order_service::ids_in_sight(&ctx.principal.scope)));
    if let Some(order) = filter.order_id {
        query = query.filter(returns::Column::OrderId.eq(order));
    }
    if let Some(customer) = filter.customer_id {
        query = query.filter(returns::Column::CustomerId.eq(customer));
    }
    if let Some(status) = filter.status {
        query = query.filter(returns::Column::Status.eq(status));
    }
    if let Some(before) = page.after::<ReturnId>()? {
        query = query.filter(returns::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(returns::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let ids: Vec<ReturnId> = page.items.iter().map(|row| row.id).collect();
    let paid = refunds::Entity::find()
        .filter(refunds::Column::ReturnId.is_in(ids))
        .order_by_asc(refunds::Column::Id)
        .all(ctx.read()?)
        .await?;
    Ok(page.map(|row| {
        let own = paid.iter().filter(|refund| refund.return_id == Some(row.id));
        let own = own.map(|refund| refund.id).collect();
        View::new(row, own)
    }))
}

/// One return.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: ReturnId) -> Result<View> {
    ctx.may(operation("get_return"))?;
    let (row, _) = find(ctx, ctx.read()?, id).await?;
    view(ctx.read()?, row).await
}

/// Why goods may come back, and who pays the postage then.
///
/// # Errors
/// When the caller may not.
pub fn reasons(ctx: &Ctx) -> Result<Reasons> {
    ctx.may(operation("list_return_reasons"))?;
    let entry = |&code: &ReturnReason| Reason {
        code,
        label: code.label().to_owned(),
        postage_payer: code.postage_payer(),
        is_routine: code.is_routine(),
    };
    Ok(Reasons { items: ReturnReason::ALL.iter().map(entry).collect() })
}

/// One return of an order in sight, with the order.
pub(crate) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: ReturnId,
) -> Result<(returns::Model, orders::Model)> {
    let missing = || Error::not_found(format!("return {id}"));
    let row = returns::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let order = order_service::find(ctx, conn, row.order_id).await.map_err(|_| missing())?;
    Ok((row, order))
}

/// All returns of an order, oldest first.
pub(crate) async fn of_order(conn: &impl ConnectionTrait, order: OrderId) -> Result<Vec<returns::Model>> {
    let rows = returns::Entity::find().filter(returns::Column::OrderId.eq(order));
    Ok(rows.order_by_asc(returns::Column::Id).all(conn).await?)
}

/// A return as callers see it, inside or outside a transaction.
pub(crate) async fn view(conn: &impl ConnectionTrait, row: returns::Model) -> Result<View> {
    let paid = refunds::Entity::find()
        .filter(refunds::Column::ReturnId.eq(row.id))
        .order_by_asc(refunds::Column::Id)
        .all(conn)
        .await?;
    Ok(View::new(row, paid.into_iter().map(|refund| refund.id).collect()))
}

/// Units of a line that the customer has and has paid for: not on their way back, and not refunded and kept.
pub(crate) fn returnable(line: &order_lines::Model, returns: &[returns::Model], rules: RulesMode) -> i64 {
    let there = with_the_customer(line, rules);
    Ord::min(there - line.return_quantity, kept_and_paid_for(line, returns))
}

/// Units of a line that the customer was sent. Where the rules live in the page, the shop takes its caller's word that
/// all were delivered.
pub(crate) fn with_the_customer(line: &order_lines::Model, rules: RulesMode) -> i64 {
    if rules.trusts_caller_on(Trust::Legality) {
        line.quantity - line.cancelled_quantity
    } else {
        line.delivered_quantity
    }
}

/// Units of a line that are in no return and whose money no refund claims.
pub(crate) fn kept_and_paid_for(line: &order_lines::Model, returns: &[returns::Model]) -> i64 {
    let returned = returns.iter().flat_map(|row| &row.lines.0).filter(|returned| returned.line_id == line.id);
    let paid_back: i64 = returned.map(|returned| returned.refunded).sum();
    let unpaid_returns = Ord::max(line.return_quantity - paid_back, 0);
    line.quantity - line.refunded_quantity - unpaid_returns
}
