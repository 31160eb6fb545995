//! Prices of swapped lines, on the order and in the ledger.

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::exchanges::PricedUnits;
use shop_domain::ids::OrderLineId;
use shop_domain::ledger::order_edited;
use shop_store::columns::ExchangeLine;
use shop_store::entities::{order_lines, orders};

use super::quote::priced;
use crate::error::{Error, Result};
use crate::{Ctx, ledger, orders as order_service};

/// Gives some delivered units of a line a line of their own, unless they are all of it. The sums stay.
pub(super) async fn carve(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    line: &ExchangeLine,
) -> Result<order_lines::Model> {
    let row = line_of(tx, line.line_id).await?;
    if row.quantity == line.quantity {
        return Ok(row);
    }
    let mut rest = priced(&row);
    let own = rest.take(line.quantity)?;
    let of_order = order_service::lines_of(tx, row.order_id).await?;
    let last = of_order.iter().map(|line| line.position).max().unwrap_or(row.position);
    let carved = order_lines::ActiveModel {
        id: Set(ctx.id(OrderLineId::new)),
        position: Set(last + 1),
        quantity: Set(own.quantity),
        discount_minor: Set(own.discount_minor),
        tax_minor: Set(own.tax_minor),
        total_minor: Set(own.total_minor()?),
        allocated_quantity: Set(0),
        shipped_quantity: Set(own.quantity),
        delivered_quantity: Set(own.quantity),
        cancelled_quantity: Set(0),
        return_quantity: Set(own.quantity),
        received_quantity: Set(0),
        refunded_quantity: Set(0),
        refunded_minor: Set(0),
        ..row.clone().into_active_model()
    };
    let mut left = row.clone().into_active_model();
    left.quantity = Set(rest.quantity);
    left.discount_minor = Set(rest.discount_minor);
    left.tax_minor = Set(rest.tax_minor);
    left.total_minor = Set(row.total_minor - own.total_minor()?);
    left.shipped_quantity = Set(row.shipped_quantity - own.quantity);
    left.delivered_quantity = Set(row.delivered_quantity - own.quantity);
    left.return_quantity = Set(row.return_quantity - own.quantity);
    left.update(tx).await?;
    Ok(carved.reset_all().insert(tx).await?)
}

/// Prices lines anew, and carries the change into the order's totals and the ledger.
pub(super) async fn reprice(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    lines: Vec<(order_lines::Model, PricedUnits)>,
) -> Result<()> {
    let mut after = order.clone();
    for (row, price) in lines {
        let total = price.total_minor()?;
        after.subtotal_minor += price.subtotal_minor()? - priced(&row).subtotal_minor()?;
        after.discount_minor += price.discount_minor - row.discount_minor;
        after.tax_minor += price.tax_minor - row.tax_minor;
        after.total_minor += total - row.total_minor;
        let mut line = row.into_active_model();
        line.unit_price_minor = Set(price.unit_price_minor);
        line.discount_minor = Set(price.discount_minor);
        line.tax_minor = Set(price.tax_minor);
        line.total_minor = Set(total);
        line.update(tx).await?;
    }
    let postings = order_edited(&ledger::sale_of(order), &ledger::sale_of(&after))?;
    ledger::post(tx, ctx, &postings, ledger::Refs::order(order), "exchanged").await?;
    let mut row = order.clone().into_active_model();
    row.subtotal_minor = Set(after.subtotal_minor);
    row.discount_minor = Set(after.discount_minor);
    row.tax_minor = Set(after.tax_minor);
    row.total_minor = Set(after.total_minor);
    row.update(tx).await?;
    Ok(())
}

pub(super) async fn line_of(tx: &impl ConnectionTrait, id: OrderLineId) -> Result<order_lines::Model> {
    let line = order_lines::Entity::find_by_id(id).one(tx).await?;
    line.ok_or_else(|| Error::internal("an exchange with a line of no order"))
}
