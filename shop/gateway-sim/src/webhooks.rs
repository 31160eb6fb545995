//! Webhooks: signed events, sent in the background, at least once as long as the attempts last.
//!
//! Sending never delays or breaks an answer: an event is handed to a task of its own, and may arrive before the
//! answer does, after later events, or not at all.

use std::sync::Arc;

use shop_gateway::client::direct_http;
use shop_gateway::webhook::{ACCOUNT_HEADER, Event, EventKind, SIGNATURE_HEADER, sign};
use shop_gateway::wire::ledger::{Effect, Line};
use shop_gateway::wire::{KeyResult, Operation};
use shop_world::{World, journal};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use crate::faults::{self, Apply};
use crate::limits;

/// Sends events for any number of accounts. Clones share connections and bounds.
#[derive(Clone, Debug)]
pub struct Postman {
    http: reqwest::Client,
    waiting: Arc<Semaphore>,
    at_once: Arc<Semaphore>,
}

/// Where an account's events go.
#[derive(Clone, Debug)]
pub struct Webhook {
    pub url: String,
    /// Shared with the merchant, to sign with.
    pub secret: String,
    pub postman: Postman,
}

/// An event on its way; what a fault gets to work on.
#[derive(Debug)]
pub struct Parcel {
    pub(crate) copies: usize,
    pub(crate) is_late: bool,
    pub(crate) is_forged: bool,
}

impl Postman {
    /// # Errors
    /// When HTTP cannot be set up.
    pub fn new() -> Result<Self, reqwest::Error> {
        Ok(Self {
            http: direct_http(limits::WEBHOOK_TIMEOUT, limits::WEBHOOK_TIMEOUT).build()?,
            waiting: Arc::new(Semaphore::new(limits::WEBHOOKS_WAITING_MAX)),
            at_once: Arc::new(Semaphore::new(limits::WEBHOOKS_AT_ONCE)),
        })
    }
}

/// The event of a ledger line, if merchants are told of such.
pub(crate) fn event(world: &World, line: &Line, answer: &KeyResult) -> Option<Event> {
    let kind = match &line.effect {
        Effect::Authorized { .. } => EventKind::PaymentAuthorized,
        Effect::Captured { .. } => EventKind::PaymentCaptured,
        Effect::Voided { .. } => EventKind::PaymentVoided,
        Effect::Disputed { .. } => EventKind::PaymentDisputed,
        Effect::DisputeClosed { .. } => EventKind::PaymentDisputeClosed,
        Effect::Refunded { settles: None, .. } | Effect::RefundSettled { failure: None, .. } => {
            EventKind::RefundSucceeded
        }
        Effect::Refunded { settles: Some(_), .. } => EventKind::RefundPending,
        Effect::RefundSettled { failure: Some(_), .. } => EventKind::RefundFailed,
        Effect::Refused(_) => match line.request.as_ref()?.operation() {
            Operation::Refund => EventKind::RefundFailed,
            Operation::Authorize | Operation::Capture | Operation::Void => EventKind::PaymentFailed,
            Operation::Dispute | Operation::Lookup | Operation::Fence | Operation::Webhook => return None,
        },
        Effect::Contested { .. } | Effect::Fenced => return None,
    };
    let mut event = Event {
        id: format!("evt_{}", world.ids.next("gateway.evt").to_string().to_lowercase()),
        kind,
        created_at: line.at,
        key: line.key.clone(),
        payment: None,
        refund: None,
        decline: None,
    };
    match answer {
        KeyResult::Payment(payment) => event.payment = Some(payment.clone()),
        KeyResult::Refund(refund) => event.refund = Some(refund.clone()),
        KeyResult::Refused(decline) => event.decline = Some(decline.clone()),
        KeyResult::Fenced => {}
    }
    Some(event)
}

/// Hands an event over and returns at once.
pub(crate) fn post(world: &Arc<World>, webhook: &Webhook, event: Event) {
    let Ok(runtime) = Handle::try_current() else {
        tracing::warn!(event = event.id, "no runtime to send the event from");
        return;
    };
    let Ok(place) = Arc::clone(&webhook.postman.waiting).try_acquire_owned() else {
        tracing::warn!(event = event.id, "too many events are waiting; this one is dropped");
        return;
    };
    let parcel = wrap(world, &event);
    runtime.spawn(deliver(Arc::clone(world), webhook.clone(), event, parcel, place));
}

/// The parcel of an event, after the script has had its way with it.
fn wrap(world: &World, event: &Event) -> Parcel {
    let mut parcel = Parcel { copies: 1, is_late: false, is_forged: false };
    let is_ours = |name: &str| faults::find(name).is_some_and(|fault| fault.is_for(Operation::Webhook));
    let subject = event.key.as_deref().unwrap_or(&event.id);
    let hit = world.faults.take_known(Operation::Webhook.name(), subject, is_ours);
    if let Some(fault) = hit.and_then(|hit| faults::find(&hit.fault))
        && let Apply::Webhook(apply) = fault.apply
    {
        apply(&mut parcel);
    }
    parcel
}

async fn deliver(
    world: Arc<World>,
    webhook: Webhook,
    event: Event,
    parcel: Parcel,
    _place: OwnedSemaphorePermit,
) {
    let Ok(body) = serde_json::to_vec(&event) else { return };
    if parcel.is_late {
        sleep(limits::WEBHOOK_LATE).await;
    }
    for _ in 0..parcel.copies {
        let mut wait = limits::WEBHOOK_RETRY_FIRST;
        for attempt in 1..=limits::WEBHOOK_ATTEMPTS_MAX {
            if attempt > 1 {
                sleep(wait).await;
                wait *= 2;
            }
            let outcome = send(&world, &webhook, &parcel, &body).await;
            let is_delivered = matches!(outcome, Ok(status) if (200..300).contains(&status));
            write_journal(&world, &event, outcome);
            if is_delivered {
                break;
            }
        }
    }
}

async fn send(world: &World, webhook: &Webhook, parcel: &Parcel, body: &[u8]) -> Result<u16, reqwest::Error> {
    // A place is held only while something is on the wire, so waiting for a retry blocks nobody.
    let _slot = webhook.postman.at_once.acquire().await;
    let secret = if parcel.is_forged { "not the secret" } else { &webhook.secret };
    let request = webhook
        .postman
        .http
        .post(&webhook.url)
        .header("Content-Type", "application/json")
        .header(ACCOUNT_HEADER, &world.name)
        .header(SIGNATURE_HEADER, sign(secret, world.clock.now(), body))
        .body(body.to_vec());
    Ok(request.send().await?.status().as_u16())
}

fn write_journal(world: &World, event: &Event, outcome: Result<u16, reqwest::Error>) {
    let line = journal::Line {
        door: "webhook".to_owned(),
        operation: Operation::Webhook.name().to_owned(),
        principal: None,
        key: event.key.clone(),
        about: Some(event.id.clone()),
        outcome: outcome.map_or_else(|error| error.without_url().to_string(), |status| status.to_string()),
    };
    world.journal.write(world.clock.now(), line);
}
