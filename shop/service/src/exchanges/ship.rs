use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::exchanges::ExchangeEvent;
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::{ExchangeId, FulfillmentId};
use shop_domain::operations::operation;
use shop_store::columns::ExchangeLine;
use shop_store::entities::{exchanges, order_lines, orders, variants};

use super::books::line_of;
use super::read::{after, find, is_back, return_of, view};
use super::view::View;
use crate::error::{Error, Result};
use crate::fulfillments::{self, Parcel};
use crate::start::Start;
use crate::{Ctx, Reply, after_sales, events, ledger, orders as order_service};

/// Sends the new goods. From here the lines of the order are these.
///
/// # Errors
/// When it is not approved, the old goods are not back where the policy waits for them, or the difference is due.
pub async fn ship(ctx: &Ctx, id: ExchangeId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("ship_exchange_items")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, ExchangeEvent::Shipped)?;
    must_be_ready(&*tx, &order, &row).await?;
    let mut lines = Vec::with_capacity(row.lines.0.len());
    for line in &row.lines.0 {
        lines.push((swap(&*tx, line).await?, line.quantity));
    }
    let parcel = Parcel {
        id: ctx.id(FulfillmentId::new),
        order: &order,
        purpose: FulfillmentPurpose::Exchange,
        exchange_id: Some(id),
        location_id: None,
        lines,
    };
    let parcel = fulfillments::allocate(&*tx, ctx, parcel).await?;
    let method = fulfillments::method_of(&*tx, &order).await?;
    let parcel = fulfillments::hand_over(&*tx, ctx, &order, parcel, method.as_ref(), None).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.fulfillment_id = Set(Some(parcel.id));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(&*tx).await?;
    let data = json!({ "fulfillment_id": parcel.id, "tracking_number": parcel.tracking_number });
    events::record(&*tx, ctx, "exchange.shipped", id, Some(order.id), data).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    // The refresh may have completed it.
    let (row, _) = find(ctx, &*tx, id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

async fn must_be_ready(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    row: &exchanges::Model,
) -> Result<()> {
    let waits = after_sales::policy_of(tx, order).await?.exchange_waits_for_return;
    let inbound = return_of(tx, row).await?;
    if waits && !is_back(&inbound) {
        let detail = format!("this store waits for the old goods; receive return {} first", inbound.id);
        return Err(Error::precondition("return_not_received", detail));
    }
    let due = ledger::receivable(tx, order.id).await?;
    if due > 0 {
        let detail =
            format!("{due} minor units are due on order {}; take them with create_payment first", order.id);
        return Err(Error::precondition("difference_unpaid", detail));
    }
    Ok(())
}

/// The line becomes one of the new goods, which are on their way.
async fn swap(tx: &impl ConnectionTrait, line: &ExchangeLine) -> Result<order_lines::Model> {
    let row = line_of(tx, line.line_id).await?;
    let variant = variants::Entity::find_by_id(line.variant_id).one(tx).await?;
    let variant = variant.ok_or_else(|| Error::internal("a variant has vanished"))?;
    let (delivered, in_return) =
        (row.delivered_quantity - line.quantity, row.return_quantity - line.quantity);
    let mut row = row.into_active_model();
    row.variant_id = Set(variant.id);
    row.title = Set(variant.title);
    row.sku = Set(variant.sku);
    row.options = Set(variant.options);
    row.delivered_quantity = Set(delivered);
    row.return_quantity = Set(in_return);
    Ok(row.update(tx).await?)
}
