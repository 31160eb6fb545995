use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::{OrderId, PaymentId};
use shop_domain::operations::operation;
use shop_service::payments::{self, Attempt, Authorize, Capture, Create, Filter, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_payments).service(get_payment).service(create_payment).service(authorize_payment);
    config
        .service(capture_payment)
        .service(void_payment)
        .service(sync_payment_status)
        .service(list_payment_attempts);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct PaymentPath {
    /// Which payment.
    payment_id: PaymentId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

/// Payments by order or status.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/payments")]
async fn list_payments(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { payments::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// State, amounts authorised, captured and refunded.
///
/// Changes nothing. What is shown is what the shop knows; `unknown` means that the gateway has not answered.
#[utoipa::path(params(PaymentPath), responses((status = 200, description = "The payment.", body = View)))]
#[get("/v1/payments/{payment_id}")]
async fn get_payment(caller: Caller, path: Path<PaymentPath>) -> Result<View> {
    caller.read(|ctx| async move { payments::get(&ctx, path.payment_id).await }).await.map(Answer::view)
}

/// Open a payment for the amount due; charges nothing.
///
/// Precondition: the order is open and something is still due. Postcondition: a payment in state `created`.
#[utoipa::path(params(OrderPath), request_body = Create, responses((status = 201, description = "The new payment.", body = View)))]
#[post("/v1/orders/{order_id}/payments")]
async fn create_payment(caller: Caller, path: Path<OrderPath>, body: Json<Create>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { payments::create(&ctx, path.order_id, body).await };
    caller.write(operation("create_payment"), write).await.map(Answer::created)
}

/// Ask the gateway to hold the money; may time out with an unknown outcome.
///
/// Precondition: the payment is `created` or was declined. Postcondition: `authorized`, or `failed` with the reason.
/// After `outcome_unknown` never authorise again under a new key: repeat this call, or `sync_payment_status`.
#[utoipa::path(params(PaymentPath), responses((status = 200, description = "The payment as it is now.", body = View)))]
#[post("/v1/payments/{payment_id}/authorize")]
async fn authorize_payment(caller: Caller, path: Path<PaymentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { payments::authorize(&ctx, path.payment_id, Authorize {}).await };
    caller.write(operation("authorize_payment"), write).await.map(Answer::ok)
}

/// Take all or part of the held money.
///
/// Precondition: at least that much is held. Postcondition: the money is taken and in the ledger. After
/// `outcome_unknown` never capture again under a new key: repeat this call, or `sync_payment_status`.
#[utoipa::path(params(PaymentPath), request_body = Capture, responses((status = 200, description = "The payment as it is now.", body = View)))]
#[post("/v1/payments/{payment_id}/capture")]
async fn capture_payment(caller: Caller, path: Path<PaymentPath>, body: Json<Capture>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { payments::capture(&ctx, path.payment_id, body).await };
    caller.write(operation("capture_payment"), write).await.map(Answer::ok)
}

/// Release an authorisation that has not been captured; not a refund.
///
/// Precondition: nothing was captured. Postcondition: nothing is held any more.
#[utoipa::path(params(PaymentPath), responses((status = 200, description = "The payment as it is now.", body = View)))]
#[post("/v1/payments/{payment_id}/void")]
async fn void_payment(caller: Caller, path: Path<PaymentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { payments::void(&ctx, path.payment_id).await };
    caller.write(operation("void_payment"), write).await.map(Answer::ok)
}

/// Ask the gateway what really happened to an unknown outcome.
///
/// Postcondition: the outcome is known. A call that never had an effect is fenced and never will have one, so that
/// the payment can be tried again. Moves no money by itself.
#[utoipa::path(params(PaymentPath), responses((status = 200, description = "The payment as it is now.", body = View)))]
#[post("/v1/payments/{payment_id}/sync")]
async fn sync_payment_status(caller: Caller, path: Path<PaymentPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { payments::sync(&ctx, path.payment_id).await };
    caller.write(operation("sync_payment_status"), write).await.map(Answer::ok)
}

/// Each gateway call with its idempotency key and result.
///
/// Changes nothing. Oldest first; refunds of this payment included.
#[utoipa::path(params(PaymentPath, PageQuery), responses((status = 200, description = "One page.", body = Page<Attempt>)))]
#[get("/v1/payments/{payment_id}/attempts")]
async fn list_payment_attempts(
    caller: Caller,
    path: Path<PaymentPath>,
    page: Query<PageQuery>,
) -> Result<Page<Attempt>> {
    caller
        .read(|ctx| async move { payments::list_attempts(&ctx, path.payment_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}
