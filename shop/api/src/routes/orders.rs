use actix_web::web::{Json, Path, Query};
use actix_web::{get, patch, post, put};
use serde::Deserialize;
use shop_domain::ids::OrderId;
use shop_domain::operations::operation;
use shop_service::orders::{
    self, AddNote, Cancel, ChangeAddress, ChangeShipping, Filter, Hold, Invoice, Note, Requoted,
    ReturnableItem, RiskReport, TimelineEntry, UpdateContact, View,
};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_orders).service(get_order).service(confirm_order).service(cancel_order);
    config.service(hold_order).service(release_order_hold).service(change_order_delivery_address);
    config.service(change_order_shipping_option).service(update_order_contact).service(get_order_timeline);
    config.service(list_returnable_items).service(get_order_invoice).service(get_order_risk);
    config.service(list_order_notes).service(add_order_note);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

/// Page and filter by status, payment, fulfilment, date, customer or number.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/orders")]
async fn list_orders(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { orders::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// One order with lines, totals and the three status fields.
///
/// Changes nothing.
#[utoipa::path(params(OrderPath), responses((status = 200, description = "The order.", body = View)))]
#[get("/v1/orders/{order_id}")]
async fn get_order(caller: Caller, path: Path<OrderPath>) -> Result<View> {
    caller.read(|ctx| async move { orders::get(&ctx, path.order_id).await }).await.map(Answer::view)
}

/// Accept a draft or an order waiting for review.
///
/// Precondition: it is `draft` or `pending`. Postcondition: `confirmed`. Charges nothing.
#[utoipa::path(params(OrderPath), responses((status = 200, description = "The order as it is now.", body = View)))]
#[post("/v1/orders/{order_id}/confirm")]
async fn confirm_order(caller: Caller, path: Path<OrderPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { orders::confirm(&ctx, path.order_id).await };
    caller.write(operation("confirm_order"), write).await.map(Answer::ok)
}

/// Stop an order with nothing shipped and release stock; does NOT refund a captured payment.
///
/// Precondition: nothing has shipped. Postcondition: `cancelled`; stock and coupon are free again, and held or taken
/// money is where it was: `void_payment` or `refund_unshipped_items` gives it back. An order that is cancelled
/// already is answered with as it is.
#[utoipa::path(params(OrderPath), request_body = Cancel, responses((status = 200, description = "The order as it is now.", body = View)))]
#[post("/v1/orders/{order_id}/cancel")]
async fn cancel_order(caller: Caller, path: Path<OrderPath>, body: Json<Cancel>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { orders::cancel(&ctx, path.order_id, body).await };
    caller.write(operation("cancel_order"), write).await.map(Answer::ok)
}

/// Pause fulfilment (fraud review, address check).
///
/// Precondition: it is `pending` or `confirmed`. Postcondition: `on_hold` until `release_order_hold`.
#[utoipa::path(params(OrderPath), request_body = Hold, responses((status = 200, description = "The order as it is now.", body = View)))]
#[post("/v1/orders/{order_id}/hold")]
async fn hold_order(caller: Caller, path: Path<OrderPath>, body: Json<Hold>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { orders::hold(&ctx, path.order_id, body).await };
    caller.write(operation("hold_order"), write).await.map(Answer::ok)
}

/// Let fulfilment continue.
///
/// Precondition: it is `on_hold`. Postcondition: `confirmed`.
#[utoipa::path(params(OrderPath), responses((status = 200, description = "The order as it is now.", body = View)))]
#[post("/v1/orders/{order_id}/release-hold")]
async fn release_order_hold(caller: Caller, path: Path<OrderPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { orders::release_hold(&ctx, path.order_id).await };
    caller.write(operation("release_order_hold"), write).await.map(Answer::ok)
}

/// Change where an unshipped order goes; may change tax and shipping price.
///
/// Precondition: nothing has shipped, no label is bought, and the shipping method goes there. Postcondition: the
/// order and its waiting parcels have the new address, and tax and shipping are quoted anew. The address book stays
/// as it is. A parcel on its way is redirected with `redirect_shipment`.
#[utoipa::path(params(OrderPath), request_body = ChangeAddress, responses((status = 200, description = "The order as it is now, and what it costs more or less.", body = Requoted)))]
#[put("/v1/orders/{order_id}/shipping-address")]
async fn change_order_delivery_address(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<ChangeAddress>,
) -> Result<Requoted> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { orders::change_address(&ctx, path.order_id, body).await };
    caller.write(operation("change_order_delivery_address"), write).await.map(Answer::ok)
}

/// Move an unshipped order to a faster or cheaper method; returns the price difference.
///
/// Precondition: nothing has shipped, and the method reaches the address. Postcondition: the order has the method
/// and its price. Moves no money: what is due more is paid with `create_payment`, what was paid too much goes back
/// with `refund_price_adjustment`.
#[utoipa::path(params(OrderPath), request_body = ChangeShipping, responses((status = 200, description = "The order as it is now, and what it costs more or less.", body = Requoted)))]
#[put("/v1/orders/{order_id}/shipping-option")]
async fn change_order_shipping_option(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<ChangeShipping>,
) -> Result<Requoted> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { orders::change_shipping(&ctx, path.order_id, body).await };
    caller.write(operation("change_order_shipping_option"), write).await.map(Answer::ok)
}

