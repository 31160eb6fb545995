//! What every parcel goes through, whatever it is sent for: allocated, handed over, delivered.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, NotSet, QueryFilter,
    QueryOrder, Set,
};
use serde_json::json;
use shop_domain::fulfillments::{FulfillmentEvent, FulfillmentPurpose, ScanCode};
use shop_domain::ids::{ExchangeId, FulfillmentId, LocationId, OrderId, VariantId};
use shop_domain::status::FulfillmentStatus;
use shop_store::columns::{Line, Lines};
use shop_store::entities::{fulfillments, locations, order_lines, orders, scans, shipping_methods, variants};
use shop_world::chance;

use crate::error::{Error, Result};
use crate::{Ctx, events, inventory, orders as order_service, shipping};

/// A parcel about to be packed.
pub(crate) struct Parcel<'a> {
    pub(crate) id: FulfillmentId,
    pub(crate) order: &'a orders::Model,
    pub(crate) purpose: FulfillmentPurpose,
    pub(crate) exchange_id: Option<ExchangeId>,
    pub(crate) location_id: Option<LocationId>,
    pub(crate) lines: Vec<(order_lines::Model, i64)>,
}

/// Who holds the stock of a parcel: its order, its exchange, or a replacement itself.
pub(super) fn holder(
    purpose: FulfillmentPurpose,
    order: OrderId,
    exchange: Option<ExchangeId>,
    id: FulfillmentId,
) -> String {
    match (purpose, exchange) {
        (FulfillmentPurpose::Order, _) => order.to_string(),
        (FulfillmentPurpose::Exchange, Some(exchange)) => exchange.to_string(),
        (FulfillmentPurpose::Exchange, None) | (FulfillmentPurpose::Replacement, _) => id.to_string(),
    }
}

