//! Sets 4 and 10: goods on their way.

use super::*;

/// 4 · "It never arrived": shipped, and the carrier says lost.
#[actix_web::test]
async fn set_04_it_never_arrived() {
    for rules in MODES {
        let lost = json!({ "reason": "lost" });
        let d = Desk::open(rules).await;
        let order = d.lost().await;
        d.done(&d.t.lead, "refund_without_return", &[&order.id], lost.clone()).await;
        assert_eq!(d.kept(), order.total_minor - order.lines[0].total_minor);
        d.is_sound().await;
        // The other remedy as well would be a double loss.
        let again = json!({ "lines": units(order.lines[0].id, 1), "reason": "lost" });
        let code = if rules == RulesMode::Ui { "validation_failed" } else { "no_delivery_exception" };
        d.refused(&d.t.lead, "send_replacement", &[&order.id], again, code).await;

        let d = Desk::open(rules).await;
        let order = d.lost().await;
        let again = json!({ "lines": units(order.lines[0].id, 1), "reason": "lost" });
        d.done(&d.t.lead, "send_replacement", &[&order.id], again).await;
        assert_eq!((d.kept(), d.table("fulfillments").await.len()), (order.total_minor, 2));
        if d.as_ruled(
            rules,
            &d.t.lead,
            "refund_without_return",
            &[&order.id],
            lost.clone(),
            "no_delivery_exception",
        )
        .await
        {
            assert!(d.kept() < order.total_minor, "a new mug and the money of the old one");
        }
        d.is_sound().await;

        // The customer has nothing to send back.
        let d = Desk::open(rules).await;
        let order = d.lost().await;
        let back = json!({ "reason": "changed_mind" });
        let ada = &d.t.ada.principal;
        if d.as_ruled(rules, ada, "request_return", &[&order.id], back, "order_not_delivered").await {
            assert_eq!((d.table("returns").await.len(), d.kept()), (1, order.total_minor));
        }

        // Without the carrier's word there is no remedy at all.
        let d = Desk::open(rules).await;
        let (order, _) = d.t.shipped(&[(d.t.goods.blue_mug, 1)]).await;
        d.as_ruled(rules, &d.t.lead, "refund_without_return", &[&order.id], lost, "no_delivery_exception")
            .await;
    }
}

/// 10 · "Where is my parcel".
#[actix_web::test]
async fn set_10_where_the_parcel_is() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let (order, parcel) = d.t.shipped(&[(d.t.goods.blue_mug, 1)]).await;
        d.t.shop.world.clock.advance(chrono::TimeDelta::hours(30));
        let ada = &d.t.ada.principal;
        let of_order = d.done(ada, "get_order_tracking", &[&order.id], Value::Null).await;
        let number = parcel.tracking_number.clone().unwrap();
        let of_parcel = d.done(ada, "track_shipment", &[&number], Value::Null).await;
        let scans = of_parcel["scans"].as_array().unwrap();
        assert!(scans.len() > 1, "{of_parcel}");
        assert_eq!(of_order["parcels"][0]["scans"][0], *scans.last().unwrap(), "both say where it is now");

        // Says what is in it and its state, and nothing of where it has been.
        let seen = d.done(&d.t.lead, "get_fulfillment", &[&parcel.id], Value::Null).await;
        assert!(seen.get("scans").is_none(), "{seen}");
        // Asks the gateway about money, which was never in doubt.
        let before = d.row("fulfillments", parcel.id).await;
        let payment = d.payment(order.id).await;
        d.done(&d.t.lead, "sync_payment_status", &[&payment], Value::Null).await;
        assert_eq!(d.row("fulfillments", parcel.id).await, before);
        assert_eq!(d.kept(), order.total_minor);
        d.is_sound().await;
    }
}
