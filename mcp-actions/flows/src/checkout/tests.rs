use std::sync::Arc;

use async_trait::async_trait;
use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::testing::canned::{self, Stage, approve};
use mcp_actions_engine::{Engine, Outcome, Reason, StartCall, Status, Store, View};
use serde_json::{Value, json};
use shop_domain::ids::{AddressId, VariantId};
use shop_domain::status::{OrderPaymentStatus, OrderStatus};
use shop_service::{consents, orders};

use crate::ConsentLevel;
use crate::caller::Caller;
use crate::engines;
use crate::store::Rows;
use crate::testing::{Desk, id, node, offers, tools};

/// Two blue mugs, as the walk-through has them, with what the whole costs by the cheapest method.
const TOTAL: i64 = (3_980 + 756) + (490 + 93);

fn patch(item: VariantId, quantity: i64, address: AddressId, payment_type: &str) -> Value {
    json!({
        "items": [{ "id": item, "quantity": quantity }],
        "address_id": address,
        "payment_type": payment_type,
    })
}

/// An action at its confirm node, from a cart with one blue mug and the article's one patch.
async fn ready(desk: &Desk) -> View {
    let cart = desk.cart(&[(desk.shop.goods.blue_mug, 1)]).await;
    let started = desk.start("checkout", Some(&cart.to_string()), json!({})).await;
    let one_patch = patch(desk.shop.goods.blue_mug, 2, desk.shop.ada.address, "card");
    let view = desk.advance(&started, one_patch).await;
    assert_eq!(node(&view), "CONFIRM_ORDER", "{view:?}");
    view
}

async fn order(desk: &Desk, view: &View) -> orders::View {
    let order = view.result_refs.iter().find(|found| found.kind == "Order").unwrap();
    orders::get(&desk.shop.ctx(&desk.shop.ada.principal), order.id.parse().unwrap()).await.unwrap()
}

fn codes(view: &View) -> Vec<(&str, Reason)> {
    view.validation_errors.iter().map(|error| (error.field.as_str(), error.code)).collect()
}

#[tokio::test]
async fn the_walk_through() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    desk.cart(&[(t.goods.blue_mug, 1)]).await;
    let started = desk.start("checkout", None, json!({})).await;
    assert_eq!((started.outcome, started.entity.as_deref()), (Outcome::Success, Some("Order")));
    assert_eq!(started.context["items"][0]["name"], "Blue mug");
    assert_eq!(started.context["addresses"][0]["label"], "Home");
    assert_eq!(started.context["payment_methods"][0]["type"], "balance");
    assert_eq!(
        started.allowed_patch,
        [
            "items[].quantity",
            "address_id",
            "shipping_method_id",
            "coupon_id",
            "payment_type",
            "payment_method_id",
            "payments[]"
        ]
    );
    assert_eq!((started.requires_confirmation, tools(&started)), (false, vec!["advance_action"]));

    let ready = desk.advance(&started, patch(t.goods.blue_mug, 2, t.ada.address, "card")).await;
    assert_eq!((node(&ready), ready.status), ("CONFIRM_ORDER", Some(Status::ReadyForConfirmation)));
    let mut applied = ready.applied.clone();
    applied.sort();
    assert_eq!(applied, ["address_id", "items", "payment_type"]);
    assert!(ready.missing.is_empty() && ready.requires_confirmation && ready.requires_approval);
    assert!(ready.context["available_coupons"].as_array().unwrap().iter().any(|c| c["code"] == "SAVE10"));
    let summary = ready.summary.as_ref().unwrap();
    assert_eq!((&summary["amount"], &summary["currency"]), (&json!(TOTAL), &json!("EUR")));
    assert_eq!(
        (&summary["address"], &summary["payment_type"], &summary["coupon"]),
        (&json!("Home"), &json!("card"), &Value::Null)
    );
    assert_eq!(summary["shipping_method"], "Standard");
    assert_eq!(tools(&ready), ["advance_action", "confirm_action"]);
    assert_eq!((desk.held(&id(&ready)).await, desk.taken().len()), (2, 0));

    let submitted = desk.confirm(&ready, "req-20261026-001").await;
    assert_eq!(
        (submitted.outcome, node(&submitted)),
        (Outcome::Success, "PAYMENT_SUBMITTED"),
        "{submitted:?}"
    );
    assert_eq!((submitted.status, tools(&submitted)), (Some(Status::Submitted), vec!["verify_action"]));
    assert!(submitted.external_id.is_some());
    assert_eq!(submitted.observed_state.as_ref().unwrap()["payment_status"], "paid");

    let done = desk.verify(&ready).await;
    assert_eq!((done.status, node(&done), done.next_actions.len()), (Some(Status::Completed), "DONE", 0));
    let paid = done.verification.as_ref().unwrap();
    assert_eq!(
        (paid.status.as_str(), paid.amount, paid.currency.as_deref()),
        ("paid", Some(TOTAL), Some("EUR"))
    );
    assert_eq!(desk.taken(), [TOTAL]);
    assert_eq!(desk.held(&id(&ready)).await, 0);
    let order = order(&desk, &done).await;
    assert_eq!((order.status, order.payment_status), (OrderStatus::Confirmed, OrderPaymentStatus::Paid));
    assert_eq!(desk.held(&order.id.to_string()).await, 2);
}

