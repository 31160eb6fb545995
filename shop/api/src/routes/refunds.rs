use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::{OrderId, RefundId, ReturnId};
use shop_domain::operations::operation;
use shop_service::refunds::{
    self, Batch, Calculate, Calculation, Filter, PriceAdjustment, Returned, ShippingDifference, ShippingFee,
    Unshipped, View, WithoutReturn,
};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_refunds).service(get_refund).service(calculate_refund);
    config.service(refund_unshipped_items).service(refund_without_return).service(refund_returned_items);
    config.service(refund_shipping_fee).service(refund_shipping_difference).service(refund_price_adjustment);
    config.service(cancel_pending_refund).service(retry_failed_refund).service(sync_refund_status);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct RefundPath {
    /// Which refund.
    refund_id: RefundId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ReturnPath {
    /// Which return.
    return_id: ReturnId,
}

/// Refunds by order, status or date.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/refunds")]
async fn list_refunds(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { refunds::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// State, amount, destination and gateway reference.
///
/// Changes nothing. What is shown is what the shop knows; `unknown` means that the gateway has not answered.
#[utoipa::path(params(RefundPath), responses((status = 200, description = "The refund.", body = View)))]
#[get("/v1/refunds/{refund_id}")]
async fn get_refund(caller: Caller, path: Path<RefundPath>) -> Result<View> {
    caller.read(|ctx| async move { refunds::get(&ctx, path.refund_id).await }).await.map(Answer::view)
}

/// Maximum refundable per line, shipping and tax; moves nothing.
///
/// Changes nothing. Also says which operation each unit is for, and what named units are worth.
#[utoipa::path(params(OrderPath), request_body = Calculate, responses((status = 200, description = "What may still go back.", body = Calculation)))]
#[post("/v1/orders/{order_id}/refunds/calculate")]
async fn calculate_refund(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<Calculate>,
) -> Result<Calculation> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let read = |ctx| async move { refunds::calculate(&ctx, path.order_id, body).await };
    caller.read(read).await.map(Answer::view)
}

/// REFUND ONLY: paid lines that have not shipped; cancels those lines and frees stock.
///
/// Precondition: the money was captured and the units have not shipped. Postcondition: they are cancelled, their
/// stock is free and their price goes back; when nothing is left, the order is cancelled and its shipping goes back
/// too. After `outcome_unknown` never refund again under a new key: repeat this call, or `sync_refund_status`.
#[utoipa::path(params(OrderPath), request_body = Unshipped, responses((status = 201, description = "The refunds, one for each payment.", body = Batch)))]
#[post("/v1/orders/{order_id}/refunds/unshipped")]
async fn refund_unshipped_items(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<Unshipped>,
) -> Result<Batch> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { refunds::unshipped(&ctx, path.order_id, body).await };
    caller.write(operation("refund_unshipped_items"), write).await.map(Answer::created)
}

/// Shipped or delivered lines the customer keeps (lost, damaged, goodwill).
///
/// Precondition: the units have shipped and are in no return; without a delivery exception a second person must
/// agree. Postcondition: their price goes back and the goods stay where they are. After `outcome_unknown` never
/// refund again under a new key: repeat this call, or `sync_refund_status`.
#[utoipa::path(params(OrderPath), request_body = WithoutReturn, responses((status = 201, description = "The refunds, one for each payment.", body = Batch)))]
#[post("/v1/orders/{order_id}/refunds/no-return")]
async fn refund_without_return(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<WithoutReturn>,
) -> Result<Batch> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { refunds::without_return(&ctx, path.order_id, body).await };
    caller.write(operation("refund_without_return"), write).await.map(Answer::created)
}

/// RETURN AND REFUND, last step: pay for units received and accepted.
///
/// Precondition: the return is inspected. Postcondition: the price of the accepted units goes back where the return
/// says; once all are paid for, the return is `refunded`. After `outcome_unknown` never refund again under a new
/// key: repeat this call, or `sync_refund_status`.
#[utoipa::path(params(ReturnPath), request_body = Returned, responses((status = 201, description = "The refunds, one for each payment.", body = Batch)))]
#[post("/v1/returns/{return_id}/refunds")]
async fn refund_returned_items(
    caller: Caller,
    path: Path<ReturnPath>,
    body: Json<Returned>,
) -> Result<Batch> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { refunds::returned(&ctx, path.return_id, body).await };
    caller.write(operation("refund_returned_items"), write).await.map(Answer::created)
}