/// Change the email or phone that gets notices.
///
/// What is left out stays. Postcondition: notices of this order go there; the customer's profile stays as it is.
#[utoipa::path(params(OrderPath), request_body = UpdateContact, responses((status = 200, description = "The order as it is now.", body = View)))]
#[patch("/v1/orders/{order_id}/contact")]
async fn update_order_contact(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<UpdateContact>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { orders::update_contact(&ctx, path.order_id, body).await };
    caller.write(operation("update_order_contact"), write).await.map(Answer::ok)
}

/// Every event on the order, in order.
///
/// Changes nothing. Oldest first: the order, its payments, refunds, parcels, returns and approvals.
#[utoipa::path(params(OrderPath, PageQuery), responses((status = 200, description = "One page.", body = Page<TimelineEntry>)))]
#[get("/v1/orders/{order_id}/timeline")]
async fn get_order_timeline(
    caller: Caller,
    path: Path<OrderPath>,
    page: Query<PageQuery>,
) -> Result<Page<TimelineEntry>> {
    caller
        .read(|ctx| async move { orders::timeline(&ctx, path.order_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Delivered lines still inside the return window, with quantities.
///
/// Changes nothing. Units that are refunded or in a return are left out; after the window, `request_return` needs an
/// approval.
#[utoipa::path(params(OrderPath, PageQuery), responses((status = 200, description = "One page.", body = Page<ReturnableItem>)))]
#[get("/v1/orders/{order_id}/returnable-items")]
async fn list_returnable_items(
    caller: Caller,
    path: Path<OrderPath>,
    page: Query<PageQuery>,
) -> Result<Page<ReturnableItem>> {
    caller
        .read(|ctx| async move { orders::returnable(&ctx, path.order_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Invoice document data.
///
/// Changes nothing. Amounts are those of the order as it stands now.
#[utoipa::path(params(OrderPath), responses((status = 200, description = "The invoice.", body = Invoice)))]
#[get("/v1/orders/{order_id}/invoice")]
async fn get_order_invoice(caller: Caller, path: Path<OrderPath>) -> Result<Invoice> {
    caller.read(|ctx| async move { orders::invoice(&ctx, path.order_id).await }).await.map(Answer::view)
}

/// Fraud score and reasons.
///
/// Changes nothing. Fixed rules: the same facts always give the same score.
#[utoipa::path(params(OrderPath), responses((status = 200, description = "The score and its reasons.", body = RiskReport)))]
#[get("/v1/orders/{order_id}/risk")]
async fn get_order_risk(caller: Caller, path: Path<OrderPath>) -> Result<RiskReport> {
    caller.read(|ctx| async move { orders::risk(&ctx, path.order_id).await }).await.map(Answer::view)
}

/// Internal notes.
///
/// Changes nothing. Oldest first; staff only.
#[utoipa::path(params(OrderPath, PageQuery), responses((status = 200, description = "One page.", body = Page<Note>)))]
#[get("/v1/orders/{order_id}/notes")]
async fn list_order_notes(
    caller: Caller,
    path: Path<OrderPath>,
    page: Query<PageQuery>,
) -> Result<Page<Note>> {
    caller
        .read(|ctx| async move { orders::notes(&ctx, path.order_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Internal note; the customer does not see it.
///
/// Postcondition: the order has one more note. Nothing else changes, and nobody is told.
#[utoipa::path(params(OrderPath), request_body = AddNote, responses((status = 201, description = "The new note.", body = Note)))]
#[post("/v1/orders/{order_id}/notes")]
async fn add_order_note(caller: Caller, path: Path<OrderPath>, body: Json<AddNote>) -> Result<Note> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { orders::add_note(&ctx, path.order_id, body).await };
    caller.write(operation("add_order_note"), write).await.map(Answer::created)
}