/// Packs a parcel: its units, which are reserved already, are brought to one location.
pub(crate) async fn allocate(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    parcel: Parcel<'_>,
) -> Result<fulfillments::Model> {
    let Parcel { id, order, purpose, exchange_id, location_id, lines } = parcel;
    let holder = holder(purpose, order.id, exchange_id, id);
    let location = location(tx, order, &holder, location_id).await?;
    let mut needed: BTreeMap<VariantId, i64> = BTreeMap::new();
    for (line, units) in &lines {
        *needed.entry(line.variant_id).or_default() += units;
    }
    if purpose == FulfillmentPurpose::Order {
        add_packed_already(tx, order.id, location, &mut needed).await?;
    }
    for (variant, units) in needed {
        inventory::gather(tx, ctx, &holder, variant, units, location).await?;
    }
    let lines =
        lines.iter().map(|(line, quantity)| Line { line_id: line.id, quantity: *quantity, amount_minor: 0 });
    let row = fulfillments::ActiveModel {
        id: Set(id),
        order_id: Set(order.id),
        exchange_id: Set(exchange_id),
        location_id: Set(location),
        purpose: Set(purpose),
        status: Set(FulfillmentStatus::Allocated),
        lines: Set(Lines(lines.collect())),
        carrier: Set(None),
        tracking_number: Set(None),
        label_minor: Set(None),
        destination: Set(order.shipping_address.clone()),
        exception_kind: Set(None),
        exception_note: Set(None),
        shipped_at: Set(None),
        delivered_at: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(tx).await?;
    let data = json!({ "purpose": purpose, "location_id": location });
    events::record(tx, ctx, "fulfillment.created", id, Some(order.id), data).await?;
    Ok(row)
}

/// The location that was asked for, the one that has the stock, or the store's first.
async fn location(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    holder: &str,
    wanted: Option<LocationId>,
) -> Result<LocationId> {
    let of_store = locations::Entity::find()
        .filter(locations::Column::StoreId.eq(order.store_id))
        .order_by_asc(locations::Column::Id)
        .all(tx)
        .await?;
    if let Some(id) = wanted {
        return match of_store.iter().any(|location| location.id == id) {
            true => Ok(id),
            false => Err(Error::not_found(format!("location {id} of this store"))),
        };
    }
    if let Some(id) = inventory::location_of(tx, holder).await? {
        return Ok(id);
    }
    of_store
        .first()
        .map(|location| location.id)
        .ok_or_else(|| Error::precondition("no_location", "the store has no location to send from"))
}

/// What other parcels of the order wait for at the same location must stay there for them.
async fn add_packed_already(
    tx: &impl ConnectionTrait,
    order: OrderId,
    location: LocationId,
    needed: &mut BTreeMap<VariantId, i64>,
) -> Result<()> {
    let packed = fulfillments::Entity::find()
        .filter(fulfillments::Column::OrderId.eq(order))
        .filter(fulfillments::Column::LocationId.eq(location))
        .filter(fulfillments::Column::Purpose.eq(FulfillmentPurpose::Order))
        .filter(
            fulfillments::Column::Status.is_in([FulfillmentStatus::Allocated, FulfillmentStatus::Labelled]),
        )
        .all(tx)
        .await?;
    let lines = order_service::lines_of(tx, order).await?;
    for packed in packed.iter().flat_map(|parcel| &parcel.lines.0) {
        let line = lines.iter().find(|line| line.id == packed.line_id);
        if let Some(units) = line.and_then(|line| needed.get_mut(&line.variant_id)) {
            *units += packed.quantity;
        }
    }
    Ok(())
}

/// Gives a parcel to its carrier: its stock leaves, its lines count as shipped, and the first scan is made.
pub(crate) async fn hand_over(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    row: fulfillments::Model,
    method: Option<&shipping_methods::Model>,
    tracking: Option<String>,
) -> Result<fulfillments::Model> {
    let status = after(&row, FulfillmentEvent::Shipped)?;
    let holder = holder(row.purpose, row.order_id, row.exchange_id, row.id);
    let lines = order_service::lines_of(tx, row.order_id).await?;
    for packed in &row.lines.0 {
        let line = lines.iter().find(|line| line.id == packed.line_id);
        let line = line.ok_or_else(|| Error::internal("a parcel with a line of no order"))?;
        inventory::ship(tx, &holder, line.variant_id, row.location_id, packed.quantity).await?;
        if row.purpose == FulfillmentPurpose::Order {
            let mut counted = line.clone().into_active_model();
            counted.allocated_quantity = Set(line.allocated_quantity - packed.quantity);
            counted.shipped_quantity = Set(line.shipped_quantity + packed.quantity);
            counted.update(tx).await?;
        }
    }
    let (id, order_id, version) = (row.id, row.order_id, row.version + 1);
    let number = tracking.or_else(|| row.tracking_number.clone());
    let number = number.unwrap_or_else(|| tracking_number(ctx, &id.to_string()));
    let mut shipped = row.into_active_model();
    shipped.status = Set(status);
    if let Some(method) = method {
        shipped.carrier = Set(Some(method.carrier.clone()));
    }
    shipped.tracking_number = Set(Some(number.clone()));
    shipped.shipped_at = Set(Some(ctx.now()));
    shipped.updated_at = Set(ctx.now());
    shipped.version = Set(version);
    let row = shipped.update(tx).await.map_err(taken_number)?;
    if let Some(method) = method.filter(|_| row.purpose == FulfillmentPurpose::Order) {
        let mut order = order.clone().into_active_model();
        order.shipped_method_id = Set(Some(method.id));
        order.update(tx).await?;
    }
    let place = locations::Entity::find_by_id(row.location_id).one(tx).await?;
    let place = place.map_or_else(String::new, |location| location.name);
    scan(tx, &row, ScanCode::PickedUp, place, "handed to the carrier", ctx.now()).await?;
    let data = json!({ "tracking_number": number, "purpose": row.purpose });
    events::record(tx, ctx, "fulfillment.shipped", id, Some(order_id), data).await?;
    Ok(row)
}

/// Records that a parcel has arrived: its units count as delivered.
pub(super) async fn arrive(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: fulfillments::Model,
    at: DateTime<Utc>,
) -> Result<fulfillments::Model> {
    let status = after(&row, FulfillmentEvent::Delivered)?;
    for line in order_service::lines_of(tx, row.order_id).await? {
        let packed = row.lines.0.iter().filter(|packed| packed.line_id == line.id);
        let units: i64 = packed.map(|packed| packed.quantity).sum();
        if units == 0 {
            continue;
        }
        // A replacement of units that had arrived already delivers nothing new.
        let delivered = Ord::min(line.delivered_quantity + units, line.shipped_quantity);
        let mut counted = line.into_active_model();
        counted.delivered_quantity = Set(delivered);
        counted.update(tx).await?;
    }
    let version = row.version + 1;
    let mut arrived = row.into_active_model();
    arrived.status = Set(status);
    arrived.delivered_at = Set(Some(at));
    arrived.updated_at = Set(ctx.now());
    arrived.version = Set(version);
    let row = arrived.update(tx).await?;
    scan(tx, &row, ScanCode::Delivered, row.destination.city.clone(), "delivered", at).await?;
    events::record(tx, ctx, "fulfillment.delivered", row.id, Some(row.order_id), json!({})).await?;
    Ok(row)
}

pub(super) async fn scan(
    tx: &impl ConnectionTrait,
    row: &fulfillments::Model,
    code: ScanCode,
    place: String,
    detail: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    let seen = scans::ActiveModel {
        id: NotSet,
        fulfillment_id: Set(row.id),
        code: Set(code),
        place: Set(place),
        detail: Set(detail.to_owned()),
        at: Set(at),
    };
    seen.insert(tx).await?;
    Ok(())
}

pub(super) fn after(row: &fulfillments::Model, event: FulfillmentEvent) -> Result<FulfillmentStatus> {
    row.status
        .after(event)
        .map_err(|refusal| Error::precondition("fulfillment_not_ready", refusal.to_string()))
}

/// How an order's parcels travel: as they were shipped, or as the customer chose.
pub(crate) async fn method_of(
    conn: &impl ConnectionTrait,
    order: &orders::Model,
) -> Result<Option<shipping_methods::Model>> {
    match order.shipped_method_id.or(order.shipping_method_id) {
        Some(id) => Ok(shipping_methods::Entity::find_by_id(id).one(conn).await?),
        None => Ok(None),
    }
}

/// What the postage of some units costs the shop with the order's carrier, and the method it is for.
///
/// # Errors
/// When the order has no shipping method, so that no carrier is known.
pub(crate) async fn postage(
    conn: &impl ConnectionTrait,
    order: &orders::Model,
    units: &[(VariantId, i64)],
) -> Result<(shipping_methods::Model, i64)> {
    let method = method_of(conn, order).await?;
    let method = method.ok_or_else(|| {
        Error::precondition(
            "no_carrier",
            "the order has no shipping method, so no carrier sells a label for it",
        )
    })?;
    let mut weight = 0;
    for (variant, quantity) in units {
        let row = variants::Entity::find_by_id(*variant).one(conn).await?;
        weight += row.map_or(0, |row| row.weight_g) * quantity;
    }
    let price = shipping::price_of(&method, 0, weight);
    Ok((method, price))
}

/// A carrier's number, from the world's chance.
pub(crate) fn tracking_number(ctx: &Ctx, of: &str) -> String {
    let number = chance::number(ctx.shop.world.seed, &["tracking_number", of]) % 1_000_000_000_000;
    format!("TW{number:012}")
}

pub(super) fn taken_number(cause: sea_orm::DbErr) -> Error {
    if shop_store::is_unique_violation(&cause) {
        return Error::invalid("/tracking_number", "another parcel has this tracking number; check it again");
    }
    cause.into()
}
