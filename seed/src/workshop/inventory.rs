//! Counts that people changed, and units on their way between two locations: all of what is not sold any more, so
//! that no count of anything on sale is touched.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shop_domain::ids::{AdjustmentId, LocationId, TransferId, VariantId};
use shop_domain::inventory::{AdjustmentReason, TransferEvent, counted};
use shop_domain::status::TransferStatus;
use shop_store::columns::{TransferLine, TransferLines};
use shop_store::entities::{inventory_adjustments, inventory_levels, inventory_transfers, variants};

use super::tickets::named;
use super::{Cast, Where};
use crate::ground::Ground;

/// Units that were there before anybody counted.
const DELIVERED: i64 = 30;

/// Why a count changed, by how much, and what was noted, one a day.
const CHANGES: [(AdjustmentReason, i64, &str); 5] = [
    (AdjustmentReason::Found, 2, "behind the kettles"),
    (AdjustmentReason::Damage, -1, "dropped on its dial"),
    (AdjustmentReason::Shrink, -2, ""),
    (AdjustmentReason::Correction, 1, "one of the two was there after all"),
    (AdjustmentReason::StockTake, -1, ""),
];

/// Units that were sent, and those that arrived so far.
const TRANSFERS: [(i64, Option<i64>, &str); 3] =
    [(6, Some(6), "for the trade fair"), (5, Some(3), "two are still at customs"), (4, None, "")];

pub(super) fn build(ground: &mut Ground, cast: &Cast, variant: &variants::Model) -> Result<()> {
    let (leeds, leipzig) = (cast.sites.of(Where::Gb).location_id, cast.sites.of(Where::De).location_id);
    for (location_id, on_hand) in [(leeds, DELIVERED), (leipzig, 0)] {
        let row =
            inventory_levels::Model { variant_id: variant.id, location_id, on_hand, reserved: 0, version: 1 };
        ground.rows.inventory_levels.push(row);
    }
    let mut at = ground.now - TimeDelta::days(16);
    for change in CHANGES {
        adjusted(ground, at, (variant.id, leeds), change)?;
        at += TimeDelta::days(1);
    }
    for transfer in TRANSFERS {
        sent(ground, at, variant.id, (leeds, leipzig), transfer)?;
        at += TimeDelta::days(3);
    }
    Ok(())
}

fn adjusted(
    ground: &mut Ground,
    at: DateTime<Utc>,
    (variant_id, location_id): (VariantId, LocationId),
    (reason, delta, note): (AdjustmentReason, i64, &str),
) -> Result<()> {
    let before = level(ground, variant_id, location_id)?;
    let on_hand = counted(before.on_hand, before.reserved, delta)?;
    put(ground, (variant_id, location_id), delta)?;
    let id = ground.draw.id(at, AdjustmentId::new);
    ground.rows.inventory_adjustments.push(inventory_adjustments::Model {
        id,
        variant_id,
        location_id,
        delta,
        on_hand,
        reason,
        note: noted(note),
        author_id: named(ground, "brand")?.id,
        created_at: at,
    });
    let place = json!({ "variant_id": variant_id, "location_id": location_id });
    let (kind, mut data) = match reason {
        AdjustmentReason::StockTake => ("inventory.counted", json!({ "on_hand": on_hand })),
        AdjustmentReason::Damage
        | AdjustmentReason::Shrink
        | AdjustmentReason::Found
        | AdjustmentReason::Correction => ("inventory.adjusted", json!({ "delta": delta, "reason": reason })),
    };
    if let (Some(data), Some(place)) = (data.as_object_mut(), place.as_object()) {
        data.extend(place.clone());
    }
    ground.books.event(&ground.draw, at, kind, id, None, data);
    Ok(())
}

/// Units that left one location, and two days later were partly, fully or not at all booked in at another one.
fn sent(
    ground: &mut Ground,
    at: DateTime<Utc>,
    variant_id: VariantId,
    (from, to): (LocationId, LocationId),
    (quantity, arrived, note): (i64, Option<i64>, &str),
) -> Result<()> {
    put(ground, (variant_id, from), -quantity)?;
    let mut row = inventory_transfers::Model {
        id: ground.draw.id(at, TransferId::new),
        from_location_id: from,
        to_location_id: to,
        status: TransferStatus::InTransit,
        lines: TransferLines(vec![TransferLine { variant_id, quantity, received: 0 }]),
        note: noted(note),
        created_at: at,
        updated_at: at,
        version: 1,
    };
    let data = json!({ "from_location_id": from, "to_location_id": to });
    ground.books.event(&ground.draw, at, "inventory.transfer_created", row.id, None, data);
    if let Some(units) = arrived {
        let at = at + TimeDelta::days(2);
        put(ground, (variant_id, to), units)?;
        let is_all = units == quantity;
        let event = if is_all { TransferEvent::Received } else { TransferEvent::PartReceived };
        row.status = row.status.after(event)?;
        row.lines = TransferLines(vec![TransferLine { variant_id, quantity, received: units }]);
        row.updated_at = at;
        row.version += 1;
        let data = json!({ "units": units, "lost": 0 });
        ground.books.event(&ground.draw, at, "inventory.transfer_received", row.id, None, data);
    }
    ground.rows.inventory_transfers.push(row);
    Ok(())
}

fn put(ground: &mut Ground, (variant_id, location_id): (VariantId, LocationId), units: i64) -> Result<()> {
    let row = level(ground, variant_id, location_id)?;
    row.on_hand += units;
    row.version += 1;
    Ok(())
}

fn level(
    ground: &mut Ground,
    variant_id: VariantId,
    location_id: LocationId,
) -> Result<&mut inventory_levels::Model> {
    let levels = &mut ground.rows.inventory_levels;
    let found = levels.iter_mut().find(|row| row.variant_id == variant_id && row.location_id == location_id);
    found.context("what is counted was never there")
}

fn noted(note: &str) -> Option<String> {
    Some(note.to_owned()).filter(|note| !note.is_empty())
}
