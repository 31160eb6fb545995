//! Sets 1, 2, 6, 7: which way money goes back.

use super::*;

/// 1 · "I want my money back": paid, nothing has shipped.
#[actix_web::test]
async fn set_01_money_back_before_anything_ships() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 2)]).await;
        d.done(&d.t.lead, "refund_unshipped_items", &[&order.id], json!({})).await;
        let now = d.row("orders", order.id).await;
        assert_eq!(
            (now["status"].as_str(), now["payment_status"].as_str()),
            (Some("cancelled"), Some("refunded"))
        );
        assert_eq!((d.kept(), d.reserved(d.t.goods.blue_mug).await), (0, 0));
        d.is_sound().await;

        // Stops the order and frees the stock; the money stays.
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 2)]).await;
        d.done(&d.t.lead, "cancel_order", &[&order.id], json!({ "reason": "no_longer_needed" })).await;
        let now = d.row("orders", order.id).await;
        assert_eq!(
            (now["status"].as_str(), now["payment_status"].as_str()),
            (Some("cancelled"), Some("paid"))
        );
        assert_eq!((d.kept(), d.reserved(d.t.goods.blue_mug).await), (order.total_minor, 0));
        d.is_sound().await;

        // Taken money is not held any more, whoever keeps the rules.
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 2)]).await;
        let payment = d.payment(order.id).await;
        d.refused(&d.t.lead, "void_payment", &[&payment], Value::Null, "payment_captured").await;

        // There is nothing to send back: the legacy shop opens a return of goods that it never sent.
        let back = json!({ "reason": "changed_mind" });
        if d.as_ruled(rules, &d.t.ada.principal, "request_return", &[&order.id], back, "order_not_delivered")
            .await
        {
            assert_eq!((d.table("returns").await.len(), d.kept()), (1, order.total_minor));
            d.is_sound().await;
        }

        // The money is back and the parcel still ships.
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 2)]).await;
        let gift = json!({ "reason": "goodwill" });
        if d.as_ruled(rules, &d.t.lead, "refund_without_return", &[&order.id], gift, "order_not_shipped")
            .await
        {
            let parcel = d.done(&d.t.lead, "create_fulfillment", &[&order.id], json!({})).await;
            d.done(&d.t.lead, "mark_fulfillment_shipped", &[&parcel["id"].as_str().unwrap()], json!({}))
                .await;
            assert_eq!(d.row("orders", order.id).await["fulfillment_status"], "shipped");
            assert!(d.kept() < order.total_minor, "goods gone, and their money");
            d.is_sound().await;
        }
    }
}

/// 2 · "I want my money back": the card is held, nothing was taken.
#[actix_web::test]
async fn set_02_money_back_while_it_is_only_held() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let (order, payment) = d.held(d.t.goods.blue_mug).await;
        d.done(&d.t.lead, "cancel_order", &[&order], json!({ "reason": "no_longer_needed" })).await;
        d.done(&d.t.lead, "void_payment", &[&payment], Value::Null).await;
        let now = d.row("orders", order).await;
        assert_eq!(
            (now["status"].as_str(), now["payment_status"].as_str()),
            (Some("cancelled"), Some("voided"))
        );
        assert_eq!((d.t.held_at_gateway(), d.kept()), (0, 0));
        d.is_sound().await;

        // Nothing was taken, so nothing goes back: that is arithmetic, which no mode relaxes.
        let d = Desk::open(rules).await;
        let (order, _) = d.held(d.t.goods.blue_mug).await;
        let (lost, drop) = (json!({ "reason": "lost" }), json!({ "reason": "price_drop" }));
        for (name, body, by_rule, by_sum) in [
            ("refund_unshipped_items", json!({}), "nothing_captured", "refund_exceeds_captured"),
            ("refund_without_return", lost, "order_not_shipped", "refund_exceeds_captured"),
            ("refund_shipping_fee", json!({}), "nothing_captured", "no_shipping_fee"),
            ("refund_price_adjustment", drop, "nothing_captured", "no_price_gap"),
        ] {
            let code = if rules == RulesMode::Ui { by_sum } else { by_rule };
            d.refused(&d.t.lead, name, &[&order], body, code).await;
        }
        assert!(d.t.held_at_gateway() > 0);
    }
}