#[tokio::test]
async fn one_start_with_a_patch_goes_all_the_way_to_the_confirm_node() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let view = desk.start("checkout", None, patch(t.goods.desk_lamp, 1, t.ada.address, "paypal")).await;
    assert_eq!((node(&view), view.missing.len()), ("CONFIRM_ORDER", 0), "{view:?}");
}

#[tokio::test]
async fn words_start_with_goods_and_labels_and_codes_are_understood() {
    let desk = Desk::open().await;
    let view = desk
        .start(
            "checkout",
            Some("a blue mug"),
            json!({ "address_id": "home", "coupon_id": "save10", "payment_type": "balance" }),
        )
        .await;
    assert_eq!(node(&view), "CONFIRM_ORDER", "{view:?}");
    let summary = view.summary.as_ref().unwrap();
    assert_eq!((&summary["items"][0]["name"], &summary["coupon"]), (&json!("Blue mug"), &json!("SAVE10")));
    let mugs = desk.start("checkout", Some("harbour mug"), json!({})).await;
    assert_eq!((node(&mugs), mugs.candidates.len()), ("RESOLVE", 2));
    let none = desk.start("checkout", Some("a golden mug"), json!({})).await;
    assert_eq!((none.reason, none.candidates.len()), (Some(Reason::NotFound), 2));
}

#[tokio::test]
async fn too_little_stock_holds_back_the_rest_and_offers_what_there_is() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let short = desk.start("checkout", None, patch(t.goods.blue_mug, 11, t.ada.address, "card")).await;
    assert_eq!((node(&short), codes(&short)), ("ITEMS", vec![("items", Reason::OutOfStock)]));
    assert_eq!(short.pending, ["address_id", "payment_type"]);
    assert_eq!(tools(&short), ["advance_action"]);
    let suggestions = &short.validation_errors[0].suggestions;
    assert_eq!(suggestions[0].value, json!([{ "id": t.goods.blue_mug, "quantity": 10 }]));

    // Ten of the red ones would do: the suggestion is sent as it is.
    let fewer = desk.advance(&short, json!({ "items": [{ "id": t.goods.blue_mug, "quantity": 10 }] })).await;
    assert_eq!((node(&fewer), fewer.pending.len()), ("CONFIRM_ORDER", 0), "{fewer:?}");
    assert_eq!(fewer.applied.len(), 3, "what was pending took effect by itself: {:?}", fewer.applied);
    let other = desk.start("checkout", None, patch(t.goods.blue_mug, 3, t.ada.address, "card")).await;
    assert_eq!(codes(&other), [("items", Reason::OutOfStock)]);
    let red = &other.validation_errors[0].suggestions[0];
    assert_eq!(red.value[1], json!({ "id": t.goods.red_mug, "quantity": 3 }), "{red:?}");
    let mended = desk.advance(&other, json!({ "items": red.value })).await;
    assert_eq!(mended.summary.unwrap()["items"][0]["name"], "Red mug");
}

