//! The goods are right and the money is not.

use mcp_actions_engine::{Reason, Status};
use shop_domain::policy::Policy;
use shop_service::fulfillments;

use super::*;
use crate::testing::{codes, complaints, id};

/// What shipping costs with its tax, by the standard method.
const STANDARD: i64 = 490 + 93;
const EXPRESS: i64 = 1_290 + 245;

#[tokio::test]
async fn the_shipping_fee_goes_back_once() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "problem": "shipping_fee", "details": "It took a week." });
    let ready = desk.ready("after_sales", &order.number, patch.clone()).await;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("shipping_fee_refund", &json!(STANDARD)));
    desk.carry_out(&ready).await;
    assert_eq!(desk.given_back(), STANDARD);
    let again = desk.start("after_sales", Some(&order.number), patch).await;
    assert!(complaints(&again).contains("shipping_already_refunded"), "{again:?}");
}

#[tokio::test]
async fn only_the_gap_goes_back_when_it_was_sent_more_slowly() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let patch = json!({
        "items": [{ "id": t.goods.blue_mug, "quantity": 2 }],
        "address_id": t.ada.address,
        "shipping_method_id": t.shipping.express,
        "payment_type": "card",
    });
    let bought = desk.start("checkout", None, patch).await;
    desk.carry_out(&bought).await;
    let order = desk.get(&bought).await.result_refs.iter().find(|it| it.kind == "Order").unwrap().id.clone();
    let wish = json!({ "problem": "I paid for express", "details": "It came with the slow van." });
    let odd = desk.start("after_sales", Some(&order), wish).await;
    assert_eq!(codes(&odd), [("problem", Reason::ValidationFailed)], "{odd:?}");
    let order = t.order(order.parse().unwrap()).await;
    let parcel = fulfillments::create(&t.at(&t.lead, order.version), order.id, Default::default()).await;
    let parcel = parcel.unwrap().view;
    let slow = fulfillments::Ship { shipping_method_id: Some(t.shipping.standard), ..Default::default() };
    fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, slow).await.unwrap();

    let ready = desk.advance(&odd, json!({ "problem": "slower shipping" })).await;
    assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
    assert_eq!(resolution(&ready), "shipping_difference_refund");
    assert_eq!(summary(&ready, "amount"), &json!(EXPRESS - STANDARD));
    desk.carry_out(&ready).await;
    assert_eq!(desk.given_back(), EXPRESS - STANDARD);
}

#[tokio::test]
async fn a_price_that_fell_is_paid_back() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let patch = json!({ "problem": "price_drop" });
    let none = desk.start("after_sales", Some(&order.number), patch.clone()).await;
    assert!(complaints(&none).contains("no_price_gap"), "{none:?}");
    t.reprice(t.goods.blue_mug, 1_890).await;
    let ready = desk.ready("after_sales", &order.number, patch).await;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("price_adjustment", &json!(238)));
    desk.carry_out(&ready).await;
    assert_eq!(desk.given_back(), 238);
}

#[tokio::test]
async fn a_forgotten_coupon_is_paid_back_and_used_up() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let asked = desk.start("after_sales", Some(&order.number), json!({ "problem": "missed_coupon" })).await;
    assert_eq!(asked.missing, ["coupon_code"], "{asked:?}");
    let stale = desk.advance(&asked, json!({ "coupon_code": "OLD10" })).await;
    assert_eq!(codes(&stale), [("coupon_code", Reason::CouponInvalid)], "{stale:?}");
    let ready = desk.advance(&stale, json!({ "coupon_code": "ONCE10" })).await;
    assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
    let gap = summary(&ready, "amount").as_i64().unwrap();
    assert_eq!(gap, 398 + 75, "a tenth of the goods, and its tax");
    desk.carry_out(&ready).await;
    assert_eq!(desk.given_back(), gap);
    let other = t.delivered(&[(t.goods.red_mug, 1)]).await;
    let patch = json!({ "problem": "missed_coupon", "coupon_code": "ONCE10" });
    let used = desk.start("after_sales", Some(&other.number), patch).await;
    assert_eq!(codes(&used), [("coupon_code", Reason::CouponInvalid)], "{used:?}");
}

#[tokio::test]
async fn the_time_for_it_can_be_over() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    t.decide_by(Policy { price_match_days: 2, ..Policy::default() }).await;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    t.reprice(t.goods.blue_mug, 1_890).await;
    let ready = desk.ready("after_sales", &order.number, json!({ "problem": "price_drop" })).await;
    t.shop.world.clock.advance(chrono::TimeDelta::days(3));
    let late = desk.get(&ready).await;
    assert_eq!(late.status, Some(Status::Expired), "nobody touched it for half an hour");
    let late = desk.start("after_sales", Some(&order.number), json!({ "problem": "price_drop" })).await;
    assert!(complaints(&late).contains("price_match_window_closed"), "{late:?}");
    assert_ne!(id(&late), id(&ready));
    assert_eq!(desk.given_back(), 0);
}
