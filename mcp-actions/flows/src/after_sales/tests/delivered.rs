//! The goods are with the customer: they go back for money or for other goods, or the shop sends them again.

use mcp_actions_engine::{Reason, Status};
use shop_domain::returns::ReturnGrade;
use shop_domain::status::{ExchangeStatus, OrderPaymentStatus, RefundDestination};
use shop_service::exchanges;

use super::*;
use crate::testing::{codes, complaints, node};

/// The exchange that an action opened.
async fn exchange_of(desk: &Desk, view: &View) -> exchanges::View {
    let found = view.result_refs.iter().find(|found| found.kind == "Exchange").unwrap();
    exchanges::get(&desk.shop.ctx(&desk.shop.admin), found.id.parse().unwrap()).await.unwrap()
}

#[tokio::test]
async fn goods_go_back_and_their_money_follows_when_they_are_accepted() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    let asked = desk.start("after_sales", Some(&order.number), json!({ "problem": "changed_mind" })).await;
    assert_eq!((node(&asked), asked.missing.as_slice()), ("ITEMS", ["items[].id".to_owned()].as_slice()));
    let ready = desk.advance(&asked, json!({ "items": items("blue mugs", 1) })).await;
    assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
    let worth = order.lines[0].total_minor / 2;
    assert_eq!((resolution(&ready), summary(&ready, "amount")), ("return_refund", &json!(worth)));
    assert_eq!(summary(&ready, "postage_payer"), "customer");

    let done = desk.carry_out(&ready).await;
    assert_eq!(done.verification.unwrap().status, "approved");
    assert_eq!(desk.given_back(), 0, "nothing is paid before the goods are back");
    let early = json!({ "problem": "return_unpaid" });
    let waits = desk.start("after_sales", Some(&order.number), early.clone()).await;
    assert!(complaints(&waits).contains("return_not_received"), "{waits:?}");

    let row = goods_are_back(&desk, order.id).await;
    assert_eq!(row.lines[0].received, 1);
    let unseen = desk.start("after_sales", Some(&order.number), early.clone()).await;
    assert!(complaints(&unseen).contains("return_not_inspected"), "{unseen:?}");
    let grades =
        vec![returns::Grade { line_id: order.lines[0].id, quantity: 1, grade: ReturnGrade::Restock }];
    let input = returns::Inspect { grades, location_id: None };
    returns::inspect(&t.at(&t.lead, row.version), row.id, input).await.unwrap();

    let paid = desk.ready("after_sales", &order.number, early).await;
    assert_eq!((resolution(&paid), summary(&paid, "amount")), ("refund_returned", &json!(worth)));
    desk.carry_out(&paid).await;
    assert_eq!(desk.given_back(), worth);
    let row = returns_of(&desk, order.id).await.pop().unwrap();
    assert_eq!(row.status, ReturnStatus::Refunded);
    assert_eq!(t.order(order.id).await.payment_status, OrderPaymentStatus::PartiallyRefunded);
    let again = desk.start("after_sales", Some(&order.number), json!({ "problem": "return_unpaid" })).await;
    assert!(complaints(&again).contains("return_not_received"), "{again:?}");
}

#[tokio::test]
async fn staff_look_at_what_came_back_and_pay_for_it_in_one_action() {
    for (grade, pays) in [("restock", true), ("write_off", true), ("send_back", false)] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
        let patch = json!({ "items": items("mug", 2), "reason": "wrong item" , "refund_to": "store_credit" });
        desk.carry_out(&desk.ready("return_refund", &order.number, patch).await).await;
        goods_are_back(&desk, order.id).await;
        let lead = leads(&desk).await;
        let call = crate::testing::starting("return_refund", Some(&order.number), json!({}));
        let asked = desk.engine().start(&lead, call).await;
        assert_eq!(
            (node(&asked), asked.missing.as_slice()),
            ("INSPECTION", ["condition".to_owned()].as_slice())
        );
        let ready = desk.ready_as(&lead, "return_refund", &order.number, json!({ "condition": grade })).await;
        let worth = if pays { order.lines[0].total_minor } else { 0 };
        assert_eq!(summary(&ready, "amount"), &json!(worth), "{grade}");
        let what = summary(&ready, "what").as_str().unwrap();
        assert_eq!(what.starts_with("Refund 47.36 EUR to store credit"), pays, "{what}");
        desk.carry_out_as(&lead, &ready).await;
        let row = returns_of(&desk, order.id).await.pop().unwrap();
        let status = if pays { ReturnStatus::Refunded } else { ReturnStatus::Inspected };
        assert_eq!((row.status, row.refund_to), (status, RefundDestination::StoreCredit), "{grade}");
        assert_eq!(desk.given_back(), 0, "it went to store credit");
    }
}

