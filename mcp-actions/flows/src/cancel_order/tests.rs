use mcp_actions_engine::{Reason, Status};
use serde_json::json;
use shop_domain::policy::Policy;
use shop_domain::status::{OrderPaymentStatus, OrderStatus};
use shop_service::{fulfillments, gift_cards};

use crate::testing::{Desk, codes, node, summary};

#[tokio::test]
async fn held_money_is_let_go_and_taken_money_goes_back() {
    for is_captured in [false, true] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let lines = [(t.goods.blue_mug, 2)];
        let order =
            if is_captured { t.paid(&lines).await } else { desk.authorized(&lines, t.ada.card).await };
        assert_eq!(desk.held(&order.id.to_string()).await, 2);
        let ready =
            desk.ready("cancel_order", &order.number, json!({ "reason": "ordered by mistake" })).await;
        let (amount, released) = if is_captured { (order.total_minor, 0) } else { (0, order.total_minor) };
        assert_eq!(summary(&ready, "resolution"), "cancel");
        assert_eq!(
            (summary(&ready, "amount"), summary(&ready, "released")),
            (&json!(amount), &json!(released))
        );
        desk.carry_out(&ready).await;
        assert_eq!((desk.given_back(), desk.taken().len()), (amount, 0));
        let row = t.order(order.id).await;
        let money = if is_captured { OrderPaymentStatus::Refunded } else { OrderPaymentStatus::Voided };
        assert_eq!((row.status, row.payment_status), (OrderStatus::Cancelled, money));
        assert_eq!(row.cancel_reason.as_deref(), Some("ordered_by_mistake"));
        assert_eq!(desk.held(&order.id.to_string()).await, 0, "its stock is free");
    }
}

#[tokio::test]
async fn a_gift_card_has_its_money_back_at_once() {
    for is_captured in [false, true] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let lines = [(t.goods.small_shirt, 1)];
        let order = match is_captured {
            true => {
                let order = t.placed(&lines).await;
                t.pay(&order, t.ada.gift_card_method).await;
                order
            }
            false => desk.authorized(&lines, t.ada.gift_card_method).await,
        };
        let ready = desk.ready("cancel_order", &order.number, json!({ "reason": "no_longer_needed" })).await;
        desk.carry_out(&ready).await;
        let card = gift_cards::get(&t.ctx(&t.admin), t.ada.gift_card).await.unwrap();
        assert_eq!((card.balance_minor, card.held_minor), (5_000, 0), "captured: {is_captured}");
        assert_eq!(t.order(order.id).await.status, OrderStatus::Cancelled);
    }
}

#[tokio::test]
async fn an_order_nobody_paid_just_stops() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    let ready = desk.ready("cancel", &order.number, json!({ "reason": "found_cheaper" })).await;
    desk.carry_out(&ready).await;
    let order = t.order(order.id).await;
    assert_eq!((order.status, desk.held(&order.id.to_string()).await), (OrderStatus::Cancelled, 0));
}

#[tokio::test]
async fn the_reason_is_asked_for_and_is_one_of_the_customers() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let asked = desk.start("cancel_order", Some(&order.number), json!({})).await;
    assert_eq!((node(&asked), asked.missing.as_slice()), ("REASON", ["reason".to_owned()].as_slice()));
    let options = |view: &mcp_actions_engine::View| {
        let choices = view.inputs[0].options.clone().unwrap();
        choices.iter().map(|choice| choice.value.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(options(&asked), ["no_longer_needed", "ordered_by_mistake", "found_cheaper", "too_slow"]);
    let fraud = desk.advance(&asked, json!({ "reason": "suspected_fraud" })).await;
    assert_eq!(codes(&fraud), [("reason", Reason::ValidationFailed)], "{fraud:?}");

    t.decide_by(Policy::tau2()).await;
    let two = desk.get(&fraud).await;
    assert_eq!(options(&two), ["no_longer_needed", "ordered_by_mistake"]);
    let slow = desk.advance(&two, json!({ "reason": "too_slow" })).await;
    assert_eq!(codes(&slow), [("reason", Reason::ValidationFailed)], "{slow:?}");
    assert_eq!(
        slow.validation_errors[0].allowed,
        Some(vec![json!("no_longer_needed"), json!("ordered_by_mistake")])
    );
    let ready = desk.advance(&slow, json!({ "reason": "no longer needed" })).await;
    assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
    desk.carry_out(&ready).await;
    assert_eq!(desk.given_back(), order.total_minor);
}

#[tokio::test]
async fn what_ships_while_the_person_thinks_is_not_cancelled() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let ready = desk.ready("cancel_order", &order.number, json!({ "reason": "too_slow" })).await;
    let ctx = t.at(&t.lead, order.version);
    let parcel = fulfillments::create(&ctx, order.id, Default::default()).await.unwrap().view;
    fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, Default::default()).await.unwrap();
    let late = desk.confirm(&ready, "k").await;
    assert_eq!(late.status, Some(Status::Incomplete), "{late:?}");
    assert_eq!(codes(&late), [("reason", Reason::NotEligible)]);
    assert!(late.validation_errors[0].message.contains("order_has_shipped"));
    assert!(late.validation_errors[0].message.contains("return_refund"), "{late:?}");
    assert_eq!(desk.given_back(), 0);
}
