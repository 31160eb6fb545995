//! What is asked of a carrier: labels, another address, another number, and what went wrong.

use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::code::ErrorCode;
use shop_domain::fulfillments::{FulfillmentEvent, FulfillmentPurpose, ScanCode};
use shop_domain::ids::{FulfillmentId, OrderLineId};
use shop_domain::operations::operation;
use shop_domain::{ledger as books, limits};
use shop_store::entities::{fulfillments, orders};

use super::input::{Redirect, ReportException, UpdateTracking, check_carrier, check_tracking_number};
use super::movement::catch_up;
use super::parcel::{after, postage, scan, taken_number, tracking_number};
use super::read::find;
use super::view::{Redirection, View};
use crate::addresses::check_address;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, ledger, orders as order_service, shipping};

/// Buys postage for a packed parcel.
///
/// # Errors
/// When it has a label or has left, or no carrier is known.
pub async fn buy_label(ctx: &Ctx, id: FulfillmentId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("buy_shipping_label")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, FulfillmentEvent::LabelBought)?;
    let lines = order_service::lines_of(&*tx, order.id).await?;
    let units = row.lines.0.iter().filter_map(|packed| {
        let line = lines.iter().find(|line| line.id == packed.line_id)?;
        Some((line.variant_id, packed.quantity))
    });
    let units: Vec<_> = units.collect();
    let (method, price) = postage(&*tx, &order, &units).await?;
    // A voided label's number is never given again.
    let number = tracking_number(ctx, &format!("{id} {}", row.version));
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.carrier = Set(Some(method.carrier));
    row.tracking_number = Set(Some(number));
    row.label_minor = Set(Some(price));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    ledger::post(&*tx, ctx, &books::label_bought(price)?, ledger::Refs::order(&order), "label").await?;
    let data = json!({ "amount_minor": price });
    events::record(&*tx, ctx, "fulfillment.label_bought", id, Some(order.id), data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Gives unused postage back.
///
/// # Errors
/// When there is no label, or the parcel has left with it.
pub async fn void_label(ctx: &Ctx, id: FulfillmentId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("void_shipping_label")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, FulfillmentEvent::LabelVoided)?;
    give_label_back(&*tx, ctx, &order, &row).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.tracking_number = Set(None);
    row.label_minor = Set(None);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "fulfillment.label_voided", id, Some(order.id), json!({})).await?;
    tx.finish(ctx, id, View::from(row)).await
}

pub(super) async fn give_label_back(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    row: &fulfillments::Model,
) -> Result<()> {
    let postings = books::label_voided(row.label_minor.unwrap_or(0))?;
    ledger::post(tx, ctx, &postings, ledger::Refs::order(order), "label voided").await
}

/// Sends a parcel that is on its way somewhere else. The order keeps its address.
///
/// # Errors
/// `not_eligible` when it has not left or has arrived; `address_undeliverable` where the store does not deliver.
pub async fn redirect(ctx: &Ctx, id: FulfillmentId, input: Redirect) -> Result<Reply<Redirection>> {
    let tx = match ctx.start(operation("redirect_shipment")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (_, order) = find(ctx, &*tx, id).await?;
    let order = catch_up(&*tx, ctx, order).await?;
    let (row, _) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let lines: Vec<(OrderLineId, i64)> =
        row.lines.0.iter().map(|line| (line.line_id, line.quantity)).collect();
    // A replacement carries units that may have arrived before, so its parcel alone decides.
    if row.purpose != FulfillmentPurpose::Replacement {
        let ask = Ask {
            lines: Some(&lines),
            outflow_minor: 0,
            subject: id.to_string(),
            approval_id: input.approval_id,
            input: &input,
        };
        after_sales::permit(&*tx, ctx, AfterSalesOperation::RedirectShipment, &order, ask).await?;
    }
    let status = after(&row, FulfillmentEvent::Redirected)?;
    check_address(&input.address, "/address")?;
    must_reach(&*tx, &order, &input).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.destination = Set(input.address);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let place = row.destination.city.clone();
    scan(&*tx, &row, ScanCode::Redirected, place, "sent to another address", ctx.now()).await?;
    events::record(&*tx, ctx, "fulfillment.redirected", id, Some(order.id), json!({})).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    let view = Redirection {
        version: row.version,
        fulfillment: View::from(row),
        fee_minor: 0,
        currency: order.currency,
    };
    tx.finish(ctx, id, view).await
}

/// A store that delivers by zones delivers nowhere else.
async fn must_reach(tx: &impl ConnectionTrait, order: &orders::Model, input: &Redirect) -> Result<()> {
    if order.shipping_method_id.is_none() {
        return Ok(());
    }
    if shipping::methods_to(tx, order.store_id, &input.address, 0).await?.is_empty() {
        let detail = format!("the store does not deliver to {}", input.address.country);
        return Err(Error::new(ErrorCode::AddressUndeliverable, detail));
    }
    Ok(())
}

/// Corrects carrier or tracking number.
///
/// # Errors
/// When it has neither, or another parcel has the number.
pub async fn update_tracking(ctx: &Ctx, id: FulfillmentId, input: UpdateTracking) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_tracking_number")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    if row.tracking_number.is_none() {
        let detail =
            "the parcel has no tracking number yet; it gets one with its label or when it is shipped";
        return Err(Error::precondition("not_tracked", detail));
    }
    let version = row.version + 1;
    let mut row = row.into_active_model();
    if let Some(carrier) = input.carrier {
        check_carrier(&carrier)?;
        row.carrier = Set(Some(carrier));
    }
    if let Some(number) = input.tracking_number {
        check_tracking_number(&number)?;
        row.tracking_number = Set(Some(number));
    }
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await.map_err(taken_number)?;
    let data = json!({ "tracking_number": row.tracking_number, "carrier": row.carrier });
    events::record(&*tx, ctx, "fulfillment.tracking_updated", id, Some(order.id), data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Records that a parcel was lost, damaged, refused or sent back. What has arrived is returned instead.
///
/// # Errors
/// When it is not on its way.
pub async fn report_exception(ctx: &Ctx, id: FulfillmentId, input: ReportException) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("report_delivery_exception")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (_, order) = find(ctx, &*tx, id).await?;
    let order = catch_up(&*tx, ctx, order).await?;
    let (row, _) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    if input.note.as_ref().is_some_and(|note| note.len() > limits::REASON_CHARS_MAX) {
        let message = format!("a note has at most {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/note", message));
    }
    let status = after(&row, FulfillmentEvent::ExceptionReported)?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.exception_kind = Set(Some(input.kind));
    row.exception_note = Set(input.note);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let place = row.destination.country.clone();
    scan(&*tx, &row, ScanCode::Exception, place, input.kind.as_str(), ctx.now()).await?;
    let data = json!({ "kind": input.kind });
    events::record(&*tx, ctx, "fulfillment.exception_reported", id, Some(order.id), data).await?;
    order_service::refresh(&*tx, ctx, order.id).await?;
    tx.finish(ctx, id, View::from(row)).await
}
