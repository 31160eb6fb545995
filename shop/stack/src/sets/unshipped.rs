//! Sets 11, 12, 13: money in doubt, and half an order.

use super::*;

/// 11 · "Did the payment go through?": the gateway did not answer.
#[actix_web::test]
async fn set_11_a_payment_in_doubt() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let (order, payment) = d.in_doubt().await;
        let now = d.done(&d.t.ada.principal, "sync_payment_status", &[&payment], Value::Null).await;
        assert_eq!(now["status"], "captured");
        assert_eq!(d.kept(), d.t.order(order).await.total_minor);
        d.is_sound().await;

        // Once more under a new key: refused, or charged twice.
        let d = Desk::open(rules).await;
        let (order, payment) = d.in_doubt().await;
        let total = d.t.order(order).await.total_minor;
        let ada = &d.t.ada.principal;
        // A hold is taken once: where the shop does not know, the gateway does.
        let again = d.call(ada, "capture_payment", &[&payment], json!({})).await;
        let code = if rules == RulesMode::Ui { "payment_declined" } else { "outcome_unknown" };
        assert_eq!((again.body["code"].as_str(), d.kept()), (Some(code), total));
        let d = Desk::open(rules).await;
        let (order, _) = d.in_doubt().await;
        let ada = &d.t.ada.principal;
        let new = json!({ "payment_method_id": d.t.ada.card });
        if rules == RulesMode::Server {
            d.refused(ada, "create_payment", &[&order], new, "outcome_unknown").await;
            assert_eq!(d.kept(), total);
        } else {
            let second = d.done(ada, "create_payment", &[&order], new).await;
            let second = second["id"].as_str().unwrap();
            d.done(ada, "authorize_payment", &[&second], json!({})).await;
            d.done(ada, "capture_payment", &[&second], json!({})).await;
            assert_eq!(d.kept(), 2 * total, "charged twice");
        }
    }
}

/// 12 · "The refund failed": failed or unknown.
#[actix_web::test]
async fn set_12_a_refund_in_doubt() {
    for rules in MODES {
        // It had happened.
        let d = Desk::open(rules).await;
        let (_, refund) = d.refund_that("lost_answer@refund:after*1").await;
        let now = d.done(&d.t.lead, "sync_refund_status", &[&refund], Value::Null).await;
        assert_eq!((now["status"].as_str(), d.kept()), (Some("succeeded"), 0));
        d.is_sound().await;

        // It had not.
        let d = Desk::open(rules).await;
        let (_, refund) = d.refund_that("decline@refund*1").await;
        assert_eq!(d.row("refunds", &refund).await["status"], "failed");
        d.done(&d.t.lead, "retry_failed_refund", &[&refund], Value::Null).await;
        assert_eq!(d.kept(), 0);
        d.is_sound().await;

        // A second refund: the first one claims the money, whoever keeps the rules.
        let d = Desk::open(rules).await;
        let (order, _) = d.refund_that("lost_answer@refund:after*1").await;
        for name in ["refund_unshipped_items", "refund_shipping_fee"] {
            let second = d.call(&d.t.lead, name, &[&order], json!({})).await;
            assert!(second.status >= 400, "{name}: {}", second.body);
        }
        assert_eq!(d.kept(), 0);
    }
}

/// 13 · "Cancel one of the two items": partly unshipped.
#[actix_web::test]
async fn set_13_one_of_two_items() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.half_sent().await;
        let lamp = order.lines.iter().find(|line| line.variant_id == d.t.goods.desk_lamp).unwrap();
        let only = json!({ "lines": units(lamp.id, 1) });
        d.done(&d.t.lead, "refund_unshipped_items", &[&order.id], only).await;
        let now = d.t.order(order.id).await;
        let line = |variant| now.lines.iter().find(|line| line.variant_id == variant).unwrap().clone();
        assert_eq!(line(d.t.goods.desk_lamp).cancelled_quantity, 1);
        assert_eq!(line(d.t.goods.blue_mug).cancelled_quantity, 0);
        assert_eq!(d.kept(), order.total_minor - lamp.total_minor);
        d.is_sound().await;

        // All lines, and a parcel is on its way.
        let d = Desk::open(rules).await;
        let order = d.half_sent().await;
        let why = json!({ "reason": "no_longer_needed" });
        if d.as_ruled(rules, &d.t.lead, "cancel_order", &[&order.id], why, "order_has_shipped").await {
            assert_eq!(d.row("orders", order.id).await["status"], "cancelled");
            assert_eq!(d.kept(), order.total_minor, "the money stays");
            d.is_sound().await;
        }

        // The parcel is unpacked; the order stays open and paid.
        let d = Desk::open(rules).await;
        let order = d.half_sent().await;
        let lamp = order.lines.iter().find(|line| line.variant_id == d.t.goods.desk_lamp).unwrap();
        let parcel = json!({ "lines": units(lamp.id, 1) });
        let parcel = d.done(&d.t.lead, "create_fulfillment", &[&order.id], parcel).await;
        d.done(&d.t.lead, "cancel_fulfillment", &[&parcel["id"].as_str().unwrap()], Value::Null).await;
        let now = d.t.order(order.id).await;
        assert_eq!(now.status.as_str(), "confirmed");
        assert!(now.lines.iter().all(|line| line.cancelled_quantity == 0));
        assert_eq!(d.kept(), order.total_minor);
        d.is_sound().await;
    }
}
