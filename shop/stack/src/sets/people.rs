//! Sets 16 and 18: what is asked for is more than it looks.

use super::*;

/// 16 · "Remove my card".
#[actix_web::test]
async fn set_16_removing_a_card() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let ada = &d.t.ada.principal;
        let card: &[&dyn Display] = &[&d.t.ada.customer, &d.t.ada.card];
        d.done(ada, "detach_payment_method", card, Value::Null).await;
        let left = d.done(ada, "list_payment_methods", &[&d.t.ada.customer], Value::Null).await;
        let left: Vec<_> = left["items"].as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
        assert!(!left.contains(&json!(d.t.ada.card)) && left.contains(&json!(d.t.ada.paypal)), "{left:?}");
        assert_eq!(d.row("customers", d.t.ada.customer).await["status"], "active");

        // She cannot buy any more, and the card is still there.
        let d = Desk::open(rules).await;
        let ada = &d.t.ada.principal;
        d.done(
            &d.t.lead,
            "block_customer",
            &[&d.t.ada.customer],
            json!({ "reason": "asked to remove a card" }),
        )
        .await;
        d.row("payment_methods", d.t.ada.card).await;
        assert_eq!(d.call(ada, "list_products", &[], Value::Null).await.body["code"], "customer_blocked");

        // She is no more.
        let d = Desk::open(rules).await;
        d.done(&d.t.admin, "anonymize_customer", &[&d.t.ada.customer], Value::Null).await;
        let gone = d.row("customers", d.t.ada.customer).await;
        assert_eq!((gone["status"].as_str(), gone["first_name"] == "Ada"), (Some("anonymized"), false));
    }
}

/// 18 · An agent has to refund above its limit.
#[actix_web::test]
async fn set_18_a_refund_above_the_limit() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.desk_lamp, 3)]).await;
        let agent = &d.t.agent;
        d.refused(agent, "refund_unshipped_items", &[&order.id], json!({}), "approval_required").await;
        let approval = d.asked("refund_unshipped_items", order.id, &json!({})).await;
        // Nobody signs off what they asked for.
        let own = d.call(agent, "approve_request", &[&approval], json!({})).await;
        assert!(own.status == 403, "{}", own.body);
        let with = json!({ "approval_id": approval });
        d.refused(agent, "refund_unshipped_items", &[&order.id], with.clone(), "approval_pending").await;
        d.done(&d.t.lead, "approve_request", &[&approval], json!({})).await;
        d.done(agent, "refund_unshipped_items", &[&order.id], with).await;
        assert_eq!(d.kept(), 0);
        assert_eq!(d.row("approvals", &approval).await["status"], "used");
        d.is_sound().await;

        // Two halves under the limit are one refund above it.
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.desk_lamp, 3)]).await;
        let agent = &d.t.agent;
        let half = |quantity| json!({ "lines": units(order.lines[0].id, quantity) });
        d.done(agent, "refund_unshipped_items", &[&order.id], half(1)).await;
        let kept = d.kept();
        d.refused(agent, "refund_unshipped_items", &[&order.id], half(2), "approval_required").await;
        assert_eq!(d.kept(), kept);
        d.is_sound().await;
    }
}