/// 6 · "I paid for express, you sent standard".
#[actix_web::test]
async fn set_06_express_was_paid_and_standard_sent() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.sent_slower().await;
        let paid_for_shipping = d.row("orders", order).await["shipping_minor"].as_i64().unwrap();
        let before = d.kept();
        let done = d.done(&d.t.lead, "refund_shipping_difference", &[&order], json!({})).await;
        let difference = done["total_minor"].as_i64().unwrap();
        assert!(0 < difference && difference < paid_for_shipping * 119 / 100);
        assert_eq!(d.kept(), before - difference);
        d.is_sound().await;
        // And not twice.
        let again = d.call(&d.t.lead, "refund_shipping_difference", &[&order], json!({})).await;
        assert!(again.status >= 400 && d.kept() == before - difference, "{}", again.body);

        // The whole fee: more than what is owed, and done.
        let d = Desk::open(rules).await;
        let order = d.sent_slower().await;
        let whole = d.done(&d.t.lead, "refund_shipping_fee", &[&order], json!({})).await;
        assert!(whole["total_minor"].as_i64().unwrap() > difference);
        assert_eq!(d.kept(), before - whole["total_minor"].as_i64().unwrap());

        // No price has fallen.
        let d = Desk::open(rules).await;
        let order = d.sent_slower().await;
        let drop = json!({ "reason": "price_drop" });
        d.refused(&d.t.lead, "refund_price_adjustment", &[&order], drop, "no_price_gap").await;

        // Somebody's credit, while the card is still charged for express.
        d.give(difference).await;
        assert_eq!((d.kept(), d.table("refunds").await.len()), (before, 0));
        d.is_sound().await;
    }
}

/// 7 · "It is cheaper now": delivered, within the days of a price match.
#[actix_web::test]
async fn set_07_it_became_cheaper() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        d.t.reprice(d.t.goods.blue_mug, 1_490).await;
        let before = d.kept();
        d.done(&d.t.lead, "refund_price_adjustment", &[&order.id], json!({ "reason": "price_drop" })).await;
        // 5.00 less, and the 19 % on it.
        assert_eq!(d.kept(), before - 595);
        d.is_sound().await;

        // The whole mug, which stays with the customer.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        d.t.reprice(d.t.goods.blue_mug, 1_490).await;
        let gift = json!({ "reason": "goodwill" });
        if d.as_ruled(rules, &d.t.lead, "refund_without_return", &[&order.id], gift, "approval_required")
            .await
        {
            assert!(before - d.kept() > 595);
            d.is_sound().await;
        }

        // A code in a new cart takes nothing off what was bought.
        let d = Desk::open(rules).await;
        let order = d.t.delivered(&[(d.t.goods.blue_mug, 1)]).await;
        d.t.reprice(d.t.goods.blue_mug, 1_490).await;
        let cart = json!({ "store_id": d.t.store, "customer_id": d.t.ada.customer });
        let cart =
            d.done(&d.t.ada.principal, "create_cart", &[], cart).await["id"].as_str().unwrap().to_owned();
        let mug = json!({ "variant_id": d.t.goods.blue_mug, "quantity": 1 });
        d.done(&d.t.ada.principal, "add_cart_item", &[&cart], mug).await;
        d.done(&d.t.ada.principal, "apply_cart_coupon", &[&cart], json!({ "code": "SAVE10" })).await;
        assert_eq!((d.kept(), d.t.order(order.id).await.total_minor), (order.total_minor, order.total_minor));
    }
}
