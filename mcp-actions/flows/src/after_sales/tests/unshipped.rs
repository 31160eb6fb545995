//! Nothing has left: money back for a part of it, or the whole order stops.

use mcp_actions_engine::Reason;
use shop_domain::status::{OrderPaymentStatus, OrderStatus, PaymentState};
use shop_service::payments;

use super::*;
use crate::testing::{codes, complaints};

#[tokio::test]
async fn a_part_that_has_not_shipped_is_paid_back_and_the_rest_goes_on() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    let patch = json!({ "problem": "no longer needed", "items": items("the shirt", 1) });
    let ready = desk.ready("after_sales", &order.number, patch).await;
    let worth = order.lines[1].total_minor;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("refund_only", &json!(worth)));
    assert_eq!(summary(&ready, "refund_to"), "original_method");
    assert_eq!(
        (desk.given_back(), desk.held(&order.id.to_string()).await),
        (0, 3),
        "a preview changes nothing"
    );

    let done = desk.carry_out(&ready).await;
    assert_eq!(done.verification.unwrap().amount, Some(worth));
    assert_eq!(desk.given_back(), worth);
    assert_eq!(refunds_of(&desk, order.id).await, [(worth, RefundStatus::Succeeded)]);
    let order = t.order(order.id).await;
    assert_eq!(
        (order.status, order.payment_status),
        (OrderStatus::Confirmed, OrderPaymentStatus::PartiallyRefunded)
    );
    assert_eq!(desk.held(&order.id.to_string()).await, 2, "the shirt is for sale again");
}

#[tokio::test]
async fn everything_that_has_not_shipped_ends_the_order_with_its_shipping() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let ready = desk.ready("after_sales", order.id, json!({ "problem": "ordered_by_mistake" })).await;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("refund_only", &json!(order.total_minor)));
    desk.carry_out(&ready).await;
    let order = t.order(order.id).await;
    assert_eq!((order.status, order.payment_status), (OrderStatus::Cancelled, OrderPaymentStatus::Refunded));
    assert_eq!((desk.taken().len(), desk.held(&order.id.to_string()).await), (0, 0));
}

#[tokio::test]
async fn money_that_is_only_held_is_let_go_with_the_order() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = held(&desk, &[(t.goods.blue_mug, 2)]).await;
    let ready = desk.ready("refund", &order.number, json!({ "problem": "changed_mind" })).await;
    assert_eq!((resolution(&ready), summary(&ready, "released")), ("cancel", &json!(order.total_minor)));
    assert_eq!(summary(&ready, "refund_to"), &Value::Null, "nothing was taken, so nothing goes back");
    let done = desk.carry_out(&ready).await;
    assert_eq!(done.verification.unwrap().status, "voided");
    let order = t.order(order.id).await;
    assert_eq!((order.status, order.payment_status), (OrderStatus::Cancelled, OrderPaymentStatus::Voided));
    let charge = desk.shop.gateway.truth().unwrap().charges.pop().unwrap();
    assert_eq!((serde_json::to_value(charge.status).unwrap(), charge.captured_minor), (json!("voided"), 0));
    let filter = payments::Filter { order_id: Some(order.id), ..payments::Filter::default() };
    let rows = payments::list(&t.ctx(&t.admin), filter, whole_page()).await.unwrap().items;
    assert!(rows.iter().all(|row| row.status == PaymentState::Voided), "{rows:?}");
}

#[tokio::test]
async fn one_item_of_an_order_nobody_was_charged_for_is_the_business_of_another_flow() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = held(&desk, &[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    let patch = json!({ "problem": "changed_mind", "items": items("small shirt", 1) });
    let view = desk.start("after_sales", Some(&order.number), patch).await;
    assert_eq!(codes(&view)[0].1, Reason::NotEligible, "{view:?}");
    assert!(complaints(&view).contains("modify_order"), "{}", complaints(&view));
    let whole = desk.advance(&view, json!({ "items": null })).await;
    assert_eq!(resolution(&whole), "cancel", "{whole:?}");
}

#[tokio::test]
async fn money_goes_where_the_customer_says() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "problem": "changed_mind", "refund_to": "store credit" });
    let credit = desk.ready("after_sales", order.id, patch).await;
    assert_eq!(summary(&credit, "refund_to"), "store_credit");
    let card = desk.advance(&credit, json!({ "refund_to": null, "refund_method_id": "my gift card" })).await;
    assert_eq!(summary(&card, "refund_to"), "gift_card", "{card:?}");
    assert_eq!(summary(&card, "refund_gift_card_id"), &json!(t.ada.gift_card));
    desk.carry_out(&card).await;
    let row = shop_service::gift_cards::get(&t.ctx(&t.admin), t.ada.gift_card).await.unwrap();
    assert_eq!(row.balance_minor, 5_000 + order.total_minor);
    assert_eq!(desk.given_back(), 0, "the gateway kept what it took");
    let order = t.order(order.id).await;
    assert_eq!(order.payment_status, OrderPaymentStatus::Refunded);
}

#[tokio::test]
async fn a_method_that_cannot_take_it_is_refused_by_name() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    for (method, code) in [("paypal", Reason::NotEligible), ("a bank account", Reason::NotFound)] {
        let patch = json!({ "problem": "changed_mind", "refund_method_id": method });
        let view = desk.start("after_sales", Some(&order.number), patch).await;
        assert_eq!(codes(&view), [("refund_method_id", code)], "{method}");
    }
}
