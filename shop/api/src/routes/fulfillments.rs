use actix_web::web::{Json, Path, Query};
use actix_web::{delete, get, patch, post};
use serde::Deserialize;
use shop_domain::ids::{FulfillmentId, OrderId};
use shop_domain::operations::operation;
use shop_service::fulfillments::{
    self, Create, Filter, OrderTracking, Redirect, Redirection, ReportException, Ship, Tracking,
    UpdateTracking, View,
};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_fulfillments).service(get_fulfillment).service(create_fulfillment);
    config.service(buy_shipping_label).service(void_shipping_label).service(mark_fulfillment_shipped);
    config.service(mark_fulfillment_delivered).service(cancel_fulfillment).service(redirect_shipment);
    config.service(update_tracking_number).service(track_shipment).service(get_order_tracking);
    config.service(report_delivery_exception);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct FulfillmentPath {
    /// Which parcel.
    fulfillment_id: FulfillmentId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct TrackingPath {
    /// The carrier's number of the parcel.
    #[param(example = "TW000482019337", max_length = 64)]
    tracking_number: String,
}

/// By order, location or status.
///
/// Changes nothing. Newest first, each parcel as it was last seen; `get_fulfillment` looks again.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/fulfillments")]
async fn list_fulfillments(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { fulfillments::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Lines, parcel, label and state.
///
/// Precondition: its order is within your scope. Shows where the parcel is by now; `track_shipment` has its scans.
#[utoipa::path(params(FulfillmentPath), responses((status = 200, description = "The parcel.", body = View)))]
#[get("/v1/fulfillments/{fulfillment_id}")]
async fn get_fulfillment(caller: Caller, path: Path<FulfillmentPath>) -> Result<View> {
    caller
        .read(|ctx| async move { fulfillments::get(&ctx, path.fulfillment_id).await })
        .await
        .map(Answer::view)
}

/// Allocate lines to a location for picking.
///
/// Precondition: the order is confirmed, and the units are neither shipped, cancelled nor in another parcel.
/// Postcondition: a parcel in state `allocated`; its stock is held at its location.
#[utoipa::path(params(OrderPath), request_body = Create, responses((status = 201, description = "The new parcel.", body = View)))]
#[post("/v1/orders/{order_id}/fulfillments")]
async fn create_fulfillment(caller: Caller, path: Path<OrderPath>, body: Json<Create>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { fulfillments::create(&ctx, path.order_id, body).await };
    caller.write(operation("create_fulfillment"), write).await.map(Answer::created)
}

/// Buy postage from the carrier.
///
/// Precondition: the parcel is `allocated`. Postcondition: it is `labelled`, has a carrier and a tracking number,
/// and the postage is in the ledger.
#[utoipa::path(params(FulfillmentPath), responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[post("/v1/fulfillments/{fulfillment_id}/label")]
async fn buy_shipping_label(caller: Caller, path: Path<FulfillmentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { fulfillments::buy_label(&ctx, path.fulfillment_id).await };
    caller.write(operation("buy_shipping_label"), write).await.map(Answer::ok)
}

/// Cancel unused postage.
///
/// Precondition: the parcel is `labelled` and has not left. Postcondition: it is `allocated` again, and the postage
/// is given back.
#[utoipa::path(params(FulfillmentPath), responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[delete("/v1/fulfillments/{fulfillment_id}/label")]
async fn void_shipping_label(caller: Caller, path: Path<FulfillmentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { fulfillments::void_label(&ctx, path.fulfillment_id).await };
    caller.write(operation("void_shipping_label"), write).await.map(Answer::ok)
}

/// Hand over to the carrier; refund-only is closed from here.
///
/// Precondition: the parcel has not left. Postcondition: it is `shipped` and has a tracking number and its first
/// scan; its stock has left the location. The order remembers the method that was really used.
#[utoipa::path(params(FulfillmentPath), request_body = Ship, responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[post("/v1/fulfillments/{fulfillment_id}/ship")]
async fn mark_fulfillment_shipped(
    caller: Caller,
    path: Path<FulfillmentPath>,
    body: Json<Ship>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { fulfillments::ship(&ctx, path.fulfillment_id, body).await };
    caller.write(operation("mark_fulfillment_shipped"), write).await.map(Answer::ok)
}

/// Record delivery; the return window opens.
///
/// Precondition: the parcel has left. Postcondition: its units count as delivered. Parcels with a shipping method
/// arrive by themselves when the method's slowest delivery time is over.
#[utoipa::path(params(FulfillmentPath), responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[post("/v1/fulfillments/{fulfillment_id}/deliver")]
async fn mark_fulfillment_delivered(caller: Caller, path: Path<FulfillmentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { fulfillments::deliver(&ctx, path.fulfillment_id).await };
    caller.write(operation("mark_fulfillment_delivered"), write).await.map(Answer::ok)
}

/// Stop a parcel that has not shipped; the order stays open and nothing is refunded.
///
/// Precondition: the parcel has not left. Postcondition: its units can be packed again, and a label is given back.
#[utoipa::path(params(FulfillmentPath), responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[post("/v1/fulfillments/{fulfillment_id}/cancel")]
async fn cancel_fulfillment(caller: Caller, path: Path<FulfillmentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { fulfillments::cancel(&ctx, path.fulfillment_id).await };
    caller.write(operation("cancel_fulfillment"), write).await.map(Answer::ok)
}

/// Change the address of a parcel already in transit, through the carrier; may cost a fee.
///
/// Precondition: the parcel is on its way, and the store delivers to the new address. Postcondition: the parcel goes
/// there; the order keeps its address. Before it leaves use `change_order_delivery_address`.
#[utoipa::path(params(FulfillmentPath), request_body = Redirect, responses((status = 200, description = "The parcel as it is now, and the fee.", body = Redirection)))]
#[post("/v1/fulfillments/{fulfillment_id}/redirect")]
async fn redirect_shipment(
    caller: Caller,
    path: Path<FulfillmentPath>,
    body: Json<Redirect>,
) -> Result<Redirection> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { fulfillments::redirect(&ctx, path.fulfillment_id, body).await };
    caller.write(operation("redirect_shipment"), write).await.map(Answer::ok)
}

/// Correct carrier or tracking number.
///
/// Precondition: the parcel has a tracking number. Changes what the carrier is asked with, never where it goes.
#[utoipa::path(params(FulfillmentPath), request_body = UpdateTracking, responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[patch("/v1/fulfillments/{fulfillment_id}/tracking")]
async fn update_tracking_number(
    caller: Caller,
    path: Path<FulfillmentPath>,
    body: Json<UpdateTracking>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { fulfillments::update_tracking(&ctx, path.fulfillment_id, body).await };
    caller.write(operation("update_tracking_number"), write).await.map(Answer::ok)
}

/// Carrier scans for one parcel.
///
/// Shows all scans up to now, oldest first, and when the parcel should be there at the latest.
#[utoipa::path(params(TrackingPath), responses((status = 200, description = "What the carrier saw.", body = Tracking)))]
#[get("/v1/shipments/{tracking_number}")]
async fn track_shipment(caller: Caller, path: Path<TrackingPath>) -> Result<Tracking> {
    caller
        .read(|ctx| async move { fulfillments::track(&ctx, &path.tracking_number).await })
        .await
        .map(Answer::view)
}

/// All parcels of an order with their latest scan.
///
/// Precondition: the order is within your scope. An order of which nothing was packed has no parcels.
#[utoipa::path(params(OrderPath), responses((status = 200, description = "The parcels.", body = OrderTracking)))]
#[get("/v1/orders/{order_id}/tracking")]
async fn get_order_tracking(caller: Caller, path: Path<OrderPath>) -> Result<OrderTracking> {
    caller
        .read(|ctx| async move { fulfillments::track_order(&ctx, path.order_id).await })
        .await
        .map(Answer::view)
}

/// Record lost, damaged, refused or returned to sender.
///
/// Precondition: the parcel is on its way. Postcondition: it is in state `exception`, which opens
/// `refund_without_return` and `send_replacement` for its units: one of the two. What was delivered is returned.
#[utoipa::path(params(FulfillmentPath), request_body = ReportException, responses((status = 200, description = "The parcel as it is now.", body = View)))]
#[post("/v1/fulfillments/{fulfillment_id}/exceptions")]
async fn report_delivery_exception(
    caller: Caller,
    path: Path<FulfillmentPath>,
    body: Json<ReportException>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { fulfillments::report_exception(&ctx, path.fulfillment_id, body).await };
    caller.write(operation("report_delivery_exception"), write).await.map(Answer::ok)
}
