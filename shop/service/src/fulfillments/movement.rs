use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use shop_domain::fulfillments::{FulfillmentEvent, ScanCode, scans_due};
use shop_domain::status::FulfillmentStatus;
use shop_store::entities::{fulfillments, orders, scans, shipping_methods};

use super::parcel::{after, arrive, method_of, scan};
use crate::error::Result;
use crate::{Ctx, orders as order_service};

/// Lets the parcels of an order be where the world's clock says they are, and returns the order as it is then.
/// Parcels without a shipping method stand still until somebody says otherwise.
pub(crate) async fn catch_up(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: orders::Model,
) -> Result<orders::Model> {
    let Some(method) = method_of(tx, &order).await? else { return Ok(order) };
    let mut has_moved = false;
    for row in moving(tx, &order).await? {
        has_moved |= advance(tx, ctx, &method, row).await?;
    }
    if has_moved { order_service::refresh(tx, ctx, order.id).await } else { Ok(order) }
}

/// The same for reads, which open a transaction only when there is something to write.
pub(crate) async fn catch_up_for_read(ctx: &Ctx, order: orders::Model) -> Result<orders::Model> {
    let on_the_way = moving(ctx.read()?, &order).await?;
    if on_the_way.is_empty() {
        return Ok(order);
    }
    let Some(method) = method_of(ctx.read()?, &order).await? else { return Ok(order) };
    let mut is_behind = false;
    for row in on_the_way {
        is_behind |= !unseen(ctx.read()?, ctx, &method, &row).await?.is_empty();
    }
    if !is_behind {
        return Ok(order);
    }
    let tx = ctx.begin().await?;
    let order = catch_up(&*tx, ctx, order).await?;
    tx.commit().await?;
    Ok(order)
}

async fn moving(conn: &impl ConnectionTrait, order: &orders::Model) -> Result<Vec<fulfillments::Model>> {
    let rows = fulfillments::Entity::find().filter(fulfillments::Column::OrderId.eq(order.id)).filter(
        fulfillments::Column::Status.is_in([FulfillmentStatus::Shipped, FulfillmentStatus::InTransit]),
    );
    Ok(rows.order_by_asc(fulfillments::Column::Id).all(conn).await?)
}

type Due = Vec<(ScanCode, chrono::DateTime<chrono::Utc>)>;

/// Scans that the carrier has made by now and the shop has not written down.
async fn unseen(
    conn: &impl ConnectionTrait,
    ctx: &Ctx,
    method: &shipping_methods::Model,
    row: &fulfillments::Model,
) -> Result<Due> {
    let Some(shipped_at) = row.shipped_at else { return Ok(Vec::new()) };
    let mut due = scans_due(shipped_at, method.days_min, method.days_max, ctx.now());
    if due.is_empty() {
        return Ok(due);
    }
    let seen = scans::Entity::find().filter(scans::Column::FulfillmentId.eq(row.id)).all(conn).await?;
    due.retain(|(code, _)| !seen.iter().any(|scan| scan.code == *code));
    Ok(due)
}

async fn advance(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    method: &shipping_methods::Model,
    mut row: fulfillments::Model,
) -> Result<bool> {
    let due = unseen(tx, ctx, method, &row).await?;
    let has_moved = !due.is_empty();
    for (code, at) in due {
        let (place, detail) = match code {
            ScanCode::InTransit => (row.destination.country.clone(), "on its way to the destination"),
            ScanCode::OutForDelivery => (row.destination.city.clone(), "out for delivery"),
            ScanCode::Delivered => {
                row = arrive(tx, ctx, row, at).await?;
                continue;
            }
            ScanCode::PickedUp | ScanCode::Redirected | ScanCode::Exception => continue,
        };
        scan(tx, &row, code, place, detail, at).await?;
        let (status, version) = (after(&row, FulfillmentEvent::Scanned)?, row.version + 1);
        let mut seen = row.into_active_model();
        seen.status = Set(status);
        seen.updated_at = Set(ctx.now());
        seen.version = Set(version);
        row = seen.update(tx).await?;
    }
    Ok(has_moved)
}
