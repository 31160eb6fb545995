//! Lost answers, declines, false yeses, changed summaries, crashes: money goes back once, or not at all.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::testing::Crashing;
use mcp_actions_engine::testing::canned::{self, Stage, approve};
use mcp_actions_engine::{Engine, Outcome, Reason, StartCall, Status, Store};
use shop_domain::status::{ExchangeStatus, OrderPaymentStatus, OrderStatus};
use shop_service::exchanges;
use shop_world::Moment;

use super::*;
use crate::ConsentLevel;
use crate::engines;
use crate::store::Rows;
use crate::testing::{id, offers, starting};

/// A paid order of two mugs, and an action that gives all of it back.
async fn refund(desk: &Desk) -> (orders::View, View) {
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 2)]).await;
    let ready = desk.ready("after_sales", &order.number, json!({ "problem": "changed_mind" })).await;
    (order, ready)
}

#[tokio::test]
async fn a_lost_answer_is_unknown_and_looking_finds_the_refund() {
    for looks in ["verify", "recover", "confirm", "runner"] {
        let desk = Desk::open().await;
        let (order, ready) = refund(&desk).await;
        desk.fault("lost_answer@refund*1");
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(
            (lost.status, lost.reason),
            (Some(Status::Unknown), Some(Reason::OutcomeUnknown)),
            "{lost:?}"
        );
        assert!(lost.recoverable && offers(&lost, Tool::VerifyAction) && offers(&lost, Tool::RecoverAction));
        assert_eq!(desk.given_back(), order.total_minor, "the gateway did it");
        let system = shop_service::Ctx::system(Arc::clone(&desk.shop.shop));
        match looks {
            "verify" => drop(desk.verify(&lost).await),
            "recover" => drop(desk.recover(&lost, None).await),
            "confirm" => drop(desk.confirm(&ready, "k").await),
            _ => {
                desk.engines.resume(&system, &id(&ready)).await.unwrap();
            }
        }
        if offers(&desk.get(&ready).await, Tool::VerifyAction) {
            desk.verify(&ready).await;
        }
        let done = desk.get(&ready).await;
        assert_eq!(done.status, Some(Status::Completed), "{looks}: {done:?}");
        assert_eq!(desk.given_back(), order.total_minor, "{looks}");
        assert_eq!(refunds_of(&desk, order.id).await, [(order.total_minor, RefundStatus::Succeeded)]);
        assert_eq!(desk.shop.flaws().await, Vec::<String>::new(), "{looks}");
    }
}

#[tokio::test]
async fn a_request_that_never_arrived_is_sent_again_as_the_same_refund() {
    let desk = Desk::open().await;
    let (order, ready) = refund(&desk).await;
    desk.fault("timeout_before@refund*1");
    let lost = desk.confirm(&ready, "k").await;
    assert_eq!(lost.status, Some(Status::Unknown), "{lost:?}");
    let seen = desk.verify(&lost).await;
    assert_eq!((seen.status, seen.verification.unwrap().status), (Some(Status::Unknown), "not_found".into()));
    assert_eq!(desk.given_back(), 0);
    let mut retried = desk.recover(&lost, Some("retry")).await;
    for _ in 0..3 {
        if retried.outcome == Outcome::RetryableFailure {
            retried = desk.recover(&lost, Some("retry")).await;
        }
    }
    assert_eq!(retried.outcome, Outcome::Success, "{retried:?}");
    assert_eq!(desk.verify(&lost).await.status, Some(Status::Completed));
    assert_eq!(desk.given_back(), order.total_minor);
    assert_eq!(refunds_of(&desk, order.id).await, [(order.total_minor, RefundStatus::Succeeded)]);
}

