use std::sync::Arc;

use async_trait::async_trait;
use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::testing::canned::{self, Stage, approve};
use mcp_actions_engine::{Engine, Outcome, Reason, StartCall, Status, Store, View};
use serde_json::{Value, json};
use shop_domain::ids::{AddressId, VariantId};
use shop_domain::status::{CartStatus, OrderPaymentStatus, OrderStatus};
use shop_service::{consents, orders};

use crate::ConsentLevel;
use crate::caller::Caller;
use crate::engines;
use crate::store::Rows;
use crate::testing::{Desk, codes, id, node, offers, tools};

mod faults;
mod outcomes;

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
async fn rule_09_equal_purchases_of_goods_are_two_and_leave_the_cart_alone() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let cart = desk.cart(&[(t.goods.blue_mug, 1)]).await;
    let wish = patch(t.goods.blue_mug, 2, t.ada.address, "card");
    let first = desk.start("checkout", None, wish.clone()).await;
    let second = desk.start("checkout", None, wish).await;
    for (view, key) in [(&first, "k1"), (&second, "k2")] {
        desk.confirm(view, key).await;
        assert_eq!(desk.verify(view).await.status, Some(Status::Completed));
    }
    assert_eq!(desk.taken(), [TOTAL, TOTAL]);
    let cart = shop_service::carts::get(&t.ctx(&t.ada.principal), cart).await.unwrap();
    assert_eq!((cart.status, cart.lines[0].quantity), (CartStatus::Open, 1));
}
