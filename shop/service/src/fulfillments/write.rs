use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::fulfillments::{FulfillmentEvent, FulfillmentPurpose};
use shop_domain::ids::{FulfillmentId, OrderId};
use shop_domain::operations::operation;
use shop_domain::status::{FulfillmentStatus, OrderStatus, ReservationStatus};
use shop_store::entities::{fulfillments, orders as order_rows, stores};

use super::carrier::give_label_back;
use super::input::{Create, Ship, check_tracking_number};
use super::movement::catch_up;
use super::parcel::{Parcel, after, allocate, arrive, hand_over, holder, method_of};
use super::read::find;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::units::pick;
use crate::{Ctx, Reply, events, inventory, orders, shipping};

/// Packs units that are neither shipped, cancelled nor in another parcel.
///
/// # Errors
/// When the order is not confirmed, the units are not there to pack, or the location lacks the stock.
pub async fn create(ctx: &Ctx, order_id: OrderId, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_fulfillment")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    if order.status != OrderStatus::Confirmed {
        let detail = format!("order {order_id} is {}; only a confirmed order is packed", order.status);
        return Err(Error::precondition("order_not_confirmed", detail));
    }
    let lines = orders::lines_of(&*tx, order_id).await?;
    let lines = pick(
        &lines,
        input.lines.as_deref(),
        |line| line.quantity - line.cancelled_quantity - line.shipped_quantity - line.allocated_quantity,
        "still to be packed",
    )?;
    let parcel = Parcel {
        id: ctx.id(FulfillmentId::new),
        order: &order,
        purpose: FulfillmentPurpose::Order,
        exchange_id: None,
        location_id: input.location_id,
        lines: lines.clone(),
    };
    let row = allocate(&*tx, ctx, parcel).await?;
    for (line, units) in lines {
        let allocated = line.allocated_quantity + units;
        let mut line = line.into_active_model();
        line.allocated_quantity = Set(allocated);
        line.update(&*tx).await?;
    }
    orders::refresh(&*tx, ctx, order_id).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Hands a parcel to its carrier. From here its goods come back as a return only.
///
/// # Errors
/// When it has left or was cancelled, or the method does not deliver there.
pub async fn ship(ctx: &Ctx, id: FulfillmentId, input: Ship) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("mark_fulfillment_shipped")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    if matches!(order.status, OrderStatus::Cancelled | OrderStatus::OnHold) {
        let detail = format!("order {} is {}; its parcels stay here", order.id, order.status);
        return Err(Error::precondition("order_not_open", detail));
    }
    if let Some(number) = &input.tracking_number {
        check_tracking_number(number)?;
    }
    let method = match input.shipping_method_id {
        Some(method) => {
            let store = stores::Entity::find_by_id(order.store_id).one(&*tx).await?;
            let store = store.ok_or_else(|| Error::internal("an order without a store"))?;
            Some(shipping::method_for(&*tx, &store, method, Some(&row.destination), 0).await?)
        }
        None => method_of(&*tx, &order).await?,
    };
    let row = hand_over(&*tx, ctx, &order, row, method.as_ref(), input.tracking_number).await?;
    orders::refresh(&*tx, ctx, order.id).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Records that a parcel has arrived; the return window opens. Lost parcels may still turn up.
///
/// # Errors
/// When it has not left, or has arrived already.
pub async fn deliver(ctx: &Ctx, id: FulfillmentId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("mark_fulfillment_delivered")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (_, order) = find(ctx, &*tx, id).await?;
    let order = catch_up(&*tx, ctx, order).await?;
    let (row, _) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let row = arrive(&*tx, ctx, row, ctx.now()).await?;
    orders::refresh(&*tx, ctx, order.id).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Stops a parcel that has not left. Its units can be packed again; the order stays open and nothing is refunded.
///
/// # Errors
/// When it has left, or was cancelled already.
pub async fn cancel(ctx: &Ctx, id: FulfillmentId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("cancel_fulfillment")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let row = stop(&*tx, ctx, &order, row).await?;
    orders::refresh(&*tx, ctx, order.id).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Stops a parcel that has not left, and gives its label back.
pub(crate) async fn stop(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &order_rows::Model,
    row: fulfillments::Model,
) -> Result<fulfillments::Model> {
    let status = after(&row, FulfillmentEvent::Cancelled)?;
    if row.status == FulfillmentStatus::Labelled {
        give_label_back(tx, ctx, order, &row).await?;
    }
    match row.purpose {
        FulfillmentPurpose::Order => {
            for line in orders::lines_of(tx, order.id).await? {
                let packed = row.lines.0.iter().filter(|packed| packed.line_id == line.id);
                let units: i64 = packed.map(|packed| packed.quantity).sum();
                let allocated = line.allocated_quantity - units;
                let mut line = line.into_active_model();
                line.allocated_quantity = Set(allocated);
                line.update(tx).await?;
            }
        }
        FulfillmentPurpose::Exchange | FulfillmentPurpose::Replacement => {
            let holder = holder(row.purpose, row.order_id, row.exchange_id, row.id);
            inventory::release(tx, &holder, ReservationStatus::Released).await?;
        }
    }
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.label_minor = Set(None);
    row.tracking_number = Set(None);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(tx).await?;
    events::record(tx, ctx, "fulfillment.cancelled", row.id, Some(order.id), json!({})).await?;
    Ok(row)
}
