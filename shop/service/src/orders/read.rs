use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Owner, Scope};
use shop_domain::ids::{CustomerId, OrderId};
use shop_domain::operations::operation;
use shop_store::entities::{order_lines, orders};

use super::input::Filter;
use super::view::View;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, customers, fulfillments};

/// Orders in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_orders"))?;
    page_of(ctx, filter, page).await
}

/// Orders of one customer, newest first.
///
/// # Errors
/// When the customer is out of sight.
pub async fn list_for_customer(ctx: &Ctx, customer: CustomerId, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_customer_orders"))?;
    customers::find(ctx, ctx.read()?, customer).await?;
    page_of(ctx, Filter { customer_id: Some(customer), ..Filter::default() }, page).await
}

async fn page_of(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    let limit = page.limit()?;
    let mut query = orders::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Some(status) = filter.status {
        query = query.filter(orders::Column::Status.eq(status));
    }
    if let Some(status) = filter.payment_status {
        query = query.filter(orders::Column::PaymentStatus.eq(status));
    }
    if let Some(status) = filter.fulfillment_status {
        query = query.filter(orders::Column::FulfillmentStatus.eq(status));
    }
    if let Some(customer) = filter.customer_id {
        query = query.filter(orders::Column::CustomerId.eq(customer));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(orders::Column::StoreId.eq(store));
    }
    if let Some(number) = filter.number {
        query = query.filter(has_number(&number));
    }
    if let Some(before) = page.after::<OrderId>()? {
        let placed = orders::Entity::find_by_id(before).one(ctx.read()?).await?;
        let placed =
            placed.ok_or_else(|| Error::invalid("/cursor", "this is no cursor of this list"))?.placed_at;
        query = query.filter(
            orders::Column::PlacedAt
                .lt(placed)
                .or(orders::Column::PlacedAt.eq(placed).and(orders::Column::Id.lt(before))),
        );
    }
    let rows = query
        .order_by_desc(orders::Column::PlacedAt)
        .order_by_desc(orders::Column::Id)
        .limit(limit + 1)
        .all(ctx.read()?)
        .await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let ids: Vec<OrderId> = page.items.iter().map(|row| row.id).collect();
    let mut lines = order_lines::Entity::find()
        .filter(order_lines::Column::OrderId.is_in(ids))
        .order_by_asc(order_lines::Column::Position)
        .all(ctx.read()?)
        .await?;
    Ok(page.map(|row| {
        let own = lines.extract_if(.., |line| line.order_id == row.id).collect();
        View::new(row, own)
    }))
}

/// One order.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: OrderId) -> Result<View> {
    ctx.may(operation("get_order"))?;
    let row = find(ctx, ctx.read()?, id).await?;
    let row = fulfillments::catch_up_for_read(ctx, row).await?;
    let lines = lines_of(ctx.read()?, id).await?;
    Ok(View::new(row, lines))
}

/// One order in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: OrderId) -> Result<orders::Model> {
    let missing = || Error::not_found(format!("order {id}"));
    let row = orders::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(&row), format!("order {id}"))?;
    Ok(row)
}

pub(crate) async fn lines_of(conn: &impl ConnectionTrait, id: OrderId) -> Result<Vec<order_lines::Model>> {
    let lines = order_lines::Entity::find().filter(order_lines::Column::OrderId.eq(id));
    Ok(lines.order_by_asc(order_lines::Column::Position).all(conn).await?)
}

/// An order as callers see it, inside or outside a transaction.
pub(crate) async fn view(conn: &impl ConnectionTrait, id: OrderId) -> Result<View> {
    let row = orders::Entity::find_by_id(id)
        .one(conn)
        .await?
        .ok_or_else(|| Error::internal("an order has vanished"))?;
    Ok(View::new(row, lines_of(conn, id).await?))
}

pub(crate) fn owner(row: &orders::Model) -> Owner {
    Owner { brand: Some(row.brand_id), store: Some(row.store_id), customer: row.customer_id }
}

/// The orders a scope reaches, for lists.
pub(crate) fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => orders::Column::BrandId.eq(brand),
        Scope::Store(store) => orders::Column::StoreId.eq(store),
        Scope::Customer(customer) => orders::Column::CustomerId.eq(customer),
    }
}

/// The ids of these orders, for lists of what belongs to an order.
pub(crate) fn ids_in_sight(scope: &Scope) -> SelectStatement {
    Query::select().column(orders::Column::Id).from(orders::Entity).and_where(in_sight(scope)).to_owned()
}

/// The ids of a customer's orders.
pub(crate) fn ids_of_customer(customer: Option<CustomerId>) -> SelectStatement {
    let own = orders::Column::CustomerId.eq(customer);
    Query::select().column(orders::Column::Id).from(orders::Entity).and_where(own).to_owned()
}

/// `#1042`, `1042` or the number of an imported order.
pub(crate) fn has_number(text: &str) -> SimpleExpr {
    let imported = orders::Column::ExternalId.eq(text);
    match text.trim_start_matches('#').parse::<i64>() {
        Ok(number) => {
            imported.or(orders::Column::Number.eq(number).and(orders::Column::ExternalId.is_null()))
        }
        Err(_) => imported,
    }
}