#[tokio::test]
async fn giving_up_leaves_either_the_whole_refund_or_none() {
    for (fault, went_back) in [("lost_answer", true), ("timeout_before", false)] {
        let desk = Desk::open().await;
        let (order, ready) = refund(&desk).await;
        desk.fault(&format!("{fault}@refund*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{fault}");
        let gone = desk.recover(&lost, Some("abandon")).await;
        assert_eq!(gone.status, Some(Status::Canceled), "{fault}: {gone:?}");
        let (back, status) = match went_back {
            true => (order.total_minor, RefundStatus::Succeeded),
            false => (0, RefundStatus::Cancelled),
        };
        assert_eq!(desk.given_back(), back, "{fault}");
        assert_eq!(refunds_of(&desk, order.id).await, [(order.total_minor, status)], "{fault}");
        assert_eq!(desk.shop.flaws().await, Vec::<String>::new(), "{fault}");
        // What was not given back can still be.
        let again =
            desk.start("after_sales", Some(&order.number), json!({ "problem": "changed_mind" })).await;
        assert_eq!(offers(&again, Tool::ConfirmAction), !went_back, "{fault}: {again:?}");
    }
}

#[tokio::test]
async fn a_declined_refund_can_go_another_way() {
    let desk = Desk::open().await;
    let (order, ready) = refund(&desk).await;
    desk.fault("decline@refund*1");
    let declined = desk.confirm(&ready, "k1").await;
    assert_eq!(declined.reason, Some(Reason::PaymentDeclined), "{declined:?}");
    assert_eq!(declined.status, Some(Status::Failed));
    let suggestion = declined.recoverable_errors[0].suggestions[0].clone();
    assert_eq!((suggestion.field.as_str(), &suggestion.value), ("refund_to", &json!("store_credit")));
    assert_eq!(refunds_of(&desk, order.id).await, [(order.total_minor, RefundStatus::Cancelled)]);
    let open = desk.recover(&ready, None).await;
    assert_eq!(open.outcome, Outcome::Success, "{open:?}");
    let other = desk.advance(&open, json!({ "refund_to": suggestion.value })).await;
    assert_eq!(other.status, Some(Status::ReadyForConfirmation), "{other:?}");
    let done = desk.carry_out(&other).await;
    assert_eq!(done.verification.unwrap().amount, Some(order.total_minor));
    assert_eq!(desk.given_back(), 0);
    assert_eq!(desk.shop.order(order.id).await.payment_status, OrderPaymentStatus::Refunded);
}

#[tokio::test]
async fn a_yes_without_a_refund_is_not_believed() {
    for strategy in ["retry", "abandon"] {
        let desk = Desk::open().await;
        let (order, ready) = refund(&desk).await;
        desk.fault("silent_failure@refund*1");
        let claimed = desk.confirm(&ready, "k").await;
        assert_eq!(claimed.reason, Some(Reason::OutcomeUnknown), "{claimed:?}");
        assert_eq!(desk.given_back(), 0);
        let seen = desk.verify(&ready).await;
        assert_eq!(
            (seen.status, seen.verification.unwrap().status),
            (Some(Status::Unknown), "not_found".into())
        );
        let mut view = desk.recover(&ready, Some(strategy)).await;
        for _ in 0..3 {
            if view.outcome == Outcome::RetryableFailure {
                view = desk.recover(&ready, Some(strategy)).await;
            }
        }
        if strategy == "retry" {
            assert_eq!(desk.verify(&ready).await.status, Some(Status::Completed));
        } else {
            assert_eq!(view.status, Some(Status::Canceled), "{view:?}");
            // Given up, its claim is gone, and the money can be asked for anew.
            let again = desk.ready("after_sales", &order.number, json!({ "problem": "changed_mind" })).await;
            desk.carry_out(&again).await;
        }
        assert_eq!(desk.given_back(), order.total_minor, "{strategy}");
        assert_eq!(desk.shop.flaws().await, Vec::<String>::new(), "{strategy}");
    }
}

#[tokio::test]
async fn a_gateway_that_pays_twice_is_found_out() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    let patch = json!({ "problem": "changed_mind", "items": items("shirt", 1) });
    let ready = desk.ready("after_sales", &order.number, patch).await;
    desk.fault("duplicate_effect@refund*1");
    desk.confirm(&ready, "k").await;
    let worth = order.lines[1].total_minor;
    assert_eq!(desk.given_back(), 2 * worth);
    let seen = desk.verify(&ready).await;
    assert_ne!(seen.outcome, Outcome::Success, "{seen:?}");
    assert_eq!(seen.verification.as_ref().unwrap().amount, Some(2 * worth), "{seen:?}");
    assert!(!offers(&seen, Tool::ConfirmAction));
}

