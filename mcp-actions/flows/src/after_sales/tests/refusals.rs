//! A no that helps: the rule, and the door that is open instead.

use mcp_actions_engine::{Reason, StartCall, Status};
use shop_domain::after_sales::RulesMode;

use super::*;
use crate::testing::{codes, complaints, node, starting};

/// The capabilities that an answer leads to.
fn doors(view: &View) -> Vec<&str> {
    let args = view.next_actions.iter().filter_map(|next| next.args.as_ref());
    args.filter_map(|args| args.get("capability")?.as_str()).collect()
}

#[tokio::test]
async fn the_wrong_door_names_the_right_one() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let unshipped = t.paid(&[(t.goods.blue_mug, 1)]).await.number;
    let held = held(&desk, &[(t.goods.blue_mug, 1)]).await.number;
    let shipped = t.shipped(&[(t.goods.blue_mug, 1)]).await.0.number;
    let delivered = t.delivered(&[(t.goods.blue_mug, 1)]).await.number;
    for (capability, order, rule, door) in [
        ("cancel_order", &shipped, "order_has_shipped", "return_refund"),
        ("cancel_order", &delivered, "order_has_shipped", "return_refund"),
        ("refund_only", &held, "nothing_captured", "cancel_order"),
        ("refund_only", &shipped, "order_has_shipped", "return_refund"),
        ("refund_only", &delivered, "order_has_shipped", "exchange"),
        ("return_refund", &unshipped, "order_not_delivered", "refund_only"),
        ("exchange", &unshipped, "order_not_delivered", "modify_order"),
        ("exchange", &held, "order_not_delivered", "cancel_order"),
    ] {
        let view = desk.start(capability, Some(order), json!({})).await;
        assert_eq!(view.reason, Some(Reason::NotEligible), "{capability} {rule}: {view:?}");
        assert!(view.message.as_ref().unwrap().contains(rule), "{capability}: {:?}", view.message);
        assert!(doors(&view).contains(&door), "{capability} {rule}: {:?}", doors(&view));
        assert!(!doors(&view).contains(&capability));
    }
}

#[tokio::test]
async fn this_door_keeps_the_rules_where_the_shop_trusts_its_callers() {
    let desk = Desk::under(RulesMode::Ui).await;
    let t = &desk.shop;
    let order = t.shipped(&[(t.goods.blue_mug, 1)]).await.0;
    let view = desk.start("cancel_order", Some(&order.number), json!({ "reason": "no_longer_needed" })).await;
    assert_eq!(view.reason, Some(Reason::NotEligible), "{view:?}");
}

#[tokio::test]
async fn a_wrong_wish_says_what_is_possible_instead() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "problem": "changed_mind", "wants": "replacement" });
    let view = desk.start("after_sales", Some(&order.number), patch).await;
    assert_eq!(codes(&view), [("wants", Reason::NotEligible)], "{view:?}");
    let offered: Vec<_> = view.validation_errors[0].suggestions.iter().map(|it| &it.value).collect();
    assert_eq!(offered, ["refund", "exchange"]);
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "problem": "wrong_size", "wants": "exchange" });
    let view = desk.start("after_sales", Some(&order.number), patch).await;
    assert!(complaints(&view).contains("modify_order"), "{}", complaints(&view));
    let view = desk.start("after_sales", Some(&order.number), json!({ "problem": "faulty" })).await;
    assert!(complaints(&view).contains("order_not_shipped"), "{view:?}");
    assert!(view.context["right_doors"].as_array().is_some_and(|doors| !doors.is_empty()), "{view:?}");
}

#[tokio::test]
async fn nothing_is_left_of_an_order_that_was_paid_back() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "problem": "changed_mind" });
    desk.carry_out(&desk.ready("after_sales", &order.number, patch.clone()).await).await;
    let again = desk.start("after_sales", Some(&order.number), patch).await;
    assert_eq!(codes(&again)[0].1, Reason::NotEligible, "{again:?}");
    let cancel = desk.start("cancel_order", Some(&order.number), json!({})).await;
    assert!(cancel.message.as_ref().unwrap().contains("already_done"), "{cancel:?}");
    assert_eq!(refunds_of(&desk, order.id).await.len(), 1);
}

#[tokio::test]
async fn words_that_fit_several_orders_are_asked_about() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let first = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let patch = json!({ "items": items("blue mug", 1), "reason": "changed_mind" });
    let asked = desk.start("return_refund", Some("the order with the blue mug"), patch).await;
    assert_eq!((node(&asked), asked.candidates.len()), ("RESOLVE", 2), "{asked:?}");
    let ready = desk.advance(&asked, json!({ "target": first.id })).await;
    assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
    assert_eq!(summary(&ready, "order"), &json!(first.number));
    let newest = desk.start("return_refund", Some("my last order with a blue mug"), json!({})).await;
    assert_eq!(node(&newest), "REASON", "{newest:?}");
    let none = desk.start("return_refund", Some("the golden spoon"), json!({})).await;
    assert_eq!((none.reason, none.candidates.len()), (Some(Reason::NotFound), 2), "near misses");
}

#[tokio::test]
async fn words_that_fit_several_items_are_not_guessed() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1), (t.goods.red_mug, 1)]).await;
    let patch = json!({ "items": items("the mug", 1), "reason": "changed_mind" });
    let view = desk.start("return_refund", Some(&order.number), patch).await;
    assert_eq!(codes(&view), [("items", Reason::Ambiguous)], "{view:?}");
    assert_eq!(view.validation_errors[0].allowed.as_ref().unwrap().len(), 2);
}

#[tokio::test]
async fn somebody_elses_order_looks_absent() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let bob = agent_of(t, &t.bob.principal).await;
    for target in [order.id.to_string(), order.number] {
        for capability in ["after_sales", "refund_only", "return_refund", "exchange", "cancel_order"] {
            let call: StartCall = starting(capability, Some(&target), json!({}));
            let view = desk.engine().start(&bob, call).await;
            assert_eq!(view.reason, Some(Reason::NotFound), "{capability}: {view:?}");
        }
    }
}
