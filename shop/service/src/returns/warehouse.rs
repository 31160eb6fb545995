//! What happens to goods that came back: booked in, looked at, and on the shelf again.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use serde_json::json;
use shop_domain::ids::{LocationId, OrderLineId, ReturnId, VariantId};
use shop_domain::operations::operation;
use shop_domain::returns::{ReturnEvent, ReturnGrade};
use shop_store::columns::{ReturnLine, ReturnLines};
use shop_store::entities::{exchanges, locations, order_lines, orders, returns};

use super::input::{Grade, Inspect, Receive};
use super::read::{find, view};
use super::view::View;
use super::write::after;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::units::LineUnits;
use crate::{Ctx, Reply, events, fulfillments, inventory, orders as order_service};

/// Books in units that came back; they may come in several parcels.
///
/// # Errors
/// When the return is not approved, or fewer units are expected.
pub async fn receive(ctx: &Ctx, id: ReturnId, input: Receive) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("receive_return_items")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, ReturnEvent::Received)?;
    let arrived = arrived(&row.lines, input.lines.as_deref())?;
    let mut lines = row.lines.clone();
    for (line, LineUnits { quantity, .. }) in lines.0.iter_mut().zip(&arrived) {
        line.received += quantity;
    }
    if row.exchange_id.is_none() {
        for units in &arrived {
            let line = line_of(&*tx, units.line_id).await?;
            let received = line.received_quantity + units.quantity;
            // Whoever minds the rules: stock is not made of what never left.
            if received > line.shipped_quantity {
                let detail =
                    format!("{} units of line {} have left the shop", line.shipped_quantity, line.id);
                return Err(Error::not_eligible("order_not_shipped", detail));
            }
            let mut line = line.into_active_model();
            line.received_quantity = Set(received);
            line.update(&*tx).await?;
        }
    }
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.lines = Set(lines);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "units": arrived.iter().map(|units| units.quantity).sum::<i64>() });
    events::record(&*tx, ctx, "return.received", id, Some(order.id), data).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// What came of every line of the return, in its order: 0 for the lines that were not named.
fn arrived(lines: &ReturnLines, named: Option<&[LineUnits]>) -> Result<Vec<LineUnits>> {
    let expected = |line: &ReturnLine| line.quantity - line.received;
    let mut arrived: Vec<LineUnits> = lines
        .0
        .iter()
        .map(|line| {
            let quantity = if named.is_none() { expected(line) } else { 0 };
            LineUnits { line_id: line.line_id, quantity }
        })
        .collect();
    for (at, units) in named.unwrap_or_default().iter().enumerate() {
        let slot = lines.0.iter().zip(&mut arrived).find(|(line, _)| line.line_id == units.line_id);
        let Some((line, slot)) = slot else {
            let message = format!("line {} is not of this return", units.line_id);
            return Err(Error::invalid(format!("/lines/{at}/line_id"), message));
        };
        if units.quantity < 1 || slot.quantity + units.quantity > expected(line) {
            let message = format!("{} units of this line are still expected", expected(line));
            return Err(Error::invalid(format!("/lines/{at}/quantity"), message));
        }
        slot.quantity += units.quantity;
    }
    if arrived.iter().all(|units| units.quantity == 0) {
        return Err(Error::invalid("/lines", "name at least one unit that came back and was still expected"));
    }
    Ok(arrived)
}

/// Grades the units that came back. Restocked units can be sold again; what is sent back is the customer's again.
/// Units that did not come leave the return.
///
/// # Errors
/// When nothing came back, it was inspected already, or not every unit has exactly one grade.
pub async fn inspect(ctx: &Ctx, id: ReturnId, input: Inspect) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("inspect_return_items")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, ReturnEvent::Inspected)?;
    let lines = graded(&row, &input.grades)?;
    let location = location(&*tx, &order, input.location_id).await?;
    for (at, line) in lines.0.iter().enumerate() {
        if line.restocked > 0 {
            let variant = variant_of(&*tx, &row, at, line).await?;
            inventory::put_back(&*tx, variant, location, line.restocked).await?;
        }
        if row.exchange_id.is_none() {
            let counted = line_of(&*tx, line.line_id).await?;
            let sent_back = line.received - line.accepted;
            let (in_return, received) = (
                counted.return_quantity - (line.quantity - line.accepted),
                counted.received_quantity - sent_back,
            );
            let mut counted = counted.into_active_model();
            counted.return_quantity = Set(in_return);
            counted.received_quantity = Set(received);
            counted.update(&*tx).await?;
        }
    }
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.lines = Set(lines);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "grades": input.grades });
    events::record(&*tx, ctx, "return.inspected", id, Some(order.id), data).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// The lines with their grades; every received unit has exactly one.
