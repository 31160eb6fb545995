use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::ids::{OrderEditId, OrderId, OrderLineId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::order_edits::{EditFacts, EditRefusal, LineFacts, OrderEditEvent, may_become, may_edit};
use shop_domain::status::OrderEditStatus;
use shop_store::columns::{EditLine, EditLines};
use shop_store::entities::{order_edits, order_lines, orders as order_rows, stores, variants};

use super::input::{AddItem, ChangeQuantity};
use super::quote::quote;
use super::read::{find, open_of};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::{Start, Write};
use crate::{Ctx, Reply, after_sales, events, orders, pricing};

/// Opens an edit of an order of which something is still here. Changes nothing of the order.
///
/// # Errors
/// When it is over, has shipped, has another open edit, or was edited where that is final.
pub async fn begin(ctx: &Ctx, order_id: OrderId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("begin_order_edit")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    must_be_editable(&*tx, &order).await?;
    if let Some(open) = open_of(&*tx, order_id).await? {
        let detail = format!("order edit {} is open; go on with it, or discard it", open.id);
        return Err(Error::precondition("order_edit_open", detail));
    }
    let lines = orders::lines_of(&*tx, order_id).await?;
    let row = order_edits::ActiveModel {
        id: Set(ctx.id(OrderEditId::new)),
        order_id: Set(order_id),
        status: Set(OrderEditStatus::Open),
        lines: Set(EditLines(lines.iter().map(as_it_is).collect())),
        before_minor: Set(order.total_minor),
        totals: Set(None),
        created_by: Set(ctx.principal.id),
        closed_at: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "order.edit_begun", row.id, Some(order_id), json!({})).await?;
    finish(tx, ctx, row, &order).await
}

/// Stages a new line.
///
/// # Errors
/// When the edit is closed or has moved on, the variant is not sold, or it cannot take the place of that line.
pub async fn add_item(ctx: &Ctx, id: OrderEditId, input: AddItem) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("add_order_edit_item")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_be_open(&row)?;
    let mut lines = row.lines.0.clone();
    if lines.len() >= limits::LINES_MAX {
        return Err(Error::invalid(
            "/variant_id",
            format!("an order has at most {} lines", limits::LINES_MAX),
        ));
    }
    let replaced = match input.replaces_line_id {
        Some(replaced) => Some(take_out(&*tx, order.id, &mut lines, replaced).await?),
        None => None,
    };
    let quantity = input.quantity.or(replaced.as_ref().map(|old| old.quantity)).unwrap_or(1);
    pricing::check_quantity(quantity, "/quantity")?;
    let sold = sold(&*tx, ctx, &order, &input, quantity).await?;
    if let Some(old) = &replaced {
        must_be_another_form(&*tx, old, &sold.variant).await?;
    }
    lines.push(EditLine {
        line_id: ctx.id(OrderLineId::new),
        variant_id: sold.variant.id,
        replaces_line_id: input.replaces_line_id,
        before: 0,
        quantity,
        unit_price_minor: sold.unit_price_minor,
        discount_minor: 0,
    });
    let row = stage(&*tx, ctx, row, lines).await?;
    finish(tx, ctx, row, &order).await
}

/// Stages another quantity; zero takes the line out.
///
/// # Errors
/// When the edit is closed or has moved on, or the line has shipped or was refunded that far.
pub async fn change_quantity(
    ctx: &Ctx,
    id: OrderEditId,
    line_id: OrderLineId,
    input: ChangeQuantity,
) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("change_order_edit_quantity")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_be_open(&row)?;
    if input.quantity != 0 {
        pricing::check_quantity(input.quantity, "/quantity")?;
    }
    let mut lines = row.lines.0.clone();
    let line = lines.iter_mut().find(|line| line.line_id == line_id);
    let line = line.ok_or_else(|| Error::not_found(format!("order line {line_id} in this edit")))?;
    line.quantity = input.quantity;
    if line.before > 0 && line.quantity != line.before {
        let own = line_of(&*tx, order.id, line_id).await?;
        may_become(facts(&own), input.quantity).map_err(refused)?;
    }
    // A staged line that is taken out again was never there.
    lines.retain(|line| line.before > 0 || line.quantity > 0);
    let row = stage(&*tx, ctx, row, lines).await?;
    finish(tx, ctx, row, &order).await
}

/// Drops what is staged; the order was never changed.
///
/// # Errors
/// When the edit is closed or has moved on.
pub async fn discard(ctx: &Ctx, id: OrderEditId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("discard_order_edit")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, OrderEditEvent::Discarded)?;
    let totals = quote(&*tx, &order, &row).await?.totals;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.before_minor = Set(order.total_minor);
    row.totals = Set(Some(totals));
    row.closed_at = Set(Some(ctx.now()));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "order.edit_discarded", id, Some(order.id), json!({})).await?;
    finish(tx, ctx, row, &order).await
}

