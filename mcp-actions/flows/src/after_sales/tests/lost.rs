//! The goods left and are not there: they are awaited, or the carrier lost them.

use chrono::TimeDelta;
use mcp_actions_engine::Status;
use shop_domain::fulfillments::{DeliveryException, FulfillmentPurpose};
use shop_domain::status::{FulfillmentStatus, OrderFulfillmentStatus};
use shop_service::fulfillments;

use super::*;
use crate::testing::{complaints, node, offers, tools};
use mcp_actions_engine::parts::Tool;

async fn lose(desk: &Desk, parcel: &fulfillments::View) {
    let lost = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
    let ctx = desk.shop.at(&desk.shop.lead, parcel.version);
    fulfillments::report_exception(&ctx, parcel.id, lost).await.unwrap();
}

async fn parcels_of(desk: &Desk, order: OrderId) -> Vec<fulfillments::View> {
    let filter = fulfillments::Filter { order_id: Some(order), ..fulfillments::Filter::default() };
    fulfillments::list(&desk.shop.ctx(&desk.shop.admin), filter, whole_page()).await.unwrap().items
}

#[tokio::test]
async fn a_return_or_an_exchange_of_goods_on_their_way_waits_for_them() {
    for (capability, patch) in [
        ("return_refund", json!({ "items": items("shirt", 1), "reason": "changed_mind" })),
        (
            "exchange",
            json!({ "items": [{ "id": "shirt", "quantity": 1, "to": "large" }], "reason": "wrong_size" }),
        ),
        ("after_sales", json!({ "problem": "changed_mind", "items": items("shirt", 1) })),
    ] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let (order, _) = t.shipped(&[(t.goods.small_shirt, 2)]).await;
        let waits = desk.start(capability, Some(&order.number), patch).await;
        assert_eq!((node(&waits), waits.status), ("AWAIT_DELIVERY", Some(Status::Incomplete)), "{waits:?}");
        assert!(waits.missing.is_empty() && waits.validation_errors.is_empty(), "{waits:?}");
        assert_eq!(tools(&waits), ["advance_action", "get_context"], "{capability}");
        t.shop.world.clock.advance(TimeDelta::days(6));
        let ready = desk.get(&waits).await;
        assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
        desk.carry_out(&ready).await;
        assert_eq!(returns_of(&desk, order.id).await.len(), 1);
    }
}

#[tokio::test]
async fn a_parcel_that_is_expected_is_waited_for() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let (order, _) = t.shipped(&[(t.goods.blue_mug, 2)]).await;
    let view = desk.start("after_sales", Some(&order.number), json!({ "problem": "never_arrived" })).await;
    assert!(
        complaints(&view).contains("no_delivery_exception: it is on its way and expected by"),
        "{view:?}"
    );
    assert!(!offers(&view, Tool::ConfirmAction));
}

#[tokio::test]
async fn staff_report_what_the_carrier_lost_and_pay_for_it() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let lead = leads(&desk).await;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 2)]).await;
    let patch = json!({ "problem": "never_arrived", "wants": "refund" });
    let ready = desk.ready_as(&lead, "after_sales", &order.number, patch).await;
    let worth = order.lines[0].total_minor;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("refund_without_return", &json!(worth)));
    assert_eq!(summary(&ready, "reported_lost"), &json!([parcel.id]));
    desk.carry_out_as(&lead, &ready).await;
    assert_eq!(desk.given_back(), worth);
    let parcel = fulfillments::get(&t.ctx(&t.admin), parcel.id).await.unwrap();
    assert_eq!(
        (parcel.status, parcel.exception_kind),
        (FulfillmentStatus::Exception, Some(DeliveryException::Lost))
    );
    let again = json!({ "problem": "never_arrived", "wants": "replacement" });
    let call = crate::testing::starting("after_sales", Some(&order.number), again);
    let both = desk.engine().start(&lead, call).await;
    assert!(!offers(&both, Tool::ConfirmAction), "one remedy is enough: {both:?}");
}

#[tokio::test]
async fn staff_send_again_what_the_carrier_lost() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let lead = leads(&desk).await;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 2)]).await;
    lose(&desk, &parcel).await;
    let patch = json!({ "problem": "never_arrived", "wants": "replacement" });
    let ready = desk.ready_as(&lead, "after_sales", &order.number, patch).await;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("replacement", &Value::Null));
    assert_eq!(summary(&ready, "staff_approval"), &json!(false));
    desk.carry_out_as(&lead, &ready).await;
    let parcels = parcels_of(&desk, order.id).await;
    let again = parcels.iter().find(|parcel| parcel.purpose == FulfillmentPurpose::Replacement).unwrap();
    assert_eq!((parcels.len(), again.lines[0].quantity), (2, 2));
    assert_eq!((desk.given_back(), desk.held(&again.id.to_string()).await), (0, 2));
    let patch = json!({ "problem": "never_arrived", "wants": "refund" });
    let call = crate::testing::starting("after_sales", Some(&order.number), patch);
    let both = desk.engine().start(&lead, call).await;
    assert!(!offers(&both, Tool::ConfirmAction), "one remedy is enough: {both:?}");
}

#[tokio::test]
async fn a_lost_parcel_is_paid_for_by_either_door_when_staff_agree() {
    for (capability, patch) in [
        ("refund_only", json!({})),
        ("after_sales", json!({ "problem": "never_arrived", "wants": "refund" })),
    ] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 2)]).await;
        lose(&desk, &parcel).await;
        assert_eq!(t.order(order.id).await.fulfillment_status, OrderFulfillmentStatus::Exception);
        let ready = desk.ready(capability, &order.number, patch).await;
        assert_eq!(
            (resolution(&ready), summary(&ready, "reason")),
            ("refund_without_return", &json!("lost"))
        );
        assert_eq!(summary(&ready, "staff_approval"), &json!(true), "{ready:?}");
    }
}