#[tokio::test]
async fn an_answer_that_was_lost_while_letting_money_go_is_looked_for() {
    for (fault, strategy) in
        [("lost_answer", None), ("timeout_before", Some("retry")), ("timeout_before", Some("abandon"))]
    {
        let desk = Desk::open().await;
        let order = held(&desk, &[(desk.shop.goods.blue_mug, 2)]).await;
        let ready = desk.ready("after_sales", &order.number, json!({ "problem": "changed_mind" })).await;
        desk.fault(&format!("{fault}@void*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{fault}: {lost:?}");
        let mut view = match strategy {
            None => desk.verify(&lost).await,
            Some(_) => {
                let seen = desk.verify(&lost).await;
                assert_eq!(seen.verification.unwrap().status, "not_found", "{fault}");
                desk.recover(&lost, strategy).await
            }
        };
        for _ in 0..3 {
            if view.outcome == Outcome::RetryableFailure {
                view = desk.recover(&lost, strategy).await;
            }
        }
        if view.status == Some(Status::Submitted) {
            view = desk.verify(&lost).await;
        }
        // A cancelled order stays cancelled: giving up lets its money go all the same.
        let end = if strategy == Some("abandon") { Status::Canceled } else { Status::Completed };
        assert_eq!(view.status, Some(end), "{fault} {strategy:?}: {view:?}");
        let order = desk.shop.order(order.id).await;
        assert_eq!(
            (order.status, order.payment_status),
            (OrderStatus::Cancelled, OrderPaymentStatus::Voided)
        );
        let charge = desk.shop.gateway.truth().unwrap().charges.pop().unwrap();
        assert_eq!(serde_json::to_value(charge.status).unwrap(), "voided", "{fault} {strategy:?}");
    }
}

#[tokio::test]
async fn a_summary_that_changed_voids_the_yes() {
    let desk = Desk::with(ConsentLevel::Client).await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    t.reprice(t.goods.blue_mug, 1_890).await;
    let ready = desk.ready("after_sales", &order.number, json!({ "problem": "price_drop" })).await;
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!(asked.reason, Some(Reason::ConsentRequired), "{asked:?}");
    let digest = asked.consent.unwrap().digest;
    desk.engine().answer_consent(&desk.ada, &id(&ready), &digest, true).await.unwrap();
    t.reprice(t.goods.blue_mug, 1_790).await;
    let stale = desk.confirm(&ready, "k").await;
    assert_eq!(stale.reason, Some(Reason::ConsentStale), "{stale:?}");
    assert_eq!((summary(&stale, "amount"), desk.given_back()), (&json!(476), 0));
    let asked = desk.confirm(&stale, "k2").await;
    let digest = asked.consent.unwrap().digest;
    desk.engine().answer_consent(&desk.ada, &id(&ready), &digest, true).await.unwrap();
    assert_eq!(desk.confirm(&ready, "k2").await.outcome, Outcome::Success);
    assert_eq!(desk.given_back(), 476);
}

#[tokio::test]
async fn somebody_who_was_faster_leaves_nothing_to_give_back() {
    let desk = Desk::open().await;
    let (order, ready) = refund(&desk).await;
    let other = desk.ready("cancel_order", &order.number, json!({ "reason": "no_longer_needed" })).await;
    desk.carry_out(&other).await;
    let late = desk.confirm(&ready, "k").await;
    assert_eq!(late.outcome, Outcome::TerminalFailure, "{late:?}");
    assert_eq!(desk.given_back(), order.total_minor);
}

#[tokio::test]
async fn what_a_dead_process_left_is_called_off_with_its_action() {
    for (capability, patch) in [
        ("return_refund", json!({ "reason": "changed_mind" })),
        ("exchange", json!({ "items": [{ "id": "shirt", "to": "large" }], "reason": "wrong_size" })),
        ("refund_only", json!({})),
    ] {
        let fresh = Box::pin(fresh(capability, patch)).await;
        let store = Arc::new(Crashing::new(fresh.store()));
        let engine = fresh.engine(store.clone());
        let ready = engine.start(fresh.ctx(), fresh.start()).await;
        // It was done, and the process dies before that is written into the action.
        store.crash_at(2, Moment::Before);
        engine.confirm(fresh.ctx(), approve(&ready, "k")).await;
        assert!(store.is_dead());
        store.restart(fresh.ctx()).await.unwrap();
        assert_eq!(fresh.times_done().await, 1, "{capability}");
        let gone = fresh.desk.recover(&ready, Some("abandon")).await;
        assert_eq!(gone.status, Some(Status::Canceled), "{capability}: {gone:?}");
        let left = returns_of(&fresh.desk, fresh.order.id).await;
        assert!(left.iter().all(|row| row.status == ReturnStatus::Cancelled), "{left:?}");
        for row in left {
            let Some(id) = row.exchange_id else { continue };
            let ctx = fresh.desk.shop.ctx(&fresh.desk.shop.admin);
            assert_eq!(exchanges::get(&ctx, id).await.unwrap().status, ExchangeStatus::Cancelled);
            assert_eq!(fresh.desk.held(&id.to_string()).await, 0);
        }
        // Money that has gone back stays with the customer.
        let back = if capability == "refund_only" { fresh.order.total_minor } else { 0 };
        assert_eq!(fresh.desk.given_back(), back);
        assert_eq!(fresh.desk.shop.flaws().await, Vec::<String>::new());
    }
}

/// One fresh world for the canned tests, with one order and one wish about it.
struct Fresh {
    desk: Desk,
    caller: Caller,
    order: orders::View,
    capability: &'static str,
    patch: Value,
}

async fn fresh(capability: &'static str, patch: Value) -> Fresh {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let lines = [(t.goods.small_shirt, 1)];
    let order = match capability {
        "cancel_order" => held(&desk, &lines).await,
        "refund_only" => t.paid(&lines).await,
        "after_sales" => t.shipped(&lines).await.0,
        _ => t.delivered(&lines).await,
    };
    let caller = if capability == "after_sales" { leads(&desk).await } else { desk.ada.clone() };
    Fresh { order, caller, capability, patch, desk }
}

#[async_trait]
impl Stage<Caller> for Fresh {
    fn ctx(&self) -> &Caller {
        &self.caller
    }

    fn store(&self) -> Arc<dyn Store<Caller>> {
        Arc::new(Rows)
    }

    fn engine(&self, store: Arc<dyn Store<Caller>>) -> Engine<Caller> {
        engines::engine(ConsentLevel::Agent, "http://127.0.0.1:8083/console", store)
    }

    fn start(&self) -> StartCall {
        starting(self.capability, Some(&self.order.number), self.patch.clone())
    }

    async fn times_done(&self) -> usize {
        let back = self.desk.given_back();
        let money = self.desk.shop.order(self.order.id).await.payment_status;
        let worth = self.order.lines[0].total_minor;
        assert!([0, worth, self.order.total_minor].contains(&back), "{back} went back");
        usize::from(back > 0)
            + usize::from(money == OrderPaymentStatus::Voided)
            + returns_of(&self.desk, self.order.id).await.len()
    }

    async fn reserved(&self) -> usize {
        0
    }
}

fn wishes() -> [(&'static str, Value); 5] {
    [
        ("after_sales", json!({ "problem": "never_arrived", "wants": "refund" })),
        ("refund_only", json!({})),
        ("cancel_order", json!({ "reason": "no_longer_needed" })),
        ("return_refund", json!({ "reason": "changed_mind" })),
        ("exchange", json!({ "items": [{ "id": "shirt", "to": "large" }], "reason": "wrong_size" })),
    ]
}

#[tokio::test]
async fn the_canned_happy_path_and_no_second_time() {
    for (capability, patch) in wishes() {
        canned::happy_path(&Box::pin(fresh(capability, patch.clone())).await).await;
        canned::confirming_twice_acts_once(&Box::pin(fresh(capability, patch.clone())).await).await;
        canned::canceling_leaves_nothing(&Box::pin(fresh(capability, patch)).await).await;
    }
}

#[tokio::test]
async fn a_crash_at_any_write_loses_nothing_and_acts_once() {
    for (capability, patch) in wishes() {
        canned::crashing_anywhere_acts_once(async || Box::pin(fresh(capability, patch.clone())).await).await;
    }
}

#[tokio::test]
async fn a_crash_around_a_lost_refund_is_cleared_up_as_well() {
    canned::crashing_anywhere_acts_once(async || {
        let fresh = Box::pin(fresh("refund_only", json!({}))).await;
        fresh.desk.fault("lost_answer@refund*1");
        fresh
    })
    .await;
}

#[tokio::test]
async fn two_confirms_at_once_give_back_once() {
    let desk = Desk::open().await;
    let (order, ready) = refund(&desk).await;
    let engine = desk.engine();
    let (one, two) = tokio::join!(
        engine.confirm(&desk.ada, approve(&ready, "a")),
        engine.confirm(&desk.ada, approve(&ready, "b"))
    );
    let successes = [&one, &two].into_iter().filter(|view| view.outcome == Outcome::Success).count();
    assert_eq!(successes, 1, "{one:?} {two:?}");
    assert_eq!(desk.given_back(), order.total_minor);
}

#[tokio::test]
async fn nobody_touching_it_ends_it() {
    let desk = Desk::open().await;
    let (_, ready) = refund(&desk).await;
    desk.shop.shop.world.clock.advance(TimeDelta::minutes(31));
    desk.drain().await;
    assert_eq!(desk.get(&ready).await.status, Some(Status::Expired));
    assert_eq!(desk.given_back(), 0);
}
