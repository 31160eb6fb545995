use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::OrderEditId;
use shop_domain::operations::operation;
use shop_domain::order_edits::{OrderEditEvent, may_become};
use shop_domain::status::OrderStatus;
use shop_domain::totals::{LineTotals, Totals};
use shop_store::columns::EditLine;
use shop_store::entities::{order_edits, order_lines, orders as order_rows};

use super::input::Commit;
use super::quote::{Quote, quote};
use super::read::find;
use super::view::View;
use super::write::{after, facts, must_be_editable, must_be_open, refused, stale};
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, inventory, orders};

/// Makes the staged changes true: lines, stock, totals and books in one transaction. Moves no money: what the order
/// costs more is due, and what it costs less is owed back.
///
/// # Errors
/// When the edit is closed or the order has moved on, stock is missing, or another difference was agreed to.
pub async fn commit(ctx: &Ctx, id: OrderEditId, input: Commit) -> Result<Reply<View>> {
    let operation = operation("commit_order_edit");
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (edit, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(edit.version)?;
    must_be_open(&edit)?;
    must_be_editable(&*tx, &order).await?;
    let rows = orders::lines_of(&*tx, order.id).await?;
    must_be_fresh(&edit, &rows)?;
    must_change_something(&edit)?;
    let quote = quote(&*tx, &order, &edit).await?;
    must_be_agreed(&input, quote.totals.total_minor - order.total_minor)?;
    must_leave_alone_what_went_back(&order, &edit, &rows, &quote.totals)?;
    // What becomes owed is judged where it is paid; nothing leaves the shop here.
    let (subject, approval_id) = (id.to_string(), input.approval_id);
    let ask = Ask { lines: None, outflow_minor: 0, subject, approval_id, input: &input };
    after_sales::sign_off(&*tx, ctx, operation, &order, ask).await?;
    if order.status != OrderStatus::Draft {
        move_stock(&*tx, ctx, &order, (&edit, &rows), &quote).await?;
    }
    write_lines(&*tx, &order, (&edit, &rows), &quote).await?;
    let (before_minor, is_draft) = (order.total_minor, order.status == OrderStatus::Draft);
    let order = orders::set_totals(&*tx, ctx, order, &quote.totals).await?;
    let mut row = order.into_active_model();
    row.is_edited = Set(!is_draft);
    let order = row.update(&*tx).await?;
    let edit = close(&*tx, ctx, edit, before_minor, &quote.totals).await?;
    let data = json!({ "edit_id": id, "difference_minor": order.total_minor - before_minor });
    events::record(&*tx, ctx, "order.edited", order.id, Some(order.id), data).await?;
    let order = orders::refresh(&*tx, ctx, order.id).await?;
    tx.finish(ctx, id, View::new(edit, &order, &quote)).await
}

/// The order's lines must be those that the edit began with.
fn must_be_fresh(edit: &order_edits::Model, rows: &[order_lines::Model]) -> Result<()> {
    let own = edit.lines.0.iter().filter(|line| line.before > 0).count();
    let is_same = |line: &EditLine| {
        rows.iter().any(|row| {
            row.id == line.line_id
                && row.quantity == line.before
                && row.unit_price_minor == line.unit_price_minor
                && row.discount_minor == line.discount_minor
        })
    };
    let is_fresh = rows.len() == own && edit.lines.0.iter().all(|line| line.before == 0 || is_same(line));
    if is_fresh { Ok(()) } else { Err(stale()) }
}

fn must_change_something(edit: &order_edits::Model) -> Result<()> {
    if edit.lines.0.iter().all(|line| line.quantity == line.before) {
        return Err(Error::precondition(
            "nothing_staged",
            "nothing is staged; add an item or change a quantity",
        ));
    }
    if edit.lines.0.iter().all(|line| line.quantity == 0) {
        let detail = "an edit leaves at least one line in the order; cancel_order stops all of it";
        return Err(Error::precondition("nothing_left", detail));
    }
    Ok(())
}

fn must_be_agreed(input: &Commit, difference_minor: i64) -> Result<()> {
    match input.agreed_difference_minor {
        Some(agreed) if agreed != difference_minor => Err(Error::new(
            ErrorCode::PriceChanged,
            format!("the difference is {difference_minor} now, not what was agreed to; look again"),
        )),
        Some(_) | None => Ok(()),
    }
}

/// Money that went back at the old price can no longer be priced anew.
fn must_leave_alone_what_went_back(
    order: &order_rows::Model,
    edit: &order_edits::Model,
    rows: &[order_lines::Model],
    totals: &Totals,
) -> Result<()> {
    for (line, new) in edit.lines.0.iter().zip(&totals.lines) {
        let Some(row) = rows.iter().find(|row| row.id == line.line_id) else { continue };
        if line.quantity != line.before || new.total_minor != row.total_minor {
            may_become(facts(row), line.quantity).map_err(refused)?;
        }
    }
    let shipping = order.shipping_minor + order.shipping_tax_minor;
    if order.shipping_refunded_minor > 0 && totals.shipping.total_minor != shipping {
        let detail = format!(
            "shipping would cost {} instead of {shipping}, and a part of it went back at the old price",
            totals.shipping.total_minor
        );
        return Err(Error::not_eligible("shipping_partly_refunded", detail));
    }
    Ok(())
}

/// Units that are not wanted any more are free before others are held, so that a swap of places needs no spare ones.
async fn move_stock(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &order_rows::Model,
    (edit, rows): (&order_edits::Model, &[order_lines::Model]),
    quote: &Quote,
) -> Result<()> {
    let holder = order.id.to_string();
    for line in edit.lines.0.iter().filter(|line| line.quantity < line.before) {
        let row = rows.iter().find(|row| row.id == line.line_id).ok_or_else(stale)?;
        let units = line.before - line.quantity;
        orders::unpack(tx, ctx, order, row, units).await?;
        inventory::restock(tx, &holder, row.variant_id, units).await?;
    }
    for line in edit.lines.0.iter().filter(|line| line.quantity > line.before) {
        let units = line.quantity - line.before;
        inventory::reserve(tx, ctx, quote.variant(line)?, units, &holder, None).await?;
    }
    Ok(())
}

/// A line that is taken out leaves the order; what it was is in the edit.
async fn write_lines(
    tx: &impl ConnectionTrait,
    order: &order_rows::Model,
    (edit, rows): (&order_edits::Model, &[order_lines::Model]),
    quote: &Quote,
) -> Result<()> {
    let staged = || edit.lines.0.iter().zip(&quote.totals.lines);
    for (line, totals) in staged().filter(|(line, _)| line.before > 0) {
        if line.quantity == 0 {
            order_lines::Entity::delete_by_id(line.line_id).exec(tx).await?;
            continue;
        }
        let row = rows.iter().find(|row| row.id == line.line_id).ok_or_else(stale)?;
        priced(row.clone(), line, totals).update(tx).await?;
    }
    let mut last = rows.iter().map(|row| row.position).max().unwrap_or(0);
    for (line, totals) in staged().filter(|(line, _)| line.before == 0) {
        let place = line.replaces_line_id.and_then(|replaced| free_place(edit, rows, replaced));
        let position = place.unwrap_or_else(|| {
            last += 1;
            last
        });
        let row = orders::new_line(line.line_id, order.id, quote.variant(line)?, line.quantity);
        let row = order_lines::Model { position, unit_price_minor: line.unit_price_minor, ..row };
        priced(row, line, totals).reset_all().insert(tx).await?;
    }
    Ok(())
}

/// The position of a line that is taken out.
fn free_place(
    edit: &order_edits::Model,
    rows: &[order_lines::Model],
    replaced: shop_domain::ids::OrderLineId,
) -> Option<i64> {
    let is_out = edit.lines.0.iter().any(|line| line.line_id == replaced && line.quantity == 0);
    rows.iter().find(|row| row.id == replaced && is_out).map(|row| row.position)
}

fn priced(row: order_lines::Model, line: &EditLine, totals: &LineTotals) -> order_lines::ActiveModel {
    let mut row = row.into_active_model();
    row.quantity = Set(line.quantity);
    row.discount_minor = Set(totals.discount_minor);
    row.tax_minor = Set(totals.tax_minor);
    row.total_minor = Set(totals.total_minor);
    row
}

async fn close(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    edit: order_edits::Model,
    before_minor: i64,
    totals: &Totals,
) -> Result<order_edits::Model> {
    let (status, version) = (after(&edit, OrderEditEvent::Committed)?, edit.version + 1);
    let mut row = edit.into_active_model();
    row.status = Set(status);
    row.before_minor = Set(before_minor);
    row.totals = Set(Some(totals.clone()));
    row.closed_at = Set(Some(ctx.now()));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}
