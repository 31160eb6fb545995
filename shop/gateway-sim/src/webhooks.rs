//! Webhooks: signed events, sent in the background, at least once as long as the attempts last.
//!
//! Sending never delays or breaks an answer: an event is handed to a task of its own, and may arrive before the
//! answer does, after later events, or not at all. In a world that stands still nothing happens by itself, so there
//! events wait in the account's [`Outbox`] until somebody moves the clock or drains.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use shop_gateway::client::direct_http;
use shop_gateway::webhook::{ACCOUNT_HEADER, Event, EventKind, SIGNATURE_HEADER, sign};
use shop_gateway::wire::ledger::{Effect, Line};
use shop_gateway::wire::{KeyResult, Operation};
use shop_world::clock::real_now;
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
#[derive(Clone, Copy, Debug)]
pub struct Parcel {
    pub(crate) copies: usize,
    pub(crate) is_late: bool,
    pub(crate) is_forged: bool,
}

/// Events of a world that stands still.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Vec<Waiting>,
    last: u64,
}

/// One delivery to be made.
#[derive(Debug)]
pub(crate) struct Waiting {
    due: DateTime<Utc>,
    /// Of what is due at once, the first handed over goes first.
    seq: u64,
    attempt: u32,
    parcel: Parcel,
    event: Event,
}

impl Outbox {
    pub(crate) fn put(&mut self, world: &World, event: &Event) {
        let parcel = wrap(world, event);
        let late = if parcel.is_late { limits::WEBHOOK_LATE } else { Duration::ZERO };
        for _ in 0..parcel.copies {
            self.last += 1;
            let (due, seq) = (world.clock.now() + in_world(late), self.last);
            self.keep(Waiting { due, seq, attempt: 1, parcel, event: event.clone() });
        }
    }

    fn keep(&mut self, waiting: Waiting) {
        if self.waiting.len() < limits::WEBHOOKS_WAITING_MAX {
            self.waiting.push(waiting);
        } else {
            tracing::warn!(event = waiting.event.id, "too many events are waiting; this one is dropped");
        }
    }

    /// The next delivery that is due.
    pub(crate) fn take_due(&mut self, now: DateTime<Utc>) -> Option<Waiting> {
        let due = self.waiting.iter().enumerate().filter(|(_, waiting)| waiting.due <= now);
        let (first, _) = due.min_by_key(|(_, waiting)| (waiting.due, waiting.seq))?;
        Some(self.waiting.remove(first))
    }

    /// A delivery that failed is due again later, while it has attempts left.
    pub(crate) fn put_back(&mut self, now: DateTime<Utc>, failed: Waiting) {
        if failed.attempt < limits::WEBHOOK_ATTEMPTS_MAX {
            let due = now + in_world(limits::WEBHOOK_RETRY_FIRST * 2_u32.pow(failed.attempt - 1));
            self.keep(Waiting { due, attempt: failed.attempt + 1, ..failed });
        }
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

fn in_world(wait: Duration) -> TimeDelta {
    TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX)
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
        Effect::Refunded { settles: None, .. } | Effect::RefundSettled { failure: None, .. } => {
            EventKind::RefundSucceeded
        }
        Effect::Refunded { settles: Some(_), .. } => EventKind::RefundPending,
        Effect::RefundSettled { failure: Some(_), .. } => EventKind::RefundFailed,
        Effect::Refused(_) => match line.request.as_ref()?.operation() {
            Operation::Refund => EventKind::RefundFailed,
            Operation::Authorize | Operation::Capture | Operation::Void => EventKind::PaymentFailed,
            Operation::Lookup | Operation::Fence | Operation::Webhook => return None,
        },
        Effect::Fenced => return None,
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

/// Makes one delivery that waited; whether it arrived.
pub(crate) async fn deliver_once(world: &World, webhook: &Webhook, waiting: &Waiting) -> bool {
    let Ok(body) = serde_json::to_vec(&waiting.event) else { return true };
    try_once(world, webhook, &waiting.event, waiting.parcel, &body).await
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
            if try_once(&world, &webhook, &event, parcel, &body).await {
                break;
            }
        }
    }
}

/// One delivery; whether it arrived.
async fn try_once(world: &World, webhook: &Webhook, event: &Event, parcel: Parcel, body: &[u8]) -> bool {
    let outcome = send(world, webhook, parcel, body).await;
    let has_arrived = matches!(outcome, Ok(status) if (200..300).contains(&status));
    write_journal(world, event, outcome);
    has_arrived
}

async fn send(world: &World, webhook: &Webhook, parcel: Parcel, body: &[u8]) -> Result<u16, reqwest::Error> {
    // A place is held only while something is on the wire, so waiting for a retry blocks nobody.
    let _slot = webhook.postman.at_once.acquire().await;
    let secret = if parcel.is_forged { "not the secret" } else { &webhook.secret };
    let request = webhook
        .postman
        .http
        .post(&webhook.url)
        .header("Content-Type", "application/json")
        .header(ACCOUNT_HEADER, &world.name)
        .header(SIGNATURE_HEADER, sign(secret, real_now(), body))
        .body(body.to_vec());
    Ok(request.send().await?.status().as_u16())
}

fn write_journal(world: &World, event: &Event, outcome: Result<u16, reqwest::Error>) {
    let line = journal::Line {
        door: "gateway".to_owned(),
        operation: Operation::Webhook.name().to_owned(),
        principal: None,
        key: event.key.clone(),
        about: Some(event.id.clone()),
        outcome: outcome.map_or_else(|error| error.without_url().to_string(), |status| status.to_string()),
    };
    world.journal.write(world.clock.now(), line);
}
