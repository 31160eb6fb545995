//! The policy of worlds imported from τ²-bench: no approvals, one return or exchange an order, a gift card that must
//! cover the difference when an exchange is asked for.

use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::{Reason, Status};
use shop_domain::policy::Policy;
use shop_domain::status::{OrderStatus, RefundDestination};
use shop_service::exchanges;

use super::*;
use crate::testing::{codes, complaints, offers};

async fn tau2() -> Desk {
    let desk = Desk::open().await;
    desk.shop.decide_by(Policy::tau2()).await;
    desk
}

#[tokio::test]
async fn nobody_signs_off_large_refunds() {
    let desk = tau2().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.desk_lamp, 3)]).await;
    let ready = desk.ready("cancel_order", &order.number, json!({ "reason": "no_longer_needed" })).await;
    assert_eq!(summary(&ready, "staff_approval"), &json!(false));
    desk.carry_out(&ready).await;
    assert_eq!(desk.given_back(), order.total_minor);
    assert_eq!(t.order(order.id).await.status, OrderStatus::Cancelled);
}

#[tokio::test]
async fn an_order_has_one_return_or_exchange_in_its_life() {
    for capability in ["return_refund", "exchange", "after_sales"] {
        let desk = tau2().await;
        let t = &desk.shop;
        let order = t.delivered(&[(t.goods.blue_mug, 1), (t.goods.small_shirt, 1)]).await;
        let patch = json!({ "items": items("blue mug", 1), "reason": "changed_mind" });
        desk.carry_out(&desk.ready("return_refund", &order.number, patch).await).await;
        let row = returns_of(&desk, order.id).await.pop().unwrap();
        assert_eq!(row.status, ReturnStatus::Requested, "staff look at every return");
        let patch = match capability {
            "after_sales" => json!({ "problem": "changed_mind", "items": items("shirt", 1) }),
            _ => json!({}),
        };
        let second = desk.start(capability, Some(&order.number), patch).await;
        let words = format!("{:?} {}", second.message, complaints(&second));
        assert!(words.contains("after_sales_already_requested"), "{capability}: {second:?}");
        assert!(!offers(&second, Tool::ConfirmAction));
    }
}

#[tokio::test]
async fn several_items_are_exchanged_in_one_action_by_their_words() {
    let desk = tau2().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1), (t.goods.small_shirt, 1)]).await;
    let patch = json!({
        "items": [
            { "id": "the mug", "quantity": 1, "to": { "colour": "red" } },
            { "id": "SHIRT-S", "quantity": 1, "to": "size L" },
        ],
        "reason": "changed mind",
        "settle_with": "my gift card",
    });
    let ready = desk.ready("exchange", &order.number, patch).await;
    assert_eq!(
        (summary(&ready, "amount"), summary(&ready, "settle_with_label")),
        (&json!(238), &json!("gift_card"))
    );
    desk.carry_out(&ready).await;
    let row = returns_of(&desk, order.id).await.pop().unwrap();
    let exchange = exchanges::get(&t.ctx(&t.admin), row.exchange_id.unwrap()).await.unwrap();
    assert_eq!((exchange.lines.len(), exchange.difference_minor), (2, 238));
    assert_eq!(exchange.settle_method_id, Some(t.ada.gift_card_method));
}

#[tokio::test]
async fn a_gift_card_has_to_cover_the_difference_when_it_is_asked_for() {
    let desk = tau2().await;
    let t = &desk.shop;
    t.reprice(t.goods.large_shirt, 9_000).await;
    let order = t.delivered(&[(t.goods.small_shirt, 1)]).await;
    let patch = json!({
        "items": [{ "id": "shirt", "to": "large" }],
        "reason": "wrong_size",
        "settle_with": t.ada.gift_card,
    });
    let view = desk.start("exchange", Some(&order.number), patch).await;
    assert_eq!(codes(&view), [("settle_with", Reason::PaymentDeclined)], "{view:?}");
    assert!(complaints(&view).contains("5000"), "{}", complaints(&view));
    let card = desk.advance(&view, json!({ "settle_with": "credit card" })).await;
    assert_eq!(
        (card.status, card.validation_errors.len()),
        (Some(Status::ReadyForConfirmation), 0),
        "{card:?}"
    );
    assert_eq!(returns_of(&desk, order.id).await.len(), 0);
}

#[tokio::test]
async fn a_return_remembers_which_method_is_paid() {
    let desk = tau2().await;
    let t = &desk.shop;
    for (method, id, to) in [
        ("gift card", t.ada.gift_card_method, RefundDestination::GiftCard),
        ("card", t.ada.card, RefundDestination::OriginalMethod),
    ] {
        let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
        let patch = json!({ "items": items("mug", 1), "reason": "changed_mind", "refund_method_id": method });
        let ready = desk.ready("return_refund", &order.number, patch).await;
        assert_eq!(summary(&ready, "refund_to"), &json!(to), "{ready:?}");
        desk.carry_out(&ready).await;
        let row = returns_of(&desk, order.id).await.pop().unwrap();
        assert_eq!((row.refund_to, row.refund_method_id), (to, Some(id)));
    }
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "items": items("mug", 1), "reason": "changed_mind", "refund_method_id": "paypal" });
    let other = desk.start("return_refund", Some(&order.number), patch).await;
    assert_eq!(codes(&other), [("refund_method_id", Reason::NotEligible)], "{other:?}");
    let patch = json!({ "items": items("mug", 1), "reason": "changed_mind", "refund_to": "store_credit" });
    let credit = desk.start("return_refund", Some(&order.number), patch).await;
    assert_eq!(codes(&credit), [("refund_to", Reason::NotEligible)], "{credit:?}");
}

#[tokio::test]
async fn a_line_that_comes_twice_is_one_thing_twice() {
    let desk = tau2().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1), (t.goods.blue_mug, 1)]).await;
    assert_eq!(order.lines.len(), 2);
    let patch = |quantity: i64| json!({ "items": items("blue mug", quantity), "reason": "changed_mind" });
    let one = desk.ready("return_refund", &order.number, patch(1)).await;
    assert_eq!(summary(&one, "items").as_array().unwrap().len(), 1);
    let both = desk.advance(&one, patch(2)).await;
    assert_eq!(summary(&both, "items").as_array().unwrap().len(), 2, "{both:?}");
    desk.carry_out(&both).await;
    let row = returns_of(&desk, order.id).await.pop().unwrap();
    assert_eq!(row.lines.iter().map(|line| line.quantity).sum::<i64>(), 2);
}