#[tokio::test]
async fn a_coupon_that_no_longer_fits_is_dropped_and_said_so() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let mut wish = patch(t.goods.blue_mug, 2, t.ada.address, "card");
    wish["coupon_id"] = json!(t.coupons.shipfree);
    let with = desk.start("checkout", None, wish).await;
    assert_eq!(with.summary.as_ref().unwrap()["coupon"], "SHIPFREE", "{with:?}");
    // Above 100 EUR the standard method is free anyway, so there is nothing left for the coupon to take off.
    let more = desk.advance(&with, json!({ "items": [{ "id": t.goods.blue_mug, "quantity": 8 }] })).await;
    assert_eq!(node(&more), "CONFIRM_ORDER", "{more:?}");
    assert_eq!(more.summary.as_ref().unwrap()["coupon"], Value::Null);
    assert_eq!(more.recoverable_errors[0].field.as_deref(), Some("coupon_id"));
    assert_eq!(more.recoverable_errors[0].code, Reason::CouponInvalid);
    let unknown = desk.advance(&more, json!({ "coupon_id": "NOSUCH" })).await;
    assert_eq!(codes(&unknown), [("coupon_id", Reason::CouponInvalid)]);
    assert!(!offers(&unknown, Tool::ConfirmAction));
}

#[tokio::test]
async fn the_last_use_of_a_coupon_is_held_for_the_one_who_has_it() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let mut wish = patch(t.goods.blue_mug, 2, t.ada.address, "card");
    wish["coupon_id"] = json!(t.coupons.once10);
    let first = desk.start("checkout", None, wish.clone()).await;
    assert_eq!(first.summary.as_ref().unwrap()["coupon"], "ONCE10", "{first:?}");
    let second = desk.start("checkout", None, wish).await;
    assert_eq!(codes(&second), [("coupon_id", Reason::CouponInvalid)]);
    assert_eq!(node(&desk.get(&first).await), "CONFIRM_ORDER");
    assert_eq!(desk.confirm(&first, "k").await.outcome, Outcome::Success);
    assert_eq!(desk.verify(&first).await.status, Some(Status::Completed));
}

#[tokio::test]
async fn a_payment_can_be_split_and_must_add_up() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let split = |amount: i64| {
        json!({
            "items": [{ "id": t.goods.blue_mug, "quantity": 2 }],
            "address_id": t.ada.address,
            "payments": [{ "payment_type": "gift_card", "amount": amount }, { "payment_type": "card" }],
        })
    };
    let too_much = desk.start("checkout", None, split(6_000)).await;
    assert_eq!(codes(&too_much), [("payments", Reason::ValidationFailed)]);
    let view = desk.start("checkout", None, split(2_000)).await;
    assert_eq!(view.summary.as_ref().unwrap()["payment_type"], "gift_card + card", "{view:?}");
    assert_eq!(desk.confirm(&view, "k").await.outcome, Outcome::Success);
    let done = desk.verify(&view).await;
    assert_eq!((done.status, done.verification.unwrap().amount), (Some(Status::Completed), Some(TOTAL)));
    assert_eq!(desk.taken(), [TOTAL - 2_000]);
}

#[tokio::test]
async fn store_credit_that_does_not_cover_the_total_is_told_before_confirm() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let view = desk.start("checkout", None, patch(t.goods.blue_mug, 2, t.ada.address, "balance")).await;
    assert_eq!(codes(&view), [("payment_type", Reason::PaymentDeclined)]);
    assert!(view.validation_errors[0].suggestions.iter().any(|other| other.value == json!("card")));
}

#[tokio::test]
async fn a_decline_leaves_nothing_and_can_be_answered_with_another_card() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    desk.fault("decline@authorize*1");
    let declined = desk.confirm(&ready, "k1").await;
    assert_eq!(declined.reason, Some(Reason::PaymentDeclined), "{declined:?}");
    assert_eq!((declined.status, tools(&declined)), (Some(Status::Failed), vec!["recover_action"]));
    assert!(!declined.recoverable_errors[0].suggestions.is_empty());
    assert_eq!(order(&desk, &declined).await.status, OrderStatus::Cancelled);
    assert_eq!((desk.held(&id(&ready)).await, desk.taken().len()), (0, 0));
    let open = desk.recover(&ready, None).await;
    assert_eq!((open.outcome, node(&open)), (Outcome::Success, "CONFIRM_ORDER"), "{open:?}");
    let other = desk.advance(&open, json!({ "payment_type": "paypal" })).await;
    assert_eq!(desk.confirm(&other, "k2").await.outcome, Outcome::Success);
    assert_eq!(desk.verify(&other).await.status, Some(Status::Completed));
    assert_eq!(desk.taken(), [TOTAL]);
}

