use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::{OrderId, ReturnId};
use shop_domain::operations::operation;
use shop_service::returns::{self, Approve, Filter, Inspect, Reasons, Receive, Reject, Request, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_returns).service(get_return).service(request_return).service(approve_return);
    config.service(reject_return).service(create_return_label).service(receive_return_items);
    config.service(inspect_return_items).service(cancel_return).service(list_return_reasons);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ReturnPath {
    /// Which return.
    return_id: ReturnId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

/// By order, customer or status.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/returns")]
async fn list_returns(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { returns::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Lines, label, inspection result and refund link.
///
/// Changes nothing. `refund_ids` names the refunds that paid for it.
#[utoipa::path(params(ReturnPath), responses((status = 200, description = "The return.", body = View)))]
#[get("/v1/returns/{return_id}")]
async fn get_return(caller: Caller, path: Path<ReturnPath>) -> Result<View> {
    caller.read(|ctx| async move { returns::get(&ctx, path.return_id).await }).await.map(Answer::view)
}

/// RETURN AND REFUND, first step: delivered lines, with reason; pays nothing yet.
///
/// Precondition: the units are delivered and with the customer; after the return window a second person must agree
/// (`approval_id`). Postcondition: a return that is `requested`, or `approved` at once for a routine reason where
/// the store's policy says so. The money follows with `refund_returned_items` once the goods are back.
#[utoipa::path(params(OrderPath), request_body = Request, responses((status = 201, description = "The new return.", body = View)))]
#[post("/v1/orders/{order_id}/returns")]
async fn request_return(caller: Caller, path: Path<OrderPath>, body: Json<Request>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { returns::request(&ctx, path.order_id, body).await };
    caller.write(operation("request_return"), write).await.map(Answer::created)
}

/// Accept the request and set the deadline.
///
/// Precondition: the return is `requested` and belongs to no exchange. Postcondition: it is `approved`.
#[utoipa::path(params(ReturnPath), request_body = Approve, responses((status = 200, description = "The return as it is now.", body = View)))]
#[post("/v1/returns/{return_id}/approve")]
async fn approve_return(caller: Caller, path: Path<ReturnPath>, body: Json<Approve>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { returns::approve(&ctx, path.return_id, body).await };
    caller.write(operation("approve_return"), write).await.map(Answer::ok)
}

/// Decline with a reason the customer sees.
///
/// Precondition: the return is `requested` and belongs to no exchange. Postcondition: it is `rejected` for good; its
/// units are the customer's. To close a return for the customer use `cancel_return`.
#[utoipa::path(params(ReturnPath), request_body = Reject, responses((status = 200, description = "The return as it is now.", body = View)))]
#[post("/v1/returns/{return_id}/reject")]
async fn reject_return(caller: Caller, path: Path<ReturnPath>, body: Json<Reject>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { returns::reject(&ctx, path.return_id, body).await };
    caller.write(operation("reject_return"), write).await.map(Answer::ok)
}

/// Buy the customer's return postage.
///
/// Precondition: the return is `approved`. Postcondition: it is `in_transit`: the carrier collects it. Where the
/// shop pays by reason (`list_return_reasons`) the postage is in the ledger; otherwise the customer pays the carrier.
#[utoipa::path(params(ReturnPath), responses((status = 200, description = "The return as it is now.", body = View)))]
#[post("/v1/returns/{return_id}/label")]
async fn create_return_label(caller: Caller, path: Path<ReturnPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { returns::create_label(&ctx, path.return_id).await };
    caller.write(operation("create_return_label"), write).await.map(Answer::ok)
}

/// Book in the units that came back.
///
/// Precondition: the return is approved or on its way. Postcondition: the units count as received; they can be
/// refunded, and are not on the shelf before they are inspected.
#[utoipa::path(params(ReturnPath), request_body = Receive, responses((status = 200, description = "The return as it is now.", body = View)))]
#[post("/v1/returns/{return_id}/receive")]
async fn receive_return_items(caller: Caller, path: Path<ReturnPath>, body: Json<Receive>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { returns::receive(&ctx, path.return_id, body).await };
    caller.write(operation("receive_return_items"), write).await.map(Answer::ok)
}

/// Grade units: restock, write off or send back.
///
/// Precondition: units came back, and each of them gets one grade. Postcondition: restocked units are in stock;
/// units that are sent back will not be paid for. Pays nothing: use `refund_returned_items`.
#[utoipa::path(params(ReturnPath), request_body = Inspect, responses((status = 200, description = "The return as it is now.", body = View)))]
#[post("/v1/returns/{return_id}/inspect")]
async fn inspect_return_items(caller: Caller, path: Path<ReturnPath>, body: Json<Inspect>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { returns::inspect(&ctx, path.return_id, body).await };
    caller.write(operation("inspect_return_items"), write).await.map(Answer::ok)
}

/// Close a return before anything was received.
///
/// Precondition: nothing came back yet, and it belongs to no exchange. Postcondition: its units are the customer's,
/// who may ask again.
#[utoipa::path(params(ReturnPath), responses((status = 200, description = "The return as it is now.", body = View)))]
#[post("/v1/returns/{return_id}/cancel")]
async fn cancel_return(caller: Caller, path: Path<ReturnPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { returns::cancel(&ctx, path.return_id).await };
    caller.write(operation("cancel_return"), write).await.map(Answer::ok)
}

/// Reason codes and who pays the postage.
///
/// Changes nothing. The same in every store.
#[utoipa::path(responses((status = 200, description = "All reasons.", body = Reasons)))]
#[get("/v1/return-reasons")]
async fn list_return_reasons(caller: Caller) -> Result<Reasons> {
    caller.read(|ctx| async move { returns::reasons(&ctx) }).await.map(Answer::view)
}