fn graded(row: &returns::Model, grades: &[Grade]) -> Result<ReturnLines> {
    let mut lines = row.lines.clone();
    for (at, grade) in grades.iter().enumerate() {
        if grade.quantity < 1 {
            return Err(Error::invalid(format!("/grades/{at}/quantity"), "a grade is for at least one unit"));
        }
        if row.exchange_id.is_some() && grade.grade == ReturnGrade::SendBack {
            let message = "goods of an exchange are swapped; cancel the exchange before sending them back";
            return Err(Error::invalid(format!("/grades/{at}/grade"), message));
        }
        let Some(line) = lines.0.iter_mut().find(|line| line.line_id == grade.line_id) else {
            let message = format!("line {} is not of this return", grade.line_id);
            return Err(Error::invalid(format!("/grades/{at}/line_id"), message));
        };
        // Before it is added to anything: two that are too large could come to the right sum.
        if grade.quantity > line.received {
            return Err(ungraded(line));
        }
        if grade.grade.is_paid_for() {
            line.accepted += grade.quantity;
        }
        if grade.grade == ReturnGrade::Restock {
            line.restocked += grade.quantity;
        }
    }
    for line in &lines.0 {
        let own = grades.iter().filter(|grade| grade.line_id == line.line_id);
        let units: i64 = own.map(|grade| grade.quantity).sum();
        if units != line.received {
            return Err(ungraded(line));
        }
        if row.exchange_id.is_some() && line.received < line.quantity {
            let detail = "all old goods of an exchange come back before they are inspected";
            return Err(Error::precondition("return_incomplete", detail));
        }
    }
    Ok(lines)
}

fn ungraded(line: &ReturnLine) -> Error {
    let message = format!("{} units of line {} came back; give each a grade", line.received, line.line_id);
    Error::invalid("/grades", message)
}

/// What a unit of a return is: its line's variant, or what that was before an exchange.
async fn variant_of(
    tx: &impl ConnectionTrait,
    row: &returns::Model,
    at: usize,
    line: &ReturnLine,
) -> Result<VariantId> {
    if let Some(id) = row.exchange_id {
        // An exchange and its return have the same lines in the same order.
        let exchange = exchanges::Entity::find_by_id(id).one(tx).await?;
        let old = exchange.and_then(|exchange| exchange.lines.0.get(at).map(|line| line.old_variant_id));
        return old.ok_or_else(|| Error::internal("a return that does not fit its exchange"));
    }
    Ok(line_of(tx, line.line_id).await?.variant_id)
}

async fn line_of(tx: &impl ConnectionTrait, id: OrderLineId) -> Result<order_lines::Model> {
    let line = order_lines::Entity::find_by_id(id).one(tx).await?;
    line.ok_or_else(|| Error::internal("a return with a line of no order"))
}

async fn location(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    wanted: Option<LocationId>,
) -> Result<LocationId> {
    let of_store = locations::Entity::find()
        .filter(locations::Column::StoreId.eq(order.store_id))
        .order_by_asc(locations::Column::Id)
        .all(tx)
        .await?;
    if let Some(id) = wanted {
        let is_own = of_store.iter().any(|location| location.id == id);
        return if is_own { Ok(id) } else { Err(Error::not_found(format!("location {id} of this store"))) };
    }
    let first = of_store.first().map(|location| location.id);
    fulfillments::shipped_from(tx, order.id)
        .await?
        .or(first)
        .ok_or_else(|| Error::precondition("no_location", "the store has no location to put goods"))
}
