use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, Set};
use shop_domain::ids::WebhookEndpointId;
use shop_domain::limits;
use shop_domain::status::DeliveryStatus;
use shop_domain::webhooks::DeliveryEvent;
use shop_gateway::webhook::sign;
use shop_store::entities::{webhook_deliveries as deliveries, webhook_endpoints as endpoints};

use crate::Ctx;
use crate::error::{Error, Result};
use crate::jobs::{Next, backoff};

/// Carries `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over time and body, as the gateway signs its own.
pub const SIGNATURE_HEADER: &str = "Shop-Signature";
/// Carries the event's id, to drop repeats by.
pub const EVENT_HEADER: &str = "Shop-Event-Id";
/// Carries the delivery's id.
pub const DELIVERY_HEADER: &str = "Shop-Delivery-Id";

/// What came of one try.
struct Try {
    answer: std::result::Result<u16, String>,
    latency_ms: i64,
}

/// The job of one endpoint: sends what waits for it, oldest first. What it does not take is sent again later, and
/// nothing that came after it before that.
///
/// # Errors
/// When the database does not answer.
pub async fn deliver(ctx: &Ctx, id: WebhookEndpointId) -> Result<Next> {
    for _ in 0..limits::WEBHOOKS_IN_ROW_MAX {
        let Some((endpoint, first)) = first_waiting(ctx, id).await? else { return Ok(Next::Done) };
        if let Some(at) = first.next_try_at.filter(|at| *at > ctx.now()) {
            return Ok(Next::Again(at));
        }
        let outcome = send(ctx, &endpoint, &first).await?;
        settle(ctx, &first, outcome).await?;
    }
    Ok(Next::Again(ctx.now()))
}

async fn first_waiting(
    ctx: &Ctx,
    id: WebhookEndpointId,
) -> Result<Option<(endpoints::Model, deliveries::Model)>> {
    let conn = ctx.read()?;
    let endpoint = endpoints::Entity::find_by_id(id)
        .filter(endpoints::Column::IsActive.eq(true))
        .filter(endpoints::Column::DeletedAt.is_null());
    let Some(endpoint) = endpoint.one(conn).await? else { return Ok(None) };
    let first = deliveries::Entity::find()
        .filter(deliveries::Column::EndpointId.eq(id))
        .filter(deliveries::Column::Status.eq(DeliveryStatus::Pending))
        .order_by_asc(deliveries::Column::Seq)
        .one(conn)
        .await?;
    Ok(first.map(|first| (endpoint, first)))
}

async fn send(ctx: &Ctx, endpoint: &endpoints::Model, delivery: &deliveries::Model) -> Result<Try> {
    let body = serde_json::to_vec(&delivery.body).map_err(|cause| Error::internal(cause.to_string()))?;
    let sent_at = ctx.now();
    let headers = [
        (SIGNATURE_HEADER, sign(&endpoint.secret, sent_at, &body)),
        (EVENT_HEADER, delivery.event_id.to_string()),
        (DELIVERY_HEADER, delivery.id.to_string()),
    ];
    let answer = ctx.postman()?.post(&endpoint.url, &headers, body).await;
    Ok(Try { answer, latency_ms: (ctx.now() - sent_at).num_milliseconds() })
}

/// Writes down what came of a try, unless the endpoint was deleted meanwhile.
async fn settle(ctx: &Ctx, sent: &deliveries::Model, outcome: Try) -> Result<()> {
    let tx = ctx.begin().await?;
    let Some(row) = deliveries::Entity::find_by_id(sent.seq).one(&*tx).await? else { return Ok(()) };
    let tries = row.tries + 1;
    let is_accepted = matches!(outcome.answer, Ok(200..=299));
    let event = match is_accepted {
        true => DeliveryEvent::Accepted,
        false if tries >= i64::from(limits::WEBHOOK_TRIES_MAX) => DeliveryEvent::GivenUp,
        false => DeliveryEvent::Missed,
    };
    let Ok(status) = row.status.after(event) else { return Ok(()) };
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.tries = Set(tries);
    row.last_status = Set(outcome.answer.as_ref().ok().map(|status| i64::from(*status)));
    row.last_error = Set(outcome.answer.err());
    row.latency_ms = Set(Some(outcome.latency_ms));
    row.next_try_at = Set((status == DeliveryStatus::Pending).then(|| ctx.now() + backoff(tries - 1)));
    row.delivered_at = Set(is_accepted.then(|| ctx.now()));
    row.update(&*tx).await?;
    let endpoint = endpoints::Entity::find_by_id(sent.endpoint_id).one(&*tx).await?;
    if let Some(endpoint) = endpoint {
        let failures = endpoint.failures_in_row;
        let mut endpoint = endpoint.into_active_model();
        endpoint.failures_in_row = Set(if is_accepted { 0 } else { failures + 1 });
        match is_accepted {
            true => endpoint.last_delivered_at = Set(Some(ctx.now())),
            false => endpoint.last_failed_at = Set(Some(ctx.now())),
        }
        endpoint.update(&*tx).await?;
    }
    tx.commit().await
}