/// Give back the shipping charge, all of it, once.
///
/// Precondition: shipping was charged and captured, and no refund claims it. Postcondition: it goes back; the goods
/// stay where they are.
#[utoipa::path(params(OrderPath), request_body = ShippingFee, responses((status = 201, description = "The refunds, one for each payment.", body = Batch)))]
#[post("/v1/orders/{order_id}/refunds/shipping-fee")]
async fn refund_shipping_fee(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<ShippingFee>,
) -> Result<Batch> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { refunds::shipping_fee(&ctx, path.order_id, body).await };
    caller.write(operation("refund_shipping_fee"), write).await.map(Answer::created)
}

/// Give back only the gap after a cheaper method was used or promised.
///
/// Precondition: the order was shipped by a cheaper method than was paid for. Postcondition: the gap goes back, once.
#[utoipa::path(params(OrderPath), request_body = ShippingDifference, responses((status = 201, description = "The refunds, one for each payment.", body = Batch)))]
#[post("/v1/orders/{order_id}/refunds/shipping-difference")]
async fn refund_shipping_difference(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<ShippingDifference>,
) -> Result<Batch> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { refunds::shipping_difference(&ctx, path.order_id, body).await };
    caller.write(operation("refund_shipping_difference"), write).await.map(Answer::created)
}

/// Give back the gap after a price drop or a missed coupon.
///
/// Also after an order edit or a change of address that made the order cheaper, and for a payment that another one
/// replaced. Precondition: the gap is at least the amount; it is named when it is not. Postcondition: the amount goes
/// back; the goods stay where they are.
#[utoipa::path(params(OrderPath), request_body = PriceAdjustment, responses((status = 201, description = "The refunds, one for each payment.", body = Batch)))]
#[post("/v1/orders/{order_id}/refunds/price-adjustment")]
async fn refund_price_adjustment(
    caller: Caller,
    path: Path<OrderPath>,
    body: Json<PriceAdjustment>,
) -> Result<Batch> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { refunds::price_adjustment(&ctx, path.order_id, body).await };
    caller.write(operation("refund_price_adjustment"), write).await.map(Answer::created)
}

/// Stop a refund the gateway has not accepted yet.
///
/// Precondition: it is `pending` or `failed`. Postcondition: `cancelled`; its units and money can be refunded anew.
#[utoipa::path(params(RefundPath), responses((status = 200, description = "The refund as it is now.", body = View)))]
#[post("/v1/refunds/{refund_id}/cancel")]
async fn cancel_pending_refund(caller: Caller, path: Path<RefundPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { refunds::cancel(&ctx, path.refund_id).await };
    caller.write(operation("cancel_pending_refund"), write).await.map(Answer::ok)
}

/// Send the same refund again under the same key; never a second one.
///
/// Precondition: it is not paid and not cancelled. Postcondition: the gateway was asked again. The gateway's key stays
/// the same unless it can have no effect any more, because it was refused or fenced.
#[utoipa::path(params(RefundPath), responses((status = 200, description = "The refund as it is now.", body = View)))]
#[post("/v1/refunds/{refund_id}/retry")]
async fn retry_failed_refund(caller: Caller, path: Path<RefundPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { refunds::retry(&ctx, path.refund_id).await };
    caller.write(operation("retry_failed_refund"), write).await.map(Answer::ok)
}

/// Ask the gateway about an unknown refund outcome.
///
/// Postcondition: the outcome is known. A call that never had an effect is fenced and never will have one, so that
/// `retry_failed_refund` can send it again. Moves no money by itself.
#[utoipa::path(params(RefundPath), responses((status = 200, description = "The refund as it is now.", body = View)))]
#[post("/v1/refunds/{refund_id}/sync")]
async fn sync_refund_status(caller: Caller, path: Path<RefundPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { refunds::sync(&ctx, path.refund_id).await };
    caller.write(operation("sync_refund_status"), write).await.map(Answer::ok)
}
