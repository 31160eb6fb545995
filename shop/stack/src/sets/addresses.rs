//! Sets 8 and 9: "Change my address".

use shop_service::testing::hamburg;

use super::*;

fn elsewhere() -> Value {
    let mut address = serde_json::to_value(hamburg("Ada Byron")).unwrap();
    address["line1"] = json!("7 New Quay");
    address
}

/// 8 · Nothing has left.
#[actix_web::test]
async fn set_08_another_address_before_it_ships() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let ada = &d.t.ada.principal;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 1)]).await;
        let new = json!({ "address": elsewhere() });
        d.done(ada, "change_order_delivery_address", &[&order.id], new).await;
        assert_eq!(d.street(order.id).await, "7 New Quay");
        d.is_sound().await;

        // The address book, a cart and the default change; the order goes where it went.
        let d = Desk::open(rules).await;
        let ada = &d.t.ada.principal;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 1)]).await;
        let home: &[&dyn Display] = &[&d.t.ada.customer, &d.t.ada.address];
        d.done(ada, "update_customer_address", home, json!({ "address": elsewhere() })).await;
        d.done(ada, "set_default_customer_address", home, Value::Null).await;
        let cart = json!({ "store_id": d.t.store, "customer_id": d.t.ada.customer });
        let cart = d.done(ada, "create_cart", &[], cart).await["id"].as_str().unwrap().to_owned();
        d.done(ada, "set_cart_shipping_address", &[&cart], json!({ "address": elsewhere() })).await;
        assert_eq!(d.street(order.id).await, "12 Harbour Road");
        d.is_sound().await;
    }
}

/// 9 · In transit.
#[actix_web::test]
async fn set_09_another_address_on_the_way() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let (_, parcel) = d.t.shipped(&[(d.t.goods.blue_mug, 1)]).await;
        d.done(&d.t.lead, "redirect_shipment", &[&parcel.id], json!({ "address": elsewhere() })).await;
        assert!(d.row("fulfillments", parcel.id).await["destination"].to_string().contains("7 New Quay"));
        d.is_sound().await;

        // The order says another address, and the parcel goes to the old one.
        let d = Desk::open(rules).await;
        let (order, parcel) = d.t.shipped(&[(d.t.goods.blue_mug, 1)]).await;
        let before = d.row("fulfillments", parcel.id).await;
        let new = json!({ "address": elsewhere() });
        let ada = &d.t.ada.principal;
        d.as_ruled(rules, ada, "change_order_delivery_address", &[&order.id], new, "order_has_shipped").await;
        assert_eq!(d.row("fulfillments", parcel.id).await["destination"], before["destination"]);

        // Another number is another name for the same road.
        let other = json!({ "tracking_number": "HB-2222-3333" });
        d.done(&d.t.lead, "update_tracking_number", &[&parcel.id], other).await;
        assert_eq!(d.row("fulfillments", parcel.id).await["destination"], before["destination"]);
        d.is_sound().await;
    }
}