#[tokio::test]
async fn a_lost_answer_is_unknown_and_verify_finishes_it() {
    for step in ["authorize", "capture"] {
        let desk = Desk::open().await;
        let ready = ready(&desk).await;
        desk.fault(&format!("lost_answer@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(
            (lost.status, lost.reason),
            (Some(Status::Unknown), Some(Reason::OutcomeUnknown)),
            "{step}"
        );
        assert!(lost.recoverable && offers(&lost, Tool::VerifyAction) && offers(&lost, Tool::RecoverAction));
        let done = desk.verify(&lost).await;
        assert_eq!(done.status, Some(Status::Completed), "{step}: {done:?}");
        assert_eq!(desk.taken(), [TOTAL], "{step}");
    }
}

#[tokio::test]
async fn a_request_that_never_arrived_is_retried_under_the_same_action() {
    for step in ["authorize", "capture"] {
        let desk = Desk::open().await;
        let ready = ready(&desk).await;
        desk.fault(&format!("timeout_before@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{step}: {lost:?}");
        let seen = desk.verify(&lost).await;
        assert_eq!(
            (seen.status, seen.verification.unwrap().status),
            (Some(Status::Unknown), "not_found".into())
        );
        let mut retried = desk.recover(&lost, Some("retry")).await;
        for _ in 0..3 {
            if retried.outcome == Outcome::RetryableFailure {
                retried = desk.recover(&lost, Some("retry")).await;
            }
        }
        assert_eq!(retried.outcome, Outcome::Success, "{step}: {retried:?}");
        assert_eq!(desk.verify(&lost).await.status, Some(Status::Completed), "{step}");
        assert_eq!(desk.taken(), [TOTAL], "{step}");
    }
}

#[tokio::test]
async fn giving_up_an_unknown_outcome_takes_everything_back() {
    for (fault, step) in [
        ("lost_answer", "authorize"),
        ("lost_answer", "capture"),
        ("timeout_before", "authorize"),
        ("timeout_before", "capture"),
    ] {
        let desk = Desk::open().await;
        let ready = ready(&desk).await;
        desk.fault(&format!("{fault}@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{fault} {step}");
        let gone = desk.recover(&lost, Some("abandon")).await;
        assert_eq!(gone.status, Some(Status::Canceled), "{fault} {step}: {gone:?}");
        assert_eq!(desk.taken(), Vec::<i64>::new(), "{fault} {step}");
        assert_eq!(order(&desk, &gone).await.status, OrderStatus::Cancelled);
        assert_eq!(desk.held(&id(&ready)).await, 0);
        let books = desk.shop.gateway.truth().unwrap().charges;
        let is_held = |status| serde_json::to_value(status).unwrap() == "authorized";
        assert!(books.iter().all(|charge| !is_held(charge.status)), "{fault} {step}: {books:?}");
    }
}

#[tokio::test]
async fn the_runner_goes_on_with_what_its_caller_left() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    desk.fault("lost_answer@authorize*1");
    desk.confirm(&ready, "k").await;
    let system = shop_service::Ctx::system(Arc::clone(&desk.shop.shop));
    desk.engines.resume(&system, &id(&ready)).await.unwrap();
    let view = desk.get(&ready).await;
    assert_eq!((view.status, node(&view)), (Some(Status::Submitted), "PAYMENT_SUBMITTED"), "{view:?}");
    assert_eq!(desk.taken(), [TOTAL]);
    let replayed = desk.confirm(&ready, "k").await;
    assert_eq!((replayed.outcome, replayed.replayed), (Outcome::Success, true));
}

#[tokio::test]
async fn nobody_touching_it_for_half_an_hour_gives_everything_back() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    let system = shop_service::Ctx::system(Arc::clone(&desk.shop.shop));
    desk.engines.expire(&system, &id(&ready)).await.unwrap();
    assert_eq!(desk.held(&id(&ready)).await, 2, "not before its time");
    desk.shop.shop.world.clock.advance(chrono::TimeDelta::minutes(31));
    desk.engines.expire(&system, &id(&ready)).await.unwrap();
    assert_eq!(desk.get(&ready).await.status, Some(Status::Expired));
    assert_eq!(desk.held(&id(&ready)).await, 0);
}

#[tokio::test]
async fn a_price_that_changed_voids_the_yes() {
    let desk = Desk::with(ConsentLevel::Client).await;
    let ready = ready(&desk).await;
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!(asked.reason, Some(Reason::ConsentRequired));
    let consent = asked.consent.unwrap();
    assert!(consent.url.as_ref().unwrap().starts_with("http://127.0.0.1:8083/w/test/console/consents/con_"));
    desk.engine().answer_consent(&desk.ada, &id(&ready), &consent.digest, true).await.unwrap();
    let more = json!({ "items": [{ "id": desk.shop.goods.blue_mug, "quantity": 3 }] });
    let changed = desk.advance(&ready, more).await;
    assert_eq!(desk.confirm(&changed, "k").await.reason, Some(Reason::ConsentStale));
    assert_eq!(desk.taken().len(), 0);
}

#[tokio::test]
async fn another_persons_cart_and_action_look_absent() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    let bob = crate::testing::agent_of(&desk.shop, &desk.shop.bob.principal);
    assert_eq!(desk.engine().get(&bob, &id(&ready)).await.reason, Some(Reason::NotFound));
    let cart = ready.observed_state.as_ref().unwrap()["id"].as_str().unwrap().to_owned();
    let call = StartCall { capability: "checkout".into(), target: Some(cart), ..StartCall::default() };
    assert_eq!(desk.engine().start(&bob, call).await.reason, Some(Reason::NotFound));
}

