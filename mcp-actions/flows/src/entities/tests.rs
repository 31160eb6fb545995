//! What words mean, and what the views say.

use chrono::TimeDelta;
use mcp_actions_engine::{Caller as _, SearchCall};
use serde_json::Value;
use shop_domain::fulfillments::DeliveryException;
use shop_domain::reasons::CancelReason;
use shop_service::{fulfillments, orders};

use super::*;
use crate::testing::{Desk, agent_of};

/// The number of the one order that words mean.
async fn one(desk: &Desk, words: &str) -> Option<String> {
    let found = order::find(&desk.ada, words).await.unwrap();
    found.clear.and_then(|clear| clear.label.split_whitespace().next().map(str::to_owned))
}

async fn view(desk: &Desk, entity: &str, reference: &str) -> Map {
    desk.engine().get_entity(&desk.ada, entity, reference).await
}

/// The flows that a view leads to, each with what it is about.
fn ways(view: &Map) -> Vec<(String, String)> {
    let next = view["next_actions"].as_array().unwrap().iter();
    let named = |next: &Value| {
        let args = &next["args"];
        Some((args["capability"].as_str()?.to_owned(), args["target"].as_str()?.to_owned()))
    };
    next.filter_map(named).collect()
}

/// Four orders of Ada's, a day apart: a mug, a cancelled mug, a lamp that travels, a shirt that has arrived.
async fn four(desk: &Desk) -> [orders::View; 4] {
    let t = &desk.shop;
    let day = || t.shop.world.clock.advance(TimeDelta::days(1));
    let mug = t.paid(&[(t.goods.blue_mug, 1)]).await;
    day();
    let stopped = t.placed(&[(t.goods.red_mug, 2)]).await;
    let cancel = orders::Cancel { reason: CancelReason::NoLongerNeeded, approval_id: None };
    orders::cancel(&t.at(&t.ada.principal, stopped.version), stopped.id, cancel).await.unwrap();
    day();
    let arrived = t.delivered(&[(t.goods.small_shirt, 1)]).await;
    day();
    let (away, _) = t.shipped(&[(t.goods.desk_lamp, 1)]).await;
    [t.order(mug.id).await, t.order(stopped.id).await, t.order(arrived.id).await, t.order(away.id).await]
}

#[tokio::test]
async fn orders_are_known_by_id_number_sku_title_option_date_and_status() {
    let desk = Desk::open().await;
    let [mug, stopped, arrived, away] = Box::pin(four(&desk)).await;
    let today = desk.ada.world().clock.now().date_naive();
    let cases = [
        (mug.id.to_string(), &mug),
        (mug.number.clone(), &mug),
        (format!("order {}", mug.number.trim_start_matches('#')), &mug),
        (format!("where is {}?", mug.number), &mug),
        ("MUG-BLUE".to_owned(), &mug),
        ("the blue mug".to_owned(), &mug),
        ("the red mugs".to_owned(), &stopped),
        ("my cancelled order".to_owned(), &stopped),
        ("the one that was delivered".to_owned(), &arrived),
        ("the small shirt".to_owned(), &arrived),
        ("what I ordered yesterday".to_owned(), &arrived),
        (format!("the order of {}", today - chrono::Days::new(2)), &stopped),
        ("the lamp I bought today".to_owned(), &away),
        ("my shipped order".to_owned(), &away),
        ("my last order".to_owned(), &away),
        ("my first order".to_owned(), &mug),
        ("my last order with a mug".to_owned(), &stopped),
    ];
    for (words, order) in cases {
        assert_eq!(one(&desk, &words).await.as_ref(), Some(&order.number), "{words}");
    }
}

#[tokio::test]
async fn several_orders_are_candidates_and_none_has_near_misses_with_a_reason() {
    let desk = Desk::open().await;
    let [mug, stopped, ..] = Box::pin(four(&desk)).await;
    let found = order::find(&desk.ada, "my mug").await.unwrap();
    assert!(found.clear.is_none());
    let mut ids: Vec<String> = found.candidates.iter().map(|it| it.id.clone()).collect();
    ids.sort();
    assert_eq!(ids, [mug.id.to_string(), stopped.id.to_string()]);
    assert!(found.candidates.iter().all(|it| it.confidence == 0.5 && !it.reason.is_empty()));

    let none = order::find(&desk.ada, "the green mug").await.unwrap();
    assert!(none.clear.is_none() && none.candidates.is_empty());
    assert_eq!(none.near_misses[0].reason, "only some of the words fit");
    assert!(none.near_misses[0].label.contains("mug"));
    let nothing = order::find(&desk.ada, "the piano").await.unwrap();
    assert!(nothing.near_misses.iter().all(|it| it.reason.contains("none of the words")), "{nothing:?}");
    let any = order::find(&desk.ada, "my orders").await.unwrap();
    assert_eq!((any.candidates.len(), any.near_misses.len()), (4, 0));

    let unclear = view(&desk, "Order", "my mug").await;
    assert_eq!((&unclear["outcome"], &unclear["reason"]), (&json("terminal_failure"), &json("ambiguous")));
    assert!(unclear["message"].as_str().unwrap().contains(&mug.id.to_string()));
    let absent = view(&desk, "Order", "the green mug").await;
    assert_eq!(absent["reason"], "not_found");
    assert!(absent["message"].as_str().unwrap().contains("what comes closest"));
}

