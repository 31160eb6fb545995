//! Where orders are, read over a real shop.

use chrono::TimeDelta;
use mcp_actions_engine::{AdvanceCall, Outcome, Reason, Status, View};
use serde_json::json;
use shop_domain::fulfillments::DeliveryException;
use shop_domain::reasons::CancelReason;
use shop_service::{fulfillments, orders};

use crate::testing::{Desk, agent_of, id, node, starting};
use crate::wire::object;

const FLOW: &str = "track_order";

async fn track(desk: &Desk, words: &str) -> View {
    desk.start(FLOW, Some(words), json!({})).await
}

fn advice(view: &View) -> Vec<&str> {
    let advice = view.context["advice"].as_array().unwrap();
    advice.iter().map(|offer| offer["capability"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_order_is_followed_from_the_warehouse_to_the_door() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let here = track(&desk, &order.number).await;
    assert_eq!((here.outcome, here.status, node(&here)), (Outcome::Success, Some(Status::Completed), "DONE"));
    assert!(here.next_actions.is_empty() && here.context["parcels"].as_array().unwrap().is_empty());
    assert_eq!(
        (&here.context["order"]["status"], advice(&here)),
        (&json!("CONFIRMED"), vec!["change_delivery_address", "cancel_order"])
    );

    let parcel =
        fulfillments::create(&t.at(&t.lead, order.version), order.id, Default::default()).await.unwrap().view;
    fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, Default::default()).await.unwrap();
    let away = track(&desk, "my mug").await;
    assert_eq!(
        (&away.context["order"]["status"], advice(&away)),
        (&json!("SHIPPED"), vec!["change_delivery_address"])
    );
    let parcel = &away.context["parcels"][0];
    assert_eq!((&parcel["status"], &parcel["is_late"]), (&json!("shipped"), &json!(false)));
    assert_eq!(parcel["scans"].as_array().unwrap().len(), 1);
    assert_eq!(parcel["last_seen"]["detail"], "handed to the carrier");
    assert!(parcel["expected_by"].is_string() && parcel["tracking_number"].is_string());

    t.shop.world.clock.advance(TimeDelta::days(2));
    let seen = track(&desk, &order.number).await;
    assert_eq!(seen.context["parcels"][0]["status"], "in_transit");
    t.shop.world.clock.advance(TimeDelta::days(3));
    let there = track(&desk, &order.number).await;
    assert_eq!((&there.context["order"]["status"], advice(&there)), (&json!("DELIVERED"), vec![]));
    assert!(there.context["order"]["delivered_at"].is_string());
    assert_eq!(there.observed_state.unwrap()["fulfillment_status"], "delivered");
}

#[tokio::test]
async fn a_lost_parcel_is_late_and_leads_to_the_after_sales_desk() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let lost = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
    fulfillments::report_exception(&t.at(&t.lead, parcel.version), parcel.id, lost).await.unwrap();
    let reported = track(&desk, &order.number).await;
    assert_eq!(reported.context["order"]["status"], "DELIVERY_EXCEPTION");
    assert_eq!(
        (&reported.context["parcels"][0]["is_late"], advice(&reported)),
        (&json!(false), vec!["after_sales"])
    );
    t.shop.world.clock.advance(TimeDelta::days(30));
    let late = track(&desk, &order.number).await;
    assert_eq!(late.context["parcels"][0]["is_late"], true);
    assert_eq!(late.summary.unwrap()["is_late"], true);
}

#[tokio::test]
async fn nothing_can_be_done_about_what_was_cancelled() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let cancel = orders::Cancel { reason: CancelReason::NoLongerNeeded, approval_id: None };
    orders::cancel(&t.at(&t.ada.principal, order.version), order.id, cancel).await.unwrap();
    let gone = track(&desk, "my order").await;
    assert_eq!((&gone.context["order"]["status"], advice(&gone)), (&json!("CANCELLED"), vec![]));
}

#[tokio::test]
async fn one_of_several_is_asked_for_and_other_peoples_look_absent() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let first = t.placed(&[(t.goods.blue_mug, 1)]).await;
    t.placed(&[(t.goods.blue_mug, 2)]).await;
    let several = track(&desk, "the blue mug").await;
    assert_eq!((node(&several), several.candidates.len(), several.outcome), ("RESOLVE", 2, Outcome::Success));
    assert!(several.context.is_empty(), "nothing is shown of what may not be meant");
    let call = AdvanceCall {
        action_id: id(&several),
        version: several.version.unwrap(),
        patch: object(json!({ "target": first.id })),
        ..AdvanceCall::default()
    };
    let chosen = desk.engine().advance(&desk.ada, call).await;
    assert_eq!(
        (node(&chosen), &chosen.context["order"]["number"]),
        ("DONE", &json!(first.number)),
        "{chosen:?}"
    );

    let bob = agent_of(t, &t.bob.principal).await;
    let foreign = desk.engine().start(&bob, starting(FLOW, Some(&first.number), json!({}))).await;
    let absent = desk.engine().start(&bob, starting(FLOW, Some("#9999"), json!({}))).await;
    assert_eq!((foreign.reason, absent.reason), (Some(Reason::NotFound), Some(Reason::NotFound)));
    let alike = |view: &View, number: &str| view.message.as_ref().unwrap().replace(number, "…");
    assert_eq!(alike(&foreign, &first.number), alike(&absent, "#9999"));
    assert!(foreign.candidates.is_empty(), "Bob has no orders, so nothing comes close");
    assert_eq!(desk.engine().get(&bob, &id(&several)).await.reason, Some(Reason::NotFound));
}