/// One fresh world for the canned tests.
struct Fresh(Desk);

#[async_trait]
impl Stage<Caller> for Fresh {
    fn ctx(&self) -> &Caller {
        &self.0.ada
    }

    fn store(&self) -> Arc<dyn Store<Caller>> {
        Arc::new(Rows)
    }

    fn engine(&self, store: Arc<dyn Store<Caller>>) -> Engine<Caller> {
        engines::engine(ConsentLevel::Agent, "http://127.0.0.1:8083/console", store)
    }

    fn start(&self) -> StartCall {
        let shop = &self.0.shop;
        let patch = crate::wire::object(patch(shop.goods.blue_mug, 2, shop.ada.address, "card"));
        StartCall { capability: "checkout".to_owned(), patch, ..StartCall::default() }
    }

    async fn times_done(&self) -> usize {
        self.0.taken().len()
    }

    async fn reserved(&self) -> usize {
        let page = crate::entities::whole_page();
        let filter = shop_service::inventory::Filter {
            status: Some(shop_domain::status::ReservationStatus::Active),
            ..Default::default()
        };
        let ctx = self.0.shop.ctx(&self.0.shop.admin);
        shop_service::inventory::list_reservations(&ctx, filter, page).await.unwrap().items.len()
    }
}

#[tokio::test]
async fn the_canned_happy_path() {
    canned::happy_path(&Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn two_confirms_under_different_keys_charge_once() {
    canned::confirming_twice_acts_once(&Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn canceling_leaves_nothing() {
    canned::canceling_leaves_nothing(&Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn a_crash_at_any_write_loses_nothing_and_charges_once() {
    canned::crashing_anywhere_acts_once(async || Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn a_crash_around_a_lost_answer_is_cleared_up_as_well() {
    for step in ["authorize", "capture"] {
        canned::crashing_anywhere_acts_once(async || {
            let desk = Desk::open().await;
            desk.fault(&format!("lost_answer@{step}*1"));
            Fresh(desk)
        })
        .await;
    }
}

#[tokio::test]
async fn the_persons_own_page_is_enough_and_an_agents_word_is_not() {
    let desk = Desk::with(ConsentLevel::Human).await;
    let ready = ready(&desk).await;
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!((asked.outcome, asked.reason), (Outcome::RetryableFailure, Some(Reason::ConsentRequired)));
    let consent = asked.consent.unwrap();
    let by_agent = desk.engine().answer_consent(&desk.ada, &id(&ready), &consent.digest, true).await;
    assert_eq!(by_agent.unwrap_err().reason, Reason::Forbidden);
    let url = consent.url.unwrap();
    let (id, nonce) = url.rsplit('/').next().unwrap().split_once("?nonce=").unwrap();
    consents::decide(&desk.shop.shop, id.parse().unwrap(), nonce, true).await.unwrap();
    assert_eq!(desk.confirm(&ready, "k").await.outcome, Outcome::Success);
    assert_eq!(desk.verify(&ready).await.status, Some(Status::Completed));
}

#[tokio::test]
async fn two_confirms_at_once_charge_once() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    let engine = desk.engine();
    let (one, two) = tokio::join!(
        engine.confirm(&desk.ada, approve(&ready, "a")),
        engine.confirm(&desk.ada, approve(&ready, "b"))
    );
    let successes = [&one, &two].into_iter().filter(|view| view.outcome == Outcome::Success).count();
    assert_eq!(successes, 1, "{one:?} {two:?}");
    assert_eq!(desk.taken(), [TOTAL]);
}