fn json(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// What a view says of each door: whether it is open, and if not why.
fn door<'v>(view: &'v Map, name: &str) -> (bool, Option<&'v str>) {
    (view[name]["eligible"].as_bool().unwrap(), view[name]["reason"].as_str())
}

#[tokio::test]
async fn an_unshipped_order_can_still_become_anything() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    let view = view(&desk, "order", &order.number).await;
    assert_eq!((&view["entity"], &view["status"]), (&json("Order"), &json("CONFIRMED")));
    let statuses = serde_json::json!({
        "status": "confirmed", "payment_status": "paid", "fulfillment_status": "unfulfilled",
    });
    assert_eq!(view["statuses"], statuses);
    assert_eq!(view["money"]["total"], order.total_minor);
    assert_eq!(view["money"]["payments"].as_array().unwrap().len(), 1);
    assert_eq!(view["lines"][0]["title"], "Blue mug");
    assert_eq!(view["goods"]["ship_to"]["city"], "Hamburg");
    assert_eq!((view["version"].as_i64(), view["observed_at"].is_string()), (Some(order.version), true));
    for open in ["refund", "cancel", "change_address"] {
        assert_eq!(door(&view, open), (true, None), "{open}");
    }
    assert_eq!(door(&view, "return_refund"), (false, Some("order_not_delivered")));
    assert_eq!(door(&view, "redirect"), (false, Some("order_not_shipped")));
    assert!(view["redirect"]["hint"].as_str().unwrap().contains("nothing has shipped"));
    let ways = ways(&view);
    for flow in ["refund_only", "cancel_order", "change_delivery_address", "track_order", "after_sales"] {
        assert!(ways.contains(&(flow.to_owned(), order.id.to_string())), "{flow}: {ways:?}");
    }
    assert!(ways.iter().all(|(flow, _)| flow != "return_refund" && flow != "exchange"));
}

#[tokio::test]
async fn a_shipped_order_says_why_it_cannot_be_refunded_and_where_returns_begin() {
    let desk = Desk::open().await;
    let (order, _) = desk.shop.shipped(&[(desk.shop.goods.blue_mug, 1)]).await;
    let view = view(&desk, "Order", "my mug").await;
    assert_eq!(view["status"], "SHIPPED");
    assert_eq!(door(&view, "refund"), (false, Some("order_has_shipped")));
    assert_eq!(door(&view, "cancel"), (false, Some("order_has_shipped")));
    assert_eq!(door(&view, "redirect"), (true, None));
    assert_eq!(door(&view, "replacement"), (false, Some("no_delivery_exception")));
    let ways: Vec<String> = ways(&view).into_iter().map(|(flow, _)| flow).collect();
    assert_eq!(ways, ["return_refund", "exchange", "change_delivery_address", "track_order", "after_sales"]);
    assert_eq!(view["goods"]["parcels"][0]["status"], "shipped");
    assert_eq!(order.number, view["number"].as_str().unwrap());
}

#[tokio::test]
async fn what_arrived_was_lost_or_was_cancelled_says_so() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let [_, stopped, arrived, _] = Box::pin(four(&desk)).await;
    let there = view(&desk, "Order", &arrived.number).await;
    assert_eq!(there["status"], "DELIVERED");
    assert_eq!((door(&there, "return_refund"), door(&there, "exchange")), ((true, None), (true, None)));
    assert_eq!(door(&there, "redirect"), (false, Some("order_delivered")));
    assert!(there["replacement"]["requires_staff_approval"].as_bool().unwrap());
    t.shop.world.clock.advance(TimeDelta::days(31));
    let old = view(&desk, "Order", &arrived.number).await;
    assert!(old["return_refund"]["requires_staff_approval"].as_bool().unwrap(), "the window is over");

    let gone = view(&desk, "Order", &stopped.number).await;
    assert_eq!((&gone["status"], door(&gone, "cancel")), (&json("CANCELLED"), (false, Some("already_done"))));
    assert_eq!(door(&gone, "return_refund"), (false, Some("order_cancelled")));
    assert!(
        ways(&gone).iter().all(|(flow, _)| flow == "after_sales" || flow == "refund_only"),
        "{:?}",
        ways(&gone)
    );
}

#[tokio::test]
async fn a_lost_parcel_leads_to_the_desk_and_to_no_carrier() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let lost = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
    fulfillments::report_exception(&t.at(&t.lead, parcel.version), parcel.id, lost).await.unwrap();
    let view = view(&desk, "Order", &order.number).await;
    assert_eq!(view["status"], "DELIVERY_EXCEPTION");
    let ways: Vec<String> = ways(&view).into_iter().map(|(flow, _)| flow).collect();
    assert!(
        ways.contains(&"after_sales".to_owned()) && !ways.contains(&"change_delivery_address".to_owned()),
        "{ways:?}"
    );
}