#[tokio::test]
async fn an_exchange_holds_the_new_goods_and_names_the_difference() {
    for (from, to, words, difference) in [
        ("MUG-BLUE", "MUG-RED", "red", 0),
        ("SHIRT-S", "SHIRT-L", "large", 238),
        ("SHIRT-L", "SHIRT-S", "small", -238),
    ] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let goods = [
            ("MUG-BLUE", t.goods.blue_mug),
            ("MUG-RED", t.goods.red_mug),
            ("SHIRT-S", t.goods.small_shirt),
            ("SHIRT-L", t.goods.large_shirt),
        ];
        let variant = |sku: &str| goods.iter().find(|(other, _)| *other == sku).unwrap().1;
        let order = t.delivered(&[(variant(from), 2)]).await;
        let patch = json!({
            "problem": "wrong_size",
            "wants": "exchange",
            "items": [{ "id": from, "quantity": 1, "to": words }],
        });
        let ready = desk.ready("after_sales", &order.number, patch).await;
        assert_eq!(
            (resolution(&ready), summary(&ready, "amount")),
            ("exchange", &json!(difference)),
            "{from}"
        );
        assert_eq!(
            summary(&ready, "settle_with"),
            &json!({ "payment_method_id": t.ada.card, "gift_card_id": null })
        );
        let done = desk.carry_out(&ready).await;
        let row = exchange_of(&desk, &done).await;
        assert_eq!((row.status, row.difference_minor), (ExchangeStatus::Requested, difference), "{from}");
        assert_eq!((row.lines[0].variant_id, row.lines[0].quantity), (variant(to), 1));
        assert_eq!(desk.held(&row.id.to_string()).await, 1, "the new goods are held");
        assert_eq!((desk.given_back(), desk.taken().len()), (0, 1), "no money moves yet");
        assert_eq!(returns_of(&desk, order.id).await.len(), 1);
    }
}

#[tokio::test]
async fn an_exchange_says_what_it_could_be_exchanged_for() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.small_shirt, 1)]).await;
    let asked = desk.start("exchange", Some(&order.number), json!({})).await;
    let mut missing = asked.missing.clone();
    missing.sort();
    assert_eq!(missing, ["items[].to", "reason"]);
    assert_eq!(asked.context["items"][0]["exchange_for"][0]["id"], json!(t.goods.large_shirt));
    let unsaid = desk.advance(&asked, json!({ "items": items("shirt", 1), "reason": "wrong size" })).await;
    let suggestion = &unsaid.validation_errors[0].suggestions[0];
    assert_eq!(suggestion.value[0]["to"], json!(t.goods.large_shirt), "{unsaid:?}");
    let none = desk.advance(&unsaid, json!({ "items": [{ "id": "shirt", "to": "purple" }] })).await;
    assert_eq!(codes(&none), [("items", Reason::NotFound)]);
    let ready = desk.advance(&none, json!({ "items": suggestion.value })).await;
    assert_eq!((ready.status, ready.pending.len()), (Some(Status::ReadyForConfirmation), 0), "{ready:?}");
    desk.carry_out(&ready).await;
}

#[tokio::test]
async fn more_than_there_is_cannot_be_sent_back() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let patch = json!({ "items": items("mug", 3), "reason": "changed_mind" });
    let view = desk.start("return_refund", Some(&order.number), patch).await;
    assert_eq!(codes(&view), [("items", Reason::ValidationFailed)]);
    assert_eq!(view.pending, ["reason"]);
    let fewer = &view.validation_errors[0].suggestions[0].value;
    let ready = desk.advance(&view, json!({ "items": fewer })).await;
    assert_eq!(summary(&ready, "items")[0]["quantity"], 2, "{ready:?}");
    desk.carry_out(&ready).await;
    let rest = desk.start("return_refund", Some(&order.number), json!({})).await;
    assert_eq!(rest.reason, Some(Reason::NotEligible), "{rest:?}");
}

#[tokio::test]
async fn what_is_sent_again_or_kept_needs_staff_and_their_reasons() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let asked = desk.start("after_sales", Some(&order.number), json!({ "problem": "faulty" })).await;
    assert_eq!(
        (node(&asked), asked.missing.as_slice()),
        ("REMEDY", ["wants".to_owned()].as_slice()),
        "{asked:?}"
    );
    let wants = asked.inputs.iter().find(|input| input.field == "wants").unwrap();
    let offered: Vec<_> = wants.options.as_ref().unwrap().iter().map(|choice| &choice.value).collect();
    assert_eq!(offered, ["refund", "exchange", "refund_and_keep", "replacement"]);
    let why = desk.advance(&asked, json!({ "wants": "replacement" })).await;
    assert_eq!(why.missing, ["details"]);
    let ready = desk.advance(&why, json!({ "details": "The handle came off." })).await;
    assert_eq!(
        (resolution(&ready), summary(&ready, "staff_approval")),
        ("replacement", &json!(true)),
        "{ready:?}"
    );
    assert!(ready.staff_approval.as_ref().unwrap().required);
    let kept = desk.advance(&ready, json!({ "wants": "refund_and_keep" })).await;
    assert_eq!((resolution(&kept), summary(&kept, "reason")), ("refund_without_return", &json!("damaged")));
    let back = desk.advance(&kept, json!({ "wants": "refund" })).await;
    assert_eq!((resolution(&back), summary(&back, "staff_approval")), ("return_refund", &json!(false)));
    assert_eq!(summary(&back, "postage_payer"), "shop");
}
