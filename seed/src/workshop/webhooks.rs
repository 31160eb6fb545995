//! Two subscriptions that are over, and what became of every event on its way to them: one whose receiver went down and
//! was switched off, and one that was deleted before it took anything. A seeded shop writes to nobody.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shop_domain::ids::{WebhookDeliveryId, WebhookEndpointId};
use shop_domain::limits;
use shop_domain::status::DeliveryStatus;
use shop_store::columns::Subscriptions;
use shop_store::entities::{events, webhook_deliveries, webhook_endpoints};

use super::tickets::named;
use crate::ground::Ground;

/// Days that the first one listened, and minutes that the second one did.
const DAYS: i64 = 3;
const MINUTES: i64 = 2;
/// Events that the first one did not take: one was given up, and those behind it wait.
const UNTAKEN: usize = 3;
const DOWN: &str = "connection refused";

pub(super) fn build(ground: &mut Ground) -> Result<()> {
    switched_off(ground)?;
    deleted(ground)
}

fn switched_off(ground: &mut Ground) -> Result<()> {
    let at = ground.now - TimeDelta::days(DAYS);
    let mut endpoint = endpoint(ground, at, ("https://books.example.com/orders", "order.placed"))?;
    let heard = heard(ground, "order.placed", at, ground.now);
    let taken = heard.len().checked_sub(UNTAKEN).filter(|taken| *taken > 0);
    let taken = taken.context("too few orders were placed lately")?;
    for (nth, event) in heard.iter().enumerate() {
        let mut row = delivery(ground, &endpoint, event);
        if nth < taken {
            accepted(&mut row);
            endpoint.last_delivered_at = row.delivered_at;
        } else if nth == taken {
            row.status = DeliveryStatus::Failed;
            row.tries = i64::from(limits::WEBHOOK_TRIES_MAX);
            row.last_error = Some(DOWN.to_owned());
            row.latency_ms = Some(3);
            row.next_try_at = None;
            endpoint.failures_in_row = row.tries;
            // Eight tries, each twice as long after the one before.
            endpoint.last_failed_at = Some(event.at + TimeDelta::seconds(127));
        }
        ground.books.numbered.webhook_deliveries.push(row);
    }
    endpoint.is_active = false;
    endpoint.version += 1;
    ground.rows.webhook_endpoints.push(endpoint);
    Ok(())
}

fn deleted(ground: &mut Ground) -> Result<()> {
    let all = heard(ground, "return.received", DateTime::<Utc>::MIN_UTC, ground.now);
    let first = all.first().context("nothing ever came back")?.at - TimeDelta::minutes(1);
    let until = first + TimeDelta::minutes(MINUTES);
    let mut endpoint = endpoint(ground, first, ("https://old.example.com/returns", "return.received"))?;
    for event in all.iter().filter(|event| event.at < until) {
        let mut row = delivery(ground, &endpoint, event);
        row.status = DeliveryStatus::Cancelled;
        row.next_try_at = None;
        ground.books.numbered.webhook_deliveries.push(row);
    }
    ground.books.event(&ground.draw, until, "webhook.endpoint_deleted", endpoint.id, None, json!({}));
    endpoint.is_active = false;
    endpoint.deleted_at = Some(until);
    endpoint.version += 1;
    ground.rows.webhook_endpoints.push(endpoint);
    Ok(())
}

/// An endpoint that listens to one type of events.
fn endpoint(
    ground: &mut Ground,
    at: DateTime<Utc>,
    (url, kind): (&str, &str),
) -> Result<webhook_endpoints::Model> {
    let id = ground.draw.id(at, WebhookEndpointId::new);
    ground.books.event(&ground.draw, at, "webhook.endpoint_created", id, None, json!({}));
    Ok(webhook_endpoints::Model {
        id,
        brand_id: None,
        store_id: None,
        url: url.to_owned(),
        description: "tells other books".to_owned(),
        events: Subscriptions(vec![kind.to_owned()]),
        secret: format!("whsec_{}", ground.draw.id(at, |ulid| ulid.to_string()).to_lowercase()),
        is_active: true,
        failures_in_row: 0,
        last_delivered_at: None,
        last_failed_at: None,
        created_by: named(ground, "admin")?.id,
        created_at: at,
        deleted_at: None,
        version: 1,
    })
}

/// Events of a type in a time, oldest first.
fn heard(ground: &Ground, kind: &str, from: DateTime<Utc>, until: DateTime<Utc>) -> Vec<events::Model> {
    let all = ground.books.numbered.events.iter().filter(|event| event.kind == kind);
    let mut heard: Vec<_> = all.filter(|event| (from..until).contains(&event.at)).cloned().collect();
    heard.sort_by_key(|event| event.at);
    heard
}

/// On its way.
fn delivery(
    ground: &Ground,
    endpoint: &webhook_endpoints::Model,
    event: &events::Model,
) -> webhook_deliveries::Model {
    webhook_deliveries::Model {
        seq: 0,
        id: ground.draw.id(event.at, WebhookDeliveryId::new),
        endpoint_id: endpoint.id,
        event_id: event.id,
        kind: event.kind.clone(),
        body: json!({
            "id": event.id,
            "type": event.kind,
            "created_at": event.at,
            "subject": event.subject,
            "order_id": event.order_id,
            "data": event.data,
        }),
        is_test: false,
        redelivery_of: None,
        status: DeliveryStatus::Pending,
        tries: 0,
        last_status: None,
        last_error: None,
        latency_ms: None,
        next_try_at: Some(event.at),
        delivered_at: None,
        created_at: event.at,
    }
}

fn accepted(row: &mut webhook_deliveries::Model) {
    row.status = DeliveryStatus::Delivered;
    row.tries = 1;
    row.last_status = Some(200);
    row.latency_ms = Some(40);
    row.next_try_at = None;
    row.delivered_at = Some(row.created_at);
}