/// Whatever a view or an open door leads to can be started as it is.
#[tokio::test]
async fn every_way_on_can_be_gone() {
    let desk = Desk::open().await;
    for order in Box::pin(four(&desk)).await {
        for (flow, target) in ways(&view(&desk, "Order", &order.number).await) {
            // Not built yet.
            if flow == "modify_order" {
                continue;
            }
            let begun = desk.start(&flow, Some(&target), serde_json::json!({})).await;
            assert_eq!(begun.reason, None, "{} of {}: {begun:?}", flow, order.number);
            assert!(begun.action_id.is_some());
        }
    }
}

#[tokio::test]
async fn goods_are_known_by_sku_title_and_option_and_lead_to_checkout() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    for words in ["MUG-BLUE", "blue mug", &t.goods.blue_mug.to_string()] {
        let found = variants(&desk.ada, words).await.unwrap();
        assert_eq!(found.clear.map(|clear| clear.id), Some(t.goods.blue_mug.to_string()), "{words}");
    }
    let several = variants(&desk.ada, "mug").await.unwrap();
    assert_eq!((several.clear.is_none(), several.candidates.len()), (true, 2));
    let near = variants(&desk.ada, "green mug").await.unwrap();
    assert!(near.clear.is_none() && near.candidates.is_empty() && !near.near_misses.is_empty());
    let view = view(&desk, "Product", &t.goods.mug.to_string()).await;
    assert_eq!(view["variants"].as_array().unwrap().len(), 2);
    assert!(ways(&view).contains(&("checkout".to_owned(), t.goods.blue_mug.to_string())));
}

#[tokio::test]
async fn a_customers_view_is_whole_masked_and_leads_to_the_profile() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let own = view(&desk, "Customer", "me").await;
    assert_eq!((&own["entity"], &own["email"]), (&json("Customer"), &json("ada@example.com")));
    assert_eq!(own["orders"][0]["number"], order.number);
    assert_eq!(own["addresses"][0]["label"], "Home");
    assert_eq!(ways(&own), [("update_profile".to_owned(), t.ada.customer.to_string())]);
    assert!(!serde_json::to_string(&own).unwrap().contains("tok_"));
    let bobs = view(&desk, "Customer", &t.bob.customer.to_string()).await;
    assert_eq!((bobs["reason"].as_str(), bobs.contains_key("email")), (Some("not_found"), false));
    let odd = view(&desk, "Invoice", "1").await;
    assert_eq!(odd["reason"], "validation_failed");
    assert!(!odd["next_actions"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_search_names_the_orders_carts_goods_and_customers_it_speaks_of() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.desk_lamp, 1)]).await;
    let cart = desk.cart(&[(t.goods.red_mug, 1)]).await;
    let staff = agent_of(t, &t.lead).await;
    let search = async |caller: &Caller, query: &str, about: Option<&str>| {
        let call = SearchCall { query: query.to_owned(), about: about.map(str::to_owned), limit: None };
        let found = desk.engine().search(caller, call).await;
        found.candidates.into_iter().map(|it| (it.kind, it.id)).collect::<Vec<_>>()
    };
    let of = |kind: &str, id: &dyn ToString| (kind.to_owned(), id.to_string());
    assert_eq!(search(&desk.ada, "where is it", Some(&order.number)).await, [of("Order", &order.id)]);
    assert_eq!(search(&desk.ada, "check out my basket", None).await, [of("Cart", &cart)]);
    assert!(search(&desk.ada, "buy", Some("the red mug")).await.contains(&of("Variant", &t.goods.red_mug)));
    assert_eq!(
        search(&staff, "change the email", Some("Ada Byron")).await,
        [of("Customer", &t.ada.customer)]
    );
    assert_eq!(search(&staff, "x", Some("bob@example.com")).await, [of("Customer", &t.bob.customer)]);
    assert!(search(&desk.ada, "x", Some("bob@example.com")).await.is_empty());
    let bob = agent_of(t, &t.bob.principal).await;
    assert!(search(&bob, "x", Some(&order.id.to_string())).await.is_empty(), "not even as a candidate");
}

#[tokio::test]
async fn a_clear_entity_is_filled_in_as_the_target_of_the_start() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.desk_lamp, 1)]).await;
    let call = SearchCall {
        query: "send it to my office instead".to_owned(),
        about: Some(order.number.clone()),
        ..SearchCall::default()
    };
    let found = desk.engine().search(&desk.ada, call).await;
    let start = &found.matches[0].next_actions[0];
    assert_eq!(found.matches[0].capability, "change_delivery_address");
    assert_eq!(start.args.as_ref().unwrap()["target"], order.id.to_string());
    let near =
        desk.engine().search(&desk.ada, SearchCall { query: "zebra".into(), ..SearchCall::default() }).await;
    assert!(near.matches.is_empty() && !near.near_misses.is_empty() && !near.next_actions.is_empty());
}
