use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, Set};
use serde_json::json;
use shop_domain::ids::ShippingMethodId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::{shipping_methods, shipping_zones};

use super::input::Create;
use super::rates::WEIGHT_G_MAX;
use super::view::Method;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, prices, stores, text};

/// Longer than any carrier takes.
const DAYS_MAX: i64 = 90;

/// Adds a method to a zone, behind those of its store. New carts and orders can use it at once.
///
/// # Errors
/// When the zone is out of sight or a field is bad.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<Method>> {
    let tx = match ctx.start(operation("create_shipping_method")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let missing = || Error::not_found(format!("shipping zone {}", input.zone_id));
    let zone = shipping_zones::Entity::find_by_id(input.zone_id).one(&*tx).await?.ok_or_else(missing)?;
    let store = stores::find(ctx, &*tx, zone.store_id).await.map_err(|_| missing())?;
    check(&input)?;
    let last = shipping_methods::Entity::find()
        .filter(shipping_methods::Column::StoreId.eq(store.id))
        .order_by_desc(shipping_methods::Column::Position)
        .one(&*tx)
        .await?;
    let row = shipping_methods::ActiveModel {
        id: Set(ctx.id(ShippingMethodId::new)),
        zone_id: Set(zone.id),
        store_id: Set(store.id),
        name: Set(input.name),
        carrier: Set(input.carrier),
        price_minor: Set(input.price_minor),
        free_over_minor: Set(input.free_over_minor),
        per_kg_minor: Set(input.per_kg_minor),
        max_weight_g: Set(input.max_weight_g),
        days_min: Set(input.days_min),
        days_max: Set(input.days_max),
        position: Set(last.map_or(0, |last| last.position + 1)),
        is_active: Set(true),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "shipping_method.created", row.id, None, json!({ "zone_id": zone.id })).await?;
    tx.finish(ctx, row.id, Method::from(row)).await
}

fn check(input: &Create) -> Result<()> {
    text::must_fit(&input.name, limits::NAME_CHARS_MAX, "/name")?;
    text::must_fit(&input.carrier, limits::NAME_CHARS_MAX, "/carrier")?;
    prices::check_amount(input.price_minor, "/price_minor")?;
    prices::check_amount(input.per_kg_minor, "/per_kg_minor")?;
    if let Some(over) = input.free_over_minor {
        prices::check_amount(over, "/free_over_minor")?;
    }
    if !(1..=WEIGHT_G_MAX).contains(&input.max_weight_g) {
        return Err(Error::invalid("/max_weight_g", format!("a parcel weighs 1 to {WEIGHT_G_MAX} grams")));
    }
    if !(0..=DAYS_MAX).contains(&input.days_min) {
        return Err(Error::invalid("/days_min", format!("it takes 0 to {DAYS_MAX} days")));
    }
    if !(input.days_min..=DAYS_MAX).contains(&input.days_max) {
        let message = format!("it takes at most {DAYS_MAX} days, and not fewer than days_min");
        return Err(Error::invalid("/days_max", message));
    }
    Ok(())
}
