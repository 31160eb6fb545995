use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::{FulfillmentId, LocationId, OrderId, OrderLineId};
use shop_domain::operations::operation;
use shop_domain::status::FulfillmentStatus;
use shop_store::entities::{fulfillments, order_lines, orders, scans};

use super::input::Filter;
use super::movement::catch_up_for_read;
use super::parcel::method_of;
use super::view::{OrderTracking, Scan, Tracking, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, orders as order_service};

/// Parcels in sight, newest first, as they were last seen.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_fulfillments"))?;
    let limit = page.limit()?;
    let mut query = fulfillments::Entity::find()
        .filter(fulfillments::Column::OrderId.in_subquery(order_service::ids_in_sight(&ctx.principal.scope)));
    if let Some(order) = filter.order_id {
        query = query.filter(fulfillments::Column::OrderId.eq(order));
    }
    if let Some(location) = filter.location_id {
        query = query.filter(fulfillments::Column::LocationId.eq(location));
    }
    if let Some(status) = filter.status {
        query = query.filter(fulfillments::Column::Status.eq(status));
    }
    if let Some(before) = page.after::<FulfillmentId>()? {
        query = query.filter(fulfillments::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(fulfillments::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One parcel, where it is by now.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: FulfillmentId) -> Result<View> {
    ctx.may(operation("get_fulfillment"))?;
    let (_, order) = find(ctx, ctx.read()?, id).await?;
    catch_up_for_read(ctx, order).await?;
    let (row, _) = find(ctx, ctx.read()?, id).await?;
    Ok(row.into())
}

/// What the carrier has seen of one parcel.
///
/// # Errors
/// When no parcel in sight has this number.
pub async fn track(ctx: &Ctx, tracking_number: &str) -> Result<Tracking> {
    ctx.may(operation("track_shipment"))?;
    let missing = || Error::not_found(format!("shipment {tracking_number}"));
    let row = fulfillments::Entity::find()
        .filter(fulfillments::Column::TrackingNumber.eq(tracking_number))
        .one(ctx.read()?)
        .await?;
    let row = row.ok_or_else(missing)?;
    let order = order_service::find(ctx, ctx.read()?, row.order_id).await.map_err(|_| missing())?;
    let order = catch_up_for_read(ctx, order).await?;
    let (row, _) = find(ctx, ctx.read()?, row.id).await?;
    tracking(ctx, &order, row).await
}

/// All parcels of an order, each with its latest scan.
///
/// # Errors
/// When the order is out of sight.
pub async fn track_order(ctx: &Ctx, order: OrderId) -> Result<OrderTracking> {
    ctx.may(operation("get_order_tracking"))?;
    let order = order_service::find(ctx, ctx.read()?, order).await?;
    let order = catch_up_for_read(ctx, order).await?;
    let mut parcels = Vec::new();
    for row in of_order(ctx.read()?, order.id).await? {
        let mut parcel = tracking(ctx, &order, row).await?;
        parcel.scans = parcel.scans.pop().into_iter().collect();
        parcels.push(parcel);
    }
    Ok(OrderTracking { order_id: order.id, parcels })
}

async fn tracking(ctx: &Ctx, order: &orders::Model, row: fulfillments::Model) -> Result<Tracking> {
    let scans = scans::Entity::find()
        .filter(scans::Column::FulfillmentId.eq(row.id))
        .order_by_asc(scans::Column::At)
        .order_by_asc(scans::Column::Id)
        .all(ctx.read()?)
        .await?;
    let method = method_of(ctx.read()?, order).await?;
    let latest = |at: DateTime<Utc>, days: i64| at.checked_add_signed(TimeDelta::try_days(days)?);
    let expected_by = match (row.shipped_at, method) {
        (Some(at), Some(method)) => latest(at, method.days_max.max(1)),
        (Some(_), None) | (None, _) => None,
    };
    Ok(Tracking {
        fulfillment_id: row.id,
        order_id: row.order_id,
        status: row.status,
        carrier: row.carrier,
        tracking_number: row.tracking_number,
        destination: row.destination,
        expected_by,
        scans: scans.into_iter().map(Scan::from).collect(),
    })
}

/// One parcel of an order in sight, with the order.
pub(super) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: FulfillmentId,
) -> Result<(fulfillments::Model, orders::Model)> {
    let missing = || Error::not_found(format!("fulfillment {id}"));
    let row = fulfillments::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let order = order_service::find(ctx, conn, row.order_id).await.map_err(|_| missing())?;
    Ok((row, order))
}

/// All parcels of an order, oldest first.
pub(crate) async fn of_order(
    conn: &impl ConnectionTrait,
    order: OrderId,
) -> Result<Vec<fulfillments::Model>> {
    let rows = fulfillments::Entity::find().filter(fulfillments::Column::OrderId.eq(order));
    Ok(rows.order_by_asc(fulfillments::Column::Id).all(conn).await?)
}

/// Where an order's goods left from, which is where they go back to.
pub(crate) async fn shipped_from(conn: &impl ConnectionTrait, order: OrderId) -> Result<Option<LocationId>> {
    let rows = of_order(conn, order).await?;
    Ok(rows.iter().find(|row| row.status.has_left()).map(|row| row.location_id))
}

/// When the last of an order's parcels arrived, by the carrier's scan rather than by who looked when.
pub(crate) async fn last_arrival(
    conn: &impl ConnectionTrait,
    order: OrderId,
) -> Result<Option<DateTime<Utc>>> {
    Ok(of_order(conn, order).await?.iter().filter_map(|row| row.delivered_at).max())
}

/// Units of a line that were sent again, free, and are not lost too.
pub(crate) fn replaced_units(parcels: &[fulfillments::Model], line: OrderLineId) -> i64 {
    let stand = parcels.iter().filter(|parcel| {
        parcel.purpose == FulfillmentPurpose::Replacement
            && !matches!(parcel.status, FulfillmentStatus::Cancelled | FulfillmentStatus::Exception)
    });
    units_in(stand, line)
}

/// Lines with units that a carrier lost, and that were neither refunded nor sent again: one remedy each.
pub(crate) async fn open_exceptions(
    conn: &impl ConnectionTrait,
    order: OrderId,
    lines: &[order_lines::Model],
) -> Result<Vec<OrderLineId>> {
    let parcels = of_order(conn, order).await?;
    let lost = |line: &&order_lines::Model| {
        let lost = parcels.iter().filter(|parcel| {
            parcel.status == FulfillmentStatus::Exception && parcel.purpose != FulfillmentPurpose::Replacement
        });
        let refunded = Ord::max(line.refunded_quantity - line.cancelled_quantity, 0);
        let remedied = replaced_units(&parcels, line.id) + refunded;
        units_in(lost, line.id) > remedied
    };
    Ok(lines.iter().filter(lost).map(|line| line.id).collect())
}

fn units_in<'a>(parcels: impl Iterator<Item = &'a fulfillments::Model>, line: OrderLineId) -> i64 {
    let packed = parcels.flat_map(|parcel| &parcel.lines.0).filter(|packed| packed.line_id == line);
    packed.map(|packed| packed.quantity).sum()
}
