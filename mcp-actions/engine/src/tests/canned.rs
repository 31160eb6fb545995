//! The fixture passes what every flow has to pass.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::{Desk, start};
use crate::engine::Engine;
use crate::testing::canned::{self, Stage};
use crate::testing::expense::{self, Clerk, Fault};
use crate::{ConsentLevel, StartCall, Store};

#[async_trait]
impl Stage<Clerk> for Desk {
    fn ctx(&self) -> &Clerk {
        &self.ada
    }

    fn store(&self) -> Arc<dyn Store<Clerk>> {
        self.store.clone()
    }

    fn engine(&self, store: Arc<dyn Store<Clerk>>) -> Engine<Clerk> {
        expense::engine(&self.office, store, ConsentLevel::Agent).unwrap()
    }

    fn start(&self) -> StartCall {
        start(json!({"account_id": "office", "reason": "fair"}))
    }

    async fn times_done(&self) -> usize {
        self.office.count("pay")
    }

    async fn reserved(&self) -> usize {
        self.office.held().len()
    }
}

#[tokio::test]
async fn the_happy_path_leaves_nothing_reserved() {
    let desk = Desk::trusting();
    let done = canned::happy_path(&desk).await;
    assert_eq!(desk.office.held().len(), 0);
    let paid = done.verification.unwrap();
    assert_eq!((paid.status.as_str(), paid.amount), ("paid", Some(100)));
    assert!(done.external_id.unwrap().starts_with("bank:act_"));
}

#[tokio::test]
async fn confirming_twice_acts_once() {
    canned::confirming_twice_acts_once(&Desk::trusting()).await;
}

#[tokio::test]
async fn canceling_leaves_nothing() {
    canned::canceling_leaves_nothing(&Desk::trusting()).await;
}

#[tokio::test]
async fn rule_12_a_crash_at_any_write_loses_nothing_and_does_nothing_twice() {
    canned::crashing_anywhere_acts_once(async || Desk::trusting()).await;
}

#[tokio::test]
async fn rule_12_a_crash_around_a_lost_answer_is_cleared_up_as_well() {
    for step in ["file", "reserve", "pay"] {
        canned::crashing_anywhere_acts_once(async || {
            let desk = Desk::trusting();
            desk.office.plan(step, Fault::LoseAnswer);
            desk
        })
        .await;
    }
}
