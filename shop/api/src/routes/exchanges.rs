use actix_web::web::{Json, Path};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::{ExchangeId, OrderId};
use shop_domain::operations::operation;
use shop_service::exchanges::{self, Replace, Request, View};
use shop_service::fulfillments;
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(get_exchange).service(request_exchange).service(approve_exchange);
    config.service(ship_exchange_items).service(cancel_exchange).service(send_replacement);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ExchangePath {
    /// Which exchange.
    exchange_id: ExchangeId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

/// Inbound return, outbound lines and price difference.
///
/// Changes nothing. `order_due_minor` is what `create_payment` can take now, or, below zero, what
/// `refund_price_adjustment` can give back.
#[utoipa::path(params(ExchangePath), responses((status = 200, description = "The exchange.", body = View)))]
#[get("/v1/exchanges/{exchange_id}")]
async fn get_exchange(caller: Caller, path: Path<ExchangePath>) -> Result<View> {
    caller.read(|ctx| async move { exchanges::get(&ctx, path.exchange_id).await }).await.map(Answer::view)
}

/// EXCHANGE: swap delivered lines for other variants; reserves stock.
///
/// Precondition: the units are delivered and with the customer, and the new variants are of the same products; after
/// the return window a second person must agree (`approval_id`). Postcondition: an exchange that is `requested`, its
/// return, and a hold on the new goods. Quotes the signed difference and moves no money.
#[utoipa::path(params(OrderPath), request_body = Request, responses((status = 201, description = "The new exchange.", body = View)))]
#[post("/v1/orders/{order_id}/exchanges")]
async fn request_exchange(caller: Caller, path: Path<OrderPath>, body: Json<Request>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { exchanges::request(&ctx, path.order_id, body).await };
    caller.write(operation("request_exchange"), write).await.map(Answer::created)
}

/// Accept and fix the price difference to pay or give back.
///
/// Precondition: the exchange is `requested`. Postcondition: the order costs what it costs with the new goods. A
/// positive difference is due: `create_payment`, `authorize_payment` and `capture_payment` take it. A negative one
/// is owed: `refund_price_adjustment` for `order_edit` gives it back once the new goods are on their way. This call
/// itself moves no money.
#[utoipa::path(params(ExchangePath), responses((status = 200, description = "The exchange as it is now.", body = View)))]
#[post("/v1/exchanges/{exchange_id}/approve")]
async fn approve_exchange(caller: Caller, path: Path<ExchangePath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { exchanges::approve(&ctx, path.exchange_id).await };
    caller.write(operation("approve_exchange"), write).await.map(Answer::ok)
}

/// Send the new items, before or after the return by policy.
///
/// Precondition: the exchange is approved, nothing is due on the order, and the old goods are back where the store's
/// policy waits for them. Postcondition: a parcel with the new goods is `shipped`, and the order's lines are these.
/// The exchange is `completed` once the old goods are back and the difference is settled.
#[utoipa::path(params(ExchangePath), responses((status = 200, description = "The exchange as it is now.", body = View)))]
#[post("/v1/exchanges/{exchange_id}/ship")]
async fn ship_exchange_items(caller: Caller, path: Path<ExchangePath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { exchanges::ship(&ctx, path.exchange_id).await };
    caller.write(operation("ship_exchange_items"), write).await.map(Answer::ok)
}

/// Undo before the new items ship.
///
/// Precondition: the new goods have not left. Postcondition: their hold has ended and the order costs what it did; a
/// difference that was paid is owed back (`refund_price_adjustment`). Old goods that are back already stay as a
/// return that can be refunded.
#[utoipa::path(params(ExchangePath), responses((status = 200, description = "The exchange as it is now.", body = View)))]
#[post("/v1/exchanges/{exchange_id}/cancel")]
async fn cancel_exchange(caller: Caller, path: Path<ExchangePath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { exchanges::cancel(&ctx, path.exchange_id).await };
    caller.write(operation("cancel_exchange"), write).await.map(Answer::ok)
}

/// Same item again, free, with no return (lost, faulty).
///
/// Precondition: a delivery exception was reported for the units, or a second person agrees (`approval_id`); they
/// were neither refunded nor replaced. Postcondition: a parcel with purpose `replacement` is `allocated`, ready to be
/// shipped. Costs the customer nothing.
#[utoipa::path(params(OrderPath), request_body = Replace, responses((status = 201, description = "The new parcel.", body = fulfillments::View)))]
#[post("/v1/orders/{order_id}/replacements")]
async fn send_replacement(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<Replace>,
) -> Result<fulfillments::View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { exchanges::send_replacement(&ctx, path.order_id, body).await };
    caller.write(operation("send_replacement"), write).await.map(Answer::created)
}
