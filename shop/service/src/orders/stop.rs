use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::ids::OrderId;
use shop_domain::ledger::{Sale, order_cancelled};
use shop_domain::orders::OrderEvent;
use shop_domain::status::{FulfillmentStatus, ReservationStatus};
use shop_store::entities::{fulfillments as parcel_rows, order_lines, orders};

use crate::error::{Error, Result};
use crate::{Ctx, events, fulfillments, inventory, ledger, pricing, promotions};

/// Ends an order: nothing is owed for it any more, its stock, coupon and promotions are free, and no parcel of it leaves. Held
/// and taken money stays where it is.
///
/// # Errors
/// When its status does not allow it.
pub(crate) async fn stop(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    reason: &str,
) -> Result<()> {
    let status = order.status.after(OrderEvent::Cancelled);
    let status = status.map_err(|refusal| Error::precondition("order_not_open", refusal.to_string()))?;
    let sale = ledger::standing_sale(tx, order.id).await?;
    ledger::post(tx, ctx, &order_cancelled(&sale)?, ledger::Refs::order(order), "cancelled").await?;
    for parcel in waiting_parcels(tx, order.id).await? {
        fulfillments::stop(tx, ctx, order, parcel).await?;
    }
    inventory::release(tx, &order.id.to_string(), ReservationStatus::Released).await?;
    use order_lines::Column;
    order_lines::Entity::update_many()
        .col_expr(
            Column::CancelledQuantity,
            Expr::col(Column::Quantity).sub(Expr::col(Column::ShippedQuantity)),
        )
        .filter(Column::OrderId.eq(order.id))
        .exec(tx)
        .await?;
    if let Some(coupon) = order.coupon_id {
        pricing::release_use(tx, coupon).await?;
    }
    promotions::give_back(tx, order.id).await?;
    let mut row = order.clone().into_active_model();
    row.status = Set(status);
    row.cancel_reason = Set(Some(reason.to_owned()));
    row.cancelled_at = Set(Some(ctx.now()));
    row.update(tx).await?;
    events::record(tx, ctx, "order.cancelled", order.id, Some(order.id), json!({ "reason": reason })).await
}

/// Takes units that have not shipped out of an order that goes on.
pub(crate) async fn drop_units(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    line: &order_lines::Model,
    units: i64,
    sale: &Sale,
) -> Result<()> {
    let parcels = waiting_parcels(tx, order.id).await?;
    let of_line = |parcel: &parcel_rows::Model| -> i64 {
        let lines = parcel.lines.0.iter().filter(|packed| packed.line_id == line.id);
        lines.map(|packed| packed.quantity).sum()
    };
    let packed: i64 = parcels.iter().map(of_line).sum();
    let unpacked = line.quantity - line.cancelled_quantity - line.shipped_quantity - packed;
    if units > unpacked {
        for parcel in parcels.into_iter().filter(|parcel| of_line(parcel) > 0) {
            fulfillments::stop(tx, ctx, order, parcel).await?;
        }
    }
    use order_lines::Column;
    order_lines::Entity::update_many()
        .col_expr(Column::CancelledQuantity, Expr::col(Column::CancelledQuantity).add(units))
        .filter(Column::Id.eq(line.id))
        .exec(tx)
        .await?;
    inventory::restock(tx, &order.id.to_string(), line.variant_id, units).await?;
    ledger::post(tx, ctx, &order_cancelled(sale)?, ledger::Refs::order(order), "units_cancelled").await?;
    let data = json!({ "line_id": line.id, "quantity": units });
    events::record(tx, ctx, "order.units_cancelled", order.id, Some(order.id), data).await
}

/// Parcels of an order that have not left.
pub(super) async fn waiting_parcels(
    tx: &impl ConnectionTrait,
    order: OrderId,
) -> Result<Vec<parcel_rows::Model>> {
    let waiting = [FulfillmentStatus::Allocated, FulfillmentStatus::Labelled];
    let parcels = parcel_rows::Entity::find()
        .filter(parcel_rows::Column::OrderId.eq(order))
        .filter(parcel_rows::Column::Status.is_in(waiting));
    Ok(parcels.all(tx).await?)
}
