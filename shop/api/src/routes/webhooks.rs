use actix_web::web::{Json, Path, Query};
use actix_web::{delete, get, post};
use serde::Deserialize;
use shop_domain::ids::{WebhookDeliveryId, WebhookEndpointId};
use shop_domain::operations::operation;
use shop_service::webhooks::{self, Create, Delivery, DeliveryFilter, Filter, SendTest, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_webhook_endpoints).service(create_webhook_endpoint);
    config.service(delete_webhook_endpoint).service(send_test_webhook);
    config.service(list_webhook_deliveries).service(redeliver_webhook);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct EndpointPath {
    /// Which endpoint.
    endpoint_id: WebhookEndpointId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct DeliveryPath {
    /// Which delivery.
    delivery_id: WebhookDeliveryId,
}

/// Subscriptions and their health.
///
/// Changes nothing. Oldest first; secrets are not shown again.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/webhook-endpoints")]
async fn list_webhook_endpoints(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { webhooks::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Subscribe a URL to event types; returns the signing secret once.
///
/// Postcondition: every event of these types from now on is posted there, in order, at least once, with the header
/// `Shop-Signature: t=<unix seconds>,v1=<hex>`: HMAC-SHA256 under the secret over `t`, a dot and the body.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new endpoint, with its secret.", body = View)))]
#[post("/v1/webhook-endpoints")]
async fn create_webhook_endpoint(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { webhooks::create(&ctx, body).await };
    caller.write(operation("create_webhook_endpoint"), write).await.map(Answer::created)
}

/// Unsubscribe.
///
/// Postcondition: nothing is sent there any more; what waited is cancelled.
#[utoipa::path(params(EndpointPath), responses((status = 200, description = "The endpoint that was deleted.", body = View)))]
#[delete("/v1/webhook-endpoints/{endpoint_id}")]
async fn delete_webhook_endpoint(caller: Caller, path: Path<EndpointPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { webhooks::delete(&ctx, path.endpoint_id).await };
    caller.write(operation("delete_webhook_endpoint"), write).await.map(Answer::ok)
}

/// Deliver a sample event of a chosen type.
///
/// Precondition: the endpoint is active. Postcondition: a delivery that waits behind those before it; what came of it is
/// in `list_webhook_deliveries`. Nothing happened in the shop.
#[utoipa::path(params(EndpointPath), request_body = SendTest, responses((status = 201, description = "The new delivery.", body = Delivery)))]
#[post("/v1/webhook-endpoints/{endpoint_id}/test")]
async fn send_test_webhook(
    caller: Caller,
    path: Path<EndpointPath>,
    body: Json<SendTest>,
) -> Result<Delivery> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { webhooks::send_test(&ctx, path.endpoint_id, body).await };
    caller.write(operation("send_test_webhook"), write).await.map(Answer::created)
}

/// Attempts with status, latency and next retry.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(DeliveryFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Delivery>)))]
#[get("/v1/webhook-deliveries")]
async fn list_webhook_deliveries(
    caller: Caller,
    filter: Query<DeliveryFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Delivery>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller
        .read(|ctx| async move { webhooks::list_deliveries(&ctx, filter, page).await })
        .await
        .map(Answer::view)
}

/// Send the same event id again.
///
/// Precondition: it was delivered or given up, and its endpoint is active. Postcondition: a new delivery of the same
/// event, which subscribers who drop repeats do not act on twice.
#[utoipa::path(params(DeliveryPath), responses((status = 201, description = "The new delivery.", body = Delivery)))]
#[post("/v1/webhook-deliveries/{delivery_id}/redeliver")]
async fn redeliver_webhook(caller: Caller, path: Path<DeliveryPath>) -> Result<Delivery> {
    let path = path.into_inner();
    let write = |ctx| async move { webhooks::redeliver(&ctx, path.delivery_id).await };
    caller.write(operation("redeliver_webhook"), write).await.map(Answer::created)
}