async fn finish(
    tx: Write,
    ctx: &Ctx,
    row: order_edits::Model,
    order: &order_rows::Model,
) -> Result<Reply<View>> {
    let quote = quote(&*tx, order, &row).await?;
    let id = row.id;
    tx.finish(ctx, id, View::new(row, order, &quote)).await
}

async fn stage(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: order_edits::Model,
    lines: Vec<EditLine>,
) -> Result<order_edits::Model> {
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.lines = Set(EditLines(lines));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}

fn as_it_is(line: &order_lines::Model) -> EditLine {
    EditLine {
        line_id: line.id,
        variant_id: line.variant_id,
        replaces_line_id: None,
        before: line.quantity,
        quantity: line.quantity,
        unit_price_minor: line.unit_price_minor,
        discount_minor: line.discount_minor,
    }
}

/// Takes a line of the order out, for another one; it is given back as it was staged.
async fn take_out(
    tx: &impl ConnectionTrait,
    order: OrderId,
    lines: &mut [EditLine],
    id: OrderLineId,
) -> Result<EditLine> {
    let bad = |why: &str| Error::invalid("/replaces_line_id", format!("line {id} {why}"));
    let line = lines.iter_mut().find(|line| line.line_id == id && line.before > 0);
    let line = line.ok_or_else(|| bad("is no line of the order that is edited"))?;
    if line.quantity == 0 {
        return Err(bad("is taken out already; change the quantity of the line that has its place"));
    }
    let own = line_of(tx, order, id).await?;
    may_become(facts(&own), 0).map_err(refused)?;
    let old = line.clone();
    line.quantity = 0;
    Ok(old)
}

/// The variant, on sale in the order's store, at its customer's price.
async fn sold(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &order_rows::Model,
    input: &AddItem,
    quantity: i64,
) -> Result<pricing::Line> {
    let store = stores::Entity::find_by_id(order.store_id).one(tx).await?;
    let store = store.ok_or_else(|| Error::internal("an order without a store"))?;
    let wanted = [(input.variant_id, quantity)];
    let found = pricing::load_lines(ctx, tx, &store, order.customer_id, &wanted).await?;
    found.into_iter().next().ok_or_else(|| Error::internal("a variant has vanished"))
}

async fn must_be_another_form(
    tx: &impl ConnectionTrait,
    old: &EditLine,
    variant: &variants::Model,
) -> Result<()> {
    let own = variants::Entity::find_by_id(old.variant_id).one(tx).await?;
    let own = own.ok_or_else(|| Error::internal("a line of a variant that has vanished"))?;
    if own.product_id != variant.product_id {
        let message = format!(
            "a line is replaced by another variant of its product {}; add another product as a line of its own",
            own.product_id
        );
        return Err(Error::invalid("/variant_id", message));
    }
    if own.id == variant.id {
        let message = "this is the variant of the line; change its quantity instead";
        return Err(Error::invalid("/variant_id", message));
    }
    Ok(())
}

async fn line_of(tx: &impl ConnectionTrait, order: OrderId, id: OrderLineId) -> Result<order_lines::Model> {
    let row = order_lines::Entity::find_by_id(id).one(tx).await?;
    row.filter(|row| row.order_id == order).ok_or_else(stale)
}

/// # Errors
/// By which rule its items cannot be changed.
pub(super) async fn must_be_editable(tx: &impl ConnectionTrait, order: &order_rows::Model) -> Result<()> {
    let policy = after_sales::policy_of(tx, order).await?;
    let facts =
        EditFacts { status: order.status, goods: order.fulfillment_status, was_edited: order.is_edited };
    may_edit(facts, &policy).map_err(refused)
}

pub(super) fn must_be_open(row: &order_edits::Model) -> Result<()> {
    match row.status {
        OrderEditStatus::Open => Ok(()),
        OrderEditStatus::Committed | OrderEditStatus::Discarded => Err(closed(row)),
    }
}

pub(super) fn after(row: &order_edits::Model, event: OrderEditEvent) -> Result<OrderEditStatus> {
    row.status.after(event).map_err(|_| closed(row))
}

fn closed(row: &order_edits::Model) -> Error {
    let detail = format!("order edit {} is {}; begin another one", row.id, row.status);
    Error::precondition("order_edit_closed", detail)
}

pub(super) fn stale() -> Error {
    Error::precondition(
        "order_edit_stale",
        "the lines of the order have changed since this edit began; discard it and begin another one",
    )
}

pub(super) fn facts(line: &order_lines::Model) -> LineFacts {
    LineFacts {
        shipped: line.shipped_quantity,
        cancelled: line.cancelled_quantity,
        refunded: line.refunded_quantity,
        refunded_minor: line.refunded_minor,
    }
}

pub(super) fn refused(refusal: EditRefusal) -> Error {
    Error::not_eligible(refusal.rule(), refusal.to_string())
}
