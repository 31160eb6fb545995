//! Sets 3, 5, 14, 15, 17: goods that have arrived.

use super::*;

/// 3 · "I want to send it back": delivered, inside the window.
#[actix_web::test]
async fn set_03_sending_it_back() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let back = d.asked_back(order.id).await;
        d.done(&d.t.lead, "receive_return_items", &[&back], json!({})).await;
        let grades =
            json!({ "grades": [{ "line_id": order.lines[0].id, "quantity": 1, "grade": "restock" }] });
        d.done(&d.t.lead, "inspect_return_items", &[&back], grades).await;
        d.done(&d.t.lead, "refund_returned_items", &[&back], json!({})).await;
        assert_eq!(d.row("returns", &back).await["status"], "refunded");
        // The shipping was done and stays paid.
        assert_eq!(d.kept(), order.total_minor - order.lines[0].total_minor);
        d.is_sound().await;

        // Paid, and the mug stays where it is.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let gift = json!({ "reason": "goodwill" });
        if d.as_ruled(rules, &d.t.lead, "refund_without_return", &[&order.id], gift, "approval_required")
            .await
        {
            assert_eq!(d.table("returns").await.len(), 0);
            assert_eq!(d.kept(), order.total_minor - order.lines[0].total_minor);
            d.is_sound().await;
        }

        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let all = json!({});
        if d.as_ruled(rules, &d.t.lead, "refund_unshipped_items", &[&order.id], all, "order_has_shipped")
            .await
        {
            assert!(d.kept() < order.total_minor, "the mug is with the customer, and its money too");
            d.is_sound().await;
        }

        // Before anything has come back.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let back = d.asked_back(order.id).await;
        d.refused(&d.t.lead, "refund_returned_items", &[&back], json!({}), "return_not_received").await;
        assert_eq!(d.kept(), order.total_minor);
    }
}

/// 5 · "Wrong size": delivered.
#[actix_web::test]
async fn set_05_the_wrong_size() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.small_shirt, 1)]).await;
        let line = order.lines[0].id;
        let swap = json!({
            "lines": [{ "line_id": line, "quantity": 1, "variant_id": d.t.goods.large_shirt }],
            "reason": "wrong_size",
        });
        d.done(&d.t.ada.principal, "request_exchange", &[&order.id], swap).await;
        assert_eq!(d.table("exchanges").await.len(), 1);
        assert_eq!(d.t.order(order.id).await.lines[0].return_quantity, 1, "the small one comes back");
        assert_eq!(d.reserved(d.t.goods.large_shirt).await, 1);
        d.is_sound().await;

        // A free shirt, and the small one stays.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.small_shirt, 1)]).await;
        let again = json!({ "lines": units(order.lines[0].id, 1), "reason": "wrong size" });
        if d.as_ruled(rules, &d.t.lead, "send_replacement", &[&order.id], again, "approval_required").await {
            assert_eq!(d.t.order(order.id).await.lines[0].return_quantity, 0);
            assert_eq!(d.table("fulfillments").await.len(), 2);
            assert_eq!(d.kept(), order.total_minor, "one shirt paid, two sent");
            d.is_sound().await;
        }

        // A new order is a new price: what the coupon took off is lost.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.small_shirt, 1)]).await;
        d.t.reprice(d.t.goods.large_shirt, 3_500).await;
        d.asked_back(order.id).await;
        let new = d.t.paid(&[(d.t.goods.large_shirt, 1)]).await;
        assert_eq!(
            d.kept(),
            order.total_minor + new.total_minor,
            "two shirts are paid until the first is back"
        );
        d.is_sound().await;
    }
}

/// 14 · "Give me store credit instead": the return is accepted.
#[actix_web::test]
async fn set_14_store_credit_instead() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let back = d.come_back(&order).await;
        let had = d.credit().await;
        let to = json!({ "destination": "store_credit" });
        d.done(&d.t.lead, "refund_returned_items", &[&back], to).await;
        assert_eq!(d.credit().await, had + order.lines[0].total_minor);
        assert_eq!(d.kept(), order.total_minor, "the card was not paid back");
        d.is_sound().await;
        // And not to the card as well.
        d.refused(&d.t.lead, "refund_returned_items", &[&back], json!({}), "nothing_left").await;

        // Credit of its own, besides: paid twice.
        d.give(order.lines[0].total_minor).await;
        assert_eq!(d.credit().await, had + 2 * order.lines[0].total_minor);
        d.is_sound().await;
    }
}

/// 15 · "Send me the same one again": delivered, faulty.
#[actix_web::test]
async fn set_15_the_same_one_again() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let mut again = json!({ "lines": units(order.lines[0].id, 1), "reason": "arrived broken" });
        if rules == RulesMode::Server {
            again["approval_id"] = d.signed_off("send_replacement", order.id, &again).await;
        }
        d.done(&d.t.agent, "send_replacement", &[&order.id], again).await;
        let now = d.t.order(order.id).await;
        assert_eq!((now.lines[0].return_quantity, d.table("exchanges").await.len()), (0, 0));
        assert_eq!((d.kept(), d.table("fulfillments").await.len()), (order.total_minor, 2));
        d.is_sound().await;

        // Waits for a broken mug to be posted back, before a new one is sent.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let swap = json!({
            "lines": [{ "line_id": order.lines[0].id, "quantity": 1, "variant_id": d.t.goods.red_mug }],
            "reason": "faulty",
        });
        d.done(&d.t.ada.principal, "request_exchange", &[&order.id], swap).await;
        assert_eq!(d.table("fulfillments").await.len(), 1, "nothing is on its way");
        assert_eq!(d.t.order(order.id).await.lines[0].return_quantity, 1);
        d.is_sound().await;
    }
}

/// 17 · "Cancel the return": requested, not received.
#[actix_web::test]
async fn set_17_cancelling_the_return() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let back = d.asked_back(order.id).await;
        d.done(&d.t.ada.principal, "cancel_return", &[&back], Value::Null).await;
        assert_eq!(d.row("returns", &back).await["status"], "cancelled");
        assert_eq!(d.t.order(order.id).await.lines[0].return_quantity, 0);
        d.is_sound().await;

        // A rejection is on record against the customer.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        let back = json!({ "reason": "changed_mind" });
        let back = d.done(&d.t.ada.principal, "request_return", &[&order.id], back).await;
        let back = back["id"].as_str().unwrap();
        let why = json!({ "reason": "the customer thought again" });
        let answer = d.call(&d.t.lead, "reject_return", &[&back], why).await;
        // Returns for a routine reason are approved at once, and what was approved is not rejected.
        assert!(
            answer.status >= 400 || d.row("returns", back).await["status"] == "rejected",
            "{}",
            answer.body
        );

        // There is no refund yet to be cancelled.
        let none = shop_domain::ids::RefundId::new(d.t.shop.world.ids.next("refund"));
        let answer = d.call(&d.t.lead, "cancel_pending_refund", &[&none], Value::Null).await;
        assert_eq!(answer.status, 404, "{}", answer.body);
        assert_eq!(d.kept(), order.total_minor);
    }
}
