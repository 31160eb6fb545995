use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::ids::{OrderId, RefundId};
use shop_domain::operations::operation;
use shop_store::entities::refunds;

use super::books::Books;
use super::input::{Calculate, Filter};
use super::view::{Calculation, RefundableLine, RefundablePayment, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, orders};

/// Refunds in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_refunds"))?;
    let limit = page.limit()?;
    let mut query = refunds::Entity::find()
        .filter(refunds::Column::OrderId.in_subquery(orders::ids_in_sight(&ctx.principal.scope)));
    if let Some(order) = filter.order_id {
        query = query.filter(refunds::Column::OrderId.eq(order));
    }
    if let Some(id) = filter.return_id {
        query = query.filter(refunds::Column::ReturnId.eq(id));
    }
    if let Some(status) = filter.status {
        query = query.filter(refunds::Column::Status.eq(status));
    }
    if let Some(kind) = filter.kind {
        query = query.filter(refunds::Column::Kind.eq(kind));
    }
    if let Some(from) = filter.created_from {
        query = query.filter(refunds::Column::CreatedAt.gte(from));
    }
    if let Some(before) = page.after::<RefundId>()? {
        query = query.filter(refunds::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(refunds::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One refund.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: RefundId) -> Result<View> {
    ctx.may(operation("get_refund"))?;
    Ok(find(ctx, ctx.read()?, id).await?.into())
}

/// What may still go back of an order, per line, payment and in all. Moves nothing.
///
/// # Errors
/// When the order is out of sight, or units are asked about that it does not have.
pub async fn calculate(ctx: &Ctx, order_id: OrderId, input: Calculate) -> Result<Calculation> {
    ctx.may(operation("calculate_refund"))?;
    let order = orders::find(ctx, ctx.read()?, order_id).await?;
    let books = Books::load(ctx.read()?, ctx, order).await?;
    let asked_minor = match &input.lines {
        None => None,
        Some(asked) => {
            let chosen = books.choose(Some(asked), |line| line.quantity - line.refunded_quantity)?;
            let mut sum = 0;
            for (id, units) in chosen {
                sum += books.worth(id, units)?;
            }
            Some(sum.min(books.left_minor()))
        }
    };
    let refundable = books.refundable()?;
    let lines = books.lines.iter().zip(&refundable.lines).map(|(line, left)| RefundableLine {
        line_id: line.id,
        title: line.title.clone(),
        unshipped: books.unshipped_units(line),
        with_customer: books.kept_units(line),
        received: books.received_units(line),
        max_minor: left.max_minor,
        tax_minor: left.tax_minor,
    });
    let payments = books.payments.iter().map(|payment| RefundablePayment {
        payment_id: payment.id,
        instrument: payment.instrument,
        left_minor: books.left_of(payment),
    });
    Ok(Calculation {
        order_id,
        currency: books.order.currency,
        lines: lines.collect(),
        shipping_minor: refundable.shipping_minor,
        total_minor: refundable.total_minor,
        asked_minor,
        payments: payments.collect(),
        order_version: books.order.version,
    })
}

/// One refund of an order in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: RefundId) -> Result<refunds::Model> {
    let missing = || Error::not_found(format!("refund {id}"));
    let row = refunds::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    match orders::find(ctx, conn, row.order_id).await {
        Ok(_) => Ok(row),
        Err(_) => Err(missing()),
    }
}
