//! Repeating, crashing, looking back and taking back.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_actions_engine::testing::canned::{self, Stage};
use mcp_actions_engine::{Abandoned, Effects as _, Engine, LookUp, Record, StartCall, StepOutcome, Store};

use super::*;
use crate::ConsentLevel;
use crate::caller::Caller;
use crate::engines;
use crate::store::Rows;
use crate::testing::starting;
use crate::update_profile::UpdateProfile;

/// A patch, and the event that tells how often it was done.
const JOBS: [(&str, &str); 7] = [
    (r#"{ "email": "ada@harbour.example" }"#, "customer.updated"),
    (
        r#"{ "address": { "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "DE" } }"#,
        "customer.address_created",
    ),
    (r#"{ "address_id": "home", "address": { "line1": "5 Quay" } }"#, "customer.address_updated"),
    (r#"{ "change": "remove_address" }"#, "customer.address_deleted"),
    (r#"{ "address_id": "den", "is_default": true }"#, "customer.default_address_set"),
    (r#"{ "payment_method_id": "paypal", "is_default": true }"#, "customer.default_payment_method_set"),
    (
        r#"{ "change": "remove_payment_method", "payment_method_id": "visa" }"#,
        "customer.payment_method_detached",
    ),
];

/// One fresh world for the canned tests.
struct Fresh {
    desk: Desk,
    patch: Value,
    event: &'static str,
}

async fn fresh((patch, event): (&str, &'static str)) -> Fresh {
    let desk = Desk::open().await;
    if event == "customer.default_address_set" {
        let input = book::Create { label: "Den".into(), address: hamburg("Ada Byron"), is_default: false };
        let ctx = desk.shop.ctx(&desk.shop.ada.principal);
        book::create(&ctx, desk.shop.ada.customer, input).await.unwrap();
    }
    Fresh { desk, patch: serde_json::from_str(patch).unwrap(), event }
}

#[async_trait]
impl Stage<Caller> for Fresh {
    fn ctx(&self) -> &Caller {
        &self.desk.ada
    }

    fn store(&self) -> Arc<dyn Store<Caller>> {
        Arc::new(Rows)
    }

    fn engine(&self, store: Arc<dyn Store<Caller>>) -> Engine<Caller> {
        engines::engine(ConsentLevel::Agent, "http://127.0.0.1:8083/console", store)
    }

    fn start(&self) -> StartCall {
        starting(FLOW, None, self.patch.clone())
    }

    async fn times_done(&self) -> usize {
        self.desk.shop.happened(self.event).await
    }

    async fn reserved(&self) -> usize {
        0
    }
}

#[tokio::test]
async fn the_canned_truths_hold_for_every_change() {
    for job in JOBS {
        canned::happy_path(&fresh(job).await).await;
        canned::confirming_twice_acts_once(&fresh(job).await).await;
        canned::canceling_leaves_nothing(&fresh(job).await).await;
    }
}

#[tokio::test]
async fn a_crash_at_any_write_changes_once() {
    for job in JOBS {
        canned::crashing_anywhere_acts_once(async || fresh(job).await).await;
    }
}

/// The record of an action as it was stored.
async fn record(desk: &Desk, view: &View) -> Record {
    desk.engine().record(&desk.ada, &id(view)).await.unwrap().unwrap()
}

#[tokio::test]
async fn every_step_runs_once_under_its_key_and_is_taken_back_as_far_as_it_can_be() {
    let flow = UpdateProfile::new().unwrap();
    for job in JOBS {
        let Fresh { desk, patch, event } = fresh(job).await;
        let (contact, book, wallet) = (ada(&desk).await, entries(&desk).await, methods(&desk).await);
        let ready = start(&desk, patch).await;
        desk.confirm(&ready, "k").await;
        let record = record(&desk, &ready).await;
        for effect in &record.effects {
            let key = record.step_key(&effect.step);
            let again = flow.run(&desk.ada, &effect.step, &key, &record).await;
            assert!(matches!(again, StepOutcome::Done(_)), "{event}: {again:?}");
            let seen = flow.look_up(&desk.ada, &effect.step, &key, &record).await;
            assert!(matches!(seen, LookUp::Found(_)), "{event}: {seen:?}");
        }
        assert_eq!(desk.shop.happened(event).await, 1, "{event}");
        for _ in 0..2 {
            let undone = flow.abandon(&desk.ada, &record).await;
            assert!(matches!(undone, Abandoned::Clean { .. }), "{event}: {undone:?}");
        }
        let now = ada(&desk).await;
        assert_eq!((now.email, now.phone), (contact.email, contact.phone), "{event}");
        let faces = |book: Vec<book::View>| {
            book.into_iter().map(|it| (it.label, it.address.line1, it.is_default)).collect::<Vec<_>>()
        };
        assert_eq!(faces(entries(&desk).await), faces(book), "{event}");
        // A card that was removed is the one thing that nobody but the customer can bring back.
        let left = methods(&desk).await;
        match event {
            "customer.payment_method_detached" => assert_eq!(left.len() + 1, wallet.len()),
            _ => {
                let defaults = |all: &[payment_methods::View]| {
                    all.iter().filter(|it| it.is_default).map(|it| it.id).collect::<Vec<_>>()
                };
                assert_eq!(defaults(&left), defaults(&wallet), "{event}");
            }
        }
        let first = &record.effects[0].step;
        let key = record.step_key(first);
        let seen = flow.look_up(&desk.ada, first, &key, &record).await;
        // An entry that was removed is back under another id, so the old one is gone all the same.
        let stands = ["customer.payment_method_detached", "customer.address_deleted"].contains(&event);
        assert_eq!(matches!(seen, LookUp::Found(_)), stands, "{event}: {seen:?}");
    }
}

#[tokio::test]
async fn what_somebody_else_changed_meanwhile_is_not_taken_back() {
    let flow = UpdateProfile::new().unwrap();
    let desk = Desk::open().await;
    let ready = start(&desk, json!({ "last_name": "Lovelace" })).await;
    desk.confirm(&ready, "k").await;
    let other = customers::Update { last_name: Some("King".into()), ..customers::Update::default() };
    customers::update(&desk.shop.ctx(&desk.shop.lead), desk.shop.ada.customer, other).await.unwrap();
    let seen = desk.verify(&ready).await;
    assert_eq!(
        (seen.status, seen.reason),
        (Some(Status::Unknown), Some(Reason::PreconditionFailed)),
        "{seen:?}"
    );
    let record = record(&desk, &ready).await;
    assert!(matches!(flow.abandon(&desk.ada, &record).await, Abandoned::Clean { .. }));
    assert_eq!(ada(&desk).await.last_name, "King");
}
