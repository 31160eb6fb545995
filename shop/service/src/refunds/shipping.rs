use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::ids::{ApprovalId, OrderId};
use shop_domain::money::scale;
use shop_domain::operations::operation;
use shop_domain::reasons::RefundReason;
use shop_domain::status::RefundKind;
use shop_store::entities::{shipping_methods, variants};

use super::books::Books;
use super::decide::decide;
use super::input::{ShippingDifference, ShippingFee, reason_or};
use super::plan::{Part, Plan, where_to};
use super::send::{Begin, begin, finish};
use super::view::Batch;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::{Ctx, Reply, orders, shipping as rates};

/// Gives the shipping charge back, all of it, once.
///
/// # Errors
/// When shipping was free, or went back already.
pub async fn shipping_fee(ctx: &Ctx, order_id: OrderId, input: ShippingFee) -> Result<Reply<Batch>> {
    let operation = operation("refund_shipping_fee");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    let reason = reason_or(input.reason.as_ref(), RefundReason::Goodwill)?;
    let books = Books::load(&*tx, ctx, order).await?;
    let minor = books.shipping_left_minor();
    let op = AfterSalesOperation::RefundShippingFee;
    let approval_id = permit(&*tx, ctx, op, &books, minor, input.approval_id, &input).await?;
    if minor == 0 {
        return Err(none_left(&books));
    }
    let plan = Plan {
        kind: RefundKind::ShippingFee,
        reason,
        to: where_to(&*tx, &books, input.destination, input.gift_card_id).await?,
        parts: vec![Part::Shipping { minor }],
        is_overpaid: false,
        payment_id: None,
        return_id: None,
        approval_id,
    };
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    finish(tx, ctx, order_id, batch_id).await
}

/// Gives back only the gap between the shipping that was paid and the cheaper one that was used.
///
/// # Errors
/// When the order was shipped as it was paid, or the gap went back already.
pub async fn shipping_difference(
    ctx: &Ctx,
    order_id: OrderId,
    input: ShippingDifference,
) -> Result<Reply<Batch>> {
    let operation = operation("refund_shipping_difference");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    let books = Books::load(&*tx, ctx, order).await?;
    let minor = difference(&*tx, &books).await?;
    let op = AfterSalesOperation::RefundShippingDifference;
    let approval_id = permit(&*tx, ctx, op, &books, minor, input.approval_id, &input).await?;
    if minor == 0 {
        let detail = "it was not shipped by a cheaper method than was paid for, or the gap went back already";
        return Err(Error::not_eligible("no_shipping_difference", detail));
    }
    let plan = Plan {
        kind: RefundKind::ShippingDifference,
        reason: RefundReason::SlowerShipping.to_string(),
        to: where_to(&*tx, &books, input.destination, input.gift_card_id).await?,
        parts: vec![Part::Shipping { minor }],
        is_overpaid: false,
        payment_id: None,
        return_id: None,
        approval_id,
    };
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    finish(tx, ctx, order_id, batch_id).await
}

async fn permit<I: Serialize>(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    op: AfterSalesOperation,
    books: &Books,
    outflow_minor: i64,
    approval_id: Option<ApprovalId>,
    input: &I,
) -> Result<Option<ApprovalId>> {
    let subject = books.order.id.to_string();
    let ask = Ask { lines: None, outflow_minor, subject, approval_id, input };
    Ok(after_sales::permit(tx, ctx, op, &books.order, ask).await?.approval_id)
}

fn none_left(books: &Books) -> Error {
    if books.order.shipping_refunded_minor > 0 {
        return Error::not_eligible("shipping_already_refunded", "the shipping charge went back already");
    }
    Error::not_eligible("no_shipping_fee", "no shipping was charged, or none of it is captured and left")
}

/// What the paid shipping cost beyond the method that was used, tax included, less what went back of it.
async fn difference(tx: &impl ConnectionTrait, books: &Books) -> Result<i64> {
    let order = &books.order;
    let Some(used) = order.shipped_method_id.filter(|used| Some(*used) != order.shipping_method_id) else {
        return Ok(0);
    };
    let method = shipping_methods::Entity::find_by_id(used).one(tx).await?;
    let method = method.ok_or_else(|| Error::internal("a shipping method has vanished"))?;
    let ids = books.lines.iter().map(|line| line.variant_id);
    let bought = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(tx).await?;
    let weight = books.lines.iter().map(|line| {
        let variant = bought.iter().find(|variant| variant.id == line.variant_id);
        variant.map_or(0, |variant| variant.weight_g) * line.quantity
    });
    let price = rates::price_of(&method, order.subtotal_minor, weight.sum());
    let gap = (order.shipping_minor - price).max(0);
    let tax = match order.shipping_minor {
        0 => 0,
        paid => scale(gap, order.shipping_tax_minor, paid)?,
    };
    let back: i64 = books
        .refunds
        .iter()
        .filter(|refund| refund.kind == RefundKind::ShippingDifference)
        .map(|refund| refund.amount_minor)
        .sum();
    Ok((gap + tax - back).clamp(0, books.shipping_left_minor()))
}
