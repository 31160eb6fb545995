//! Counts that people change: a stock-take says how many there are, an adjustment how many more or fewer.

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, Set};
use serde_json::json;
use shop_domain::ids::{AdjustmentId, LocationId, VariantId};
use shop_domain::inventory::{AdjustmentReason, CountError, counted};
use shop_domain::operations::operation;
use shop_store::entities::{
    inventory_adjustments as adjustments, inventory_levels as levels, locations, variants,
};

use super::input::{Adjust, SetLevel, check_note};
use super::moves::{put_back, take_off};
use super::view::{Adjustment, Level};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, catalog, events, stores};

/// Overwrites a count with what somebody counted.
///
/// # Errors
/// When the variant or location is out of sight, its stock is not counted, or more is reserved than was counted.
pub async fn set_level(
    ctx: &Ctx,
    variant_id: VariantId,
    location_id: LocationId,
    input: SetLevel,
) -> Result<Reply<Level>> {
    let tx = match ctx.start(operation("set_inventory_level")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    check_note(input.note.as_deref())?;
    let (variant, _) = shelf(ctx, &*tx, variant_id, location_id).await?;
    let before = level(&*tx, variant_id, location_id).await?;
    ctx.must_match(before.version)?;
    let delta = input
        .on_hand
        .checked_sub(before.on_hand)
        .ok_or_else(|| refused(CountError::OutOfRange, "/on_hand"))?;
    let row =
        Change { variant_id, location_id, delta, reason: AdjustmentReason::StockTake, note: input.note };
    let row = change(&*tx, ctx, before, row, "/on_hand").await?;
    let data = json!({ "variant_id": variant_id, "location_id": location_id, "on_hand": row.on_hand });
    events::record(&*tx, ctx, "inventory.counted", row.id, None, data).await?;
    let after = level(&*tx, variant_id, location_id).await?;
    tx.finish(ctx, variant_id, Level::new(after, variant.sku)).await
}

/// Adds or takes away units.
///
/// # Errors
/// When the variant or location is out of sight, the reason does not fit, or units that somebody holds would be gone.
pub async fn adjust(ctx: &Ctx, input: Adjust) -> Result<Reply<Adjustment>> {
    let tx = match ctx.start(operation("adjust_inventory")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    check_note(input.note.as_deref())?;
    let Adjust { variant_id, location_id, delta, reason, note } = input;
    if !reason.explains(delta) {
        let message = match reason {
            AdjustmentReason::StockTake => "a stock-take says how many there are: use set_inventory_level",
            AdjustmentReason::Damage | AdjustmentReason::Shrink => {
                "this reason takes units away: send a negative delta"
            }
            AdjustmentReason::Found => "this reason adds units: send a positive delta",
            AdjustmentReason::Correction => "send a delta other than 0",
        };
        return Err(Error::invalid("/delta", message));
    }
    shelf(ctx, &*tx, variant_id, location_id).await?;
    let before = level(&*tx, variant_id, location_id).await?;
    let row = Change { variant_id, location_id, delta, reason, note };
    let row = change(&*tx, ctx, before, row, "/delta").await?;
    let data =
        json!({ "variant_id": variant_id, "location_id": location_id, "delta": delta, "reason": reason });
    events::record(&*tx, ctx, "inventory.adjusted", row.id, None, data).await?;
    tx.finish(ctx, row.id, Adjustment::from(row)).await
}

/// A counted variant, and a location of its brand's, both in sight.
pub(super) async fn shelf(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    variant_id: VariantId,
    location_id: LocationId,
) -> Result<(variants::Model, locations::Model)> {
    let (variant, product) = catalog::find_variant(ctx, tx, variant_id).await?;
    let missing = || Error::not_found(format!("location {location_id}"));
    let location = locations::Entity::find_by_id(location_id).one(tx).await?.ok_or_else(missing)?;
    let store = stores::find(ctx, tx, location.store_id).await.map_err(|_| missing())?;
    if !variant.is_tracked {
        let detail = "the stock of this variant is not counted: there is nothing to change";
        return Err(Error::precondition("stock_not_counted", detail));
    }
    if store.brand_id != product.brand_id {
        let detail = format!("location {location_id} belongs to another brand than variant {variant_id}");
        return Err(Error::not_eligible("location_of_another_brand", detail));
    }
    Ok((variant, location))
}

/// What lies somewhere; nothing, at version 0, where there never was any.
async fn level(
    tx: &impl ConnectionTrait,
    variant_id: VariantId,
    location_id: LocationId,
) -> Result<levels::Model> {
    let row = levels::Entity::find_by_id((variant_id, location_id)).one(tx).await?;
    Ok(row.unwrap_or(levels::Model { variant_id, location_id, on_hand: 0, reserved: 0, version: 0 }))
}

struct Change {
    variant_id: VariantId,
    location_id: LocationId,
    delta: i64,
    reason: AdjustmentReason,
    note: Option<String>,
}

/// Changes a count and writes down why.
async fn change(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    before: levels::Model,
    change: Change,
    pointer: &str,
) -> Result<adjustments::Model> {
    let Change { variant_id, location_id, delta, reason, note } = change;
    let on_hand = counted(before.on_hand, before.reserved, delta).map_err(|error| refused(error, pointer))?;
    if delta < 0 {
        if !take_off(tx, variant_id, location_id, -delta).await? {
            return Err(Error::internal("a level has changed inside a transaction"));
        }
    } else {
        put_back(tx, variant_id, location_id, delta).await?;
    }
    let row = adjustments::ActiveModel {
        id: Set(ctx.id(AdjustmentId::new)),
        variant_id: Set(variant_id),
        location_id: Set(location_id),
        delta: Set(delta),
        on_hand: Set(on_hand),
        reason: Set(reason),
        note: Set(note),
        author_id: Set(ctx.principal.id),
        created_at: Set(ctx.now()),
    };
    Ok(row.insert(tx).await?)
}

fn refused(error: CountError, pointer: &str) -> Error {
    match error {
        CountError::Reserved { .. } => Error::precondition(
            "stock_is_reserved",
            format!("{error}; list_reservations says who holds them"),
        ),
        CountError::OutOfRange => Error::invalid(pointer, error.to_string()),
    }
}
