//! Units between two locations: they leave the one at once, and are on no shelf until the other books them in.

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{LocationId, TransferId};
use shop_domain::inventory::TransferEvent;
use shop_domain::operations::operation;
use shop_domain::status::TransferStatus;
use shop_store::columns::{TransferLine, TransferLines};
use shop_store::entities::{inventory_transfers as transfers, locations};

use super::count::shelf;
use super::input::{CreateTransfer, ReceiveTransfer, VariantUnits, check_note, check_units};
use super::moves::{put_back, take_off};
use super::view::Transfer;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, stores};

/// Sends units from one location to another.
///
/// # Errors
/// When a location or variant is out of sight, or too few units are free.
pub async fn create_transfer(ctx: &Ctx, input: CreateTransfer) -> Result<Reply<Transfer>> {
    let tx = match ctx.start(operation("create_inventory_transfer")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    check_note(input.note.as_deref())?;
    if input.lines.is_empty() {
        return Err(Error::invalid("/lines", "name at least one variant to send"));
    }
    check_units(&input.lines)?;
    let (from, to) = (input.from_location_id, input.to_location_id);
    if from == to {
        return Err(Error::invalid("/to_location_id", "units go from one location to another one"));
    }
    for line in &input.lines {
        shelf(ctx, &*tx, line.variant_id, from).await?;
        shelf(ctx, &*tx, line.variant_id, to).await?;
        if !take_off(&*tx, line.variant_id, from, line.quantity).await? {
            let detail = format!(
                "location {from} has fewer than {} free units of variant {}; see list_inventory_levels",
                line.quantity, line.variant_id
            );
            return Err(Error::new(ErrorCode::OutOfStock, detail));
        }
    }
    let sent = |line: VariantUnits| TransferLine {
        variant_id: line.variant_id,
        quantity: line.quantity,
        received: 0,
    };
    let row = transfers::ActiveModel {
        id: Set(ctx.id(TransferId::new)),
        from_location_id: Set(from),
        to_location_id: Set(to),
        status: Set(TransferStatus::InTransit),
        lines: Set(TransferLines(input.lines.into_iter().map(sent).collect())),
        note: Set(input.note),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "from_location_id": from, "to_location_id": to });
    events::record(&*tx, ctx, "inventory.transfer_created", row.id, None, data).await?;
    tx.finish(ctx, row.id, Transfer::from(row)).await
}

/// Books in what arrived of a transfer, never more than was sent.
///
/// # Errors
/// When it is out of sight, has moved on or is closed, or more units are named than are still expected.
pub async fn receive_transfer(ctx: &Ctx, id: TransferId, input: ReceiveTransfer) -> Result<Reply<Transfer>> {
    let tx = match ctx.start(operation("receive_inventory_transfer")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let arrived = arrived(&row.lines, &input)?;
    let mut lines = row.lines.clone();
    for (line, units) in lines.0.iter_mut().zip(&arrived) {
        if *units > 0 {
            put_back(&*tx, line.variant_id, row.to_location_id, *units).await?;
            line.received += units;
        }
    }
    let is_complete = input.is_final || lines.0.iter().all(|line| line.received == line.quantity);
    let event = if is_complete { TransferEvent::Received } else { TransferEvent::PartReceived };
    let after = row.status.after(event);
    let status = after.map_err(|error| Error::precondition("transfer_closed", error.to_string()))?;
    let lost: i64 = lines.0.iter().filter(|_| is_complete).map(|line| line.quantity - line.received).sum();
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.lines = Set(lines);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "units": arrived.iter().sum::<i64>(), "lost": lost });
    events::record(&*tx, ctx, "inventory.transfer_received", id, None, data).await?;
    tx.finish(ctx, id, Transfer::from(row)).await
}

/// What arrived of every line of the transfer, in its order: 0 for the variants that were not named.
fn arrived(lines: &TransferLines, input: &ReceiveTransfer) -> Result<Vec<i64>> {
    let expected = |line: &TransferLine| line.quantity - line.received;
    let Some(named) = &input.lines else { return Ok(lines.0.iter().map(expected).collect()) };
    if named.is_empty() && !input.is_final {
        return Err(Error::invalid(
            "/lines",
            "name at least one variant that arrived, or say that it is final",
        ));
    }
    check_units(named)?;
    for (at, units) in named.iter().enumerate() {
        let Some(line) = lines.0.iter().find(|line| line.variant_id == units.variant_id) else {
            let message = format!("variant {} is not in this transfer", units.variant_id);
            return Err(Error::invalid(format!("/lines/{at}/variant_id"), message));
        };
        if units.quantity > expected(line) {
            let message = format!("{} units of this variant are still expected", expected(line));
            return Err(Error::invalid(format!("/lines/{at}/quantity"), message));
        }
    }
    let units_of = |line: &TransferLine| {
        named.iter().find(|units| units.variant_id == line.variant_id).map_or(0, |units| units.quantity)
    };
    Ok(lines.0.iter().map(units_of).collect())
}

/// One transfer to a location in sight.
async fn find(ctx: &Ctx, tx: &impl ConnectionTrait, id: TransferId) -> Result<transfers::Model> {
    let missing = || Error::not_found(format!("inventory transfer {id}"));
    let row = transfers::Entity::find_by_id(id).one(tx).await?.ok_or_else(missing)?;
    let is_seen = sees_location(ctx, tx, row.to_location_id).await?;
    if is_seen { Ok(row) } else { Err(missing()) }
}

async fn sees_location(ctx: &Ctx, tx: &impl ConnectionTrait, id: LocationId) -> Result<bool> {
    let Some(location) = locations::Entity::find_by_id(id).one(tx).await? else { return Ok(false) };
    Ok(stores::find(ctx, tx, location.store_id).await.is_ok())
}
