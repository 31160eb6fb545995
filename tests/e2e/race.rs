//! Finite stock under a crowd: 200 checkouts for what about 50 can have, through both doors at once.

use serde_json::json;
use twinshop_testkit::{Mcp, Twinshop};

use crate::shop;

/// About so many buyers can be served.
const FOR: i64 = 50;
const CROWD: usize = 200;

/// Buys one unit with the seven tools; whether it was paid.
async fn buy_by_action(door: Mcp, variant: String, each: i64, nth: usize) -> bool {
    let patch = json!({ "items": [{ "id": variant, "quantity": each }], "payment_type": "card" });
    let started =
        door.call("start_action", json!({ "capability": "checkout", "patch": patch })).await.unwrap();
    let address = started.text("/addresses/0/id");
    let patch = json!({ "address_id": address });
    let arguments = json!({ "action_id": started.text("/action_id"), "version": started.number("/version"), "patch": patch });
    let ready = door.call("advance_action", arguments).await.unwrap();
    if ready.text("/status") != "ready_for_confirmation" {
        return false;
    }
    let action = ready.text("/action_id");
    let confirm =
        json!({ "action_id": action, "approval": "approved", "idempotency_key": format!("race-{nth}") });
    door.call("confirm_action", confirm).await.unwrap();
    let done = door.call("verify_action", json!({ "action_id": action })).await.unwrap();
    done.text("/status") == "completed"
}

/// Buys one unit with the two hundred tools; whether it was paid.
async fn buy_by_tools(
    door: Mcp,
    variant: String,
    store: String,
    customer: String,
    each: i64,
    nth: usize,
) -> bool {
    let key = |step: &str| format!("race-{nth}-{step}");
    let cart = door.call("create_cart", json!({ "store_id": store, "customer_id": customer })).await.unwrap();
    let cart_id = cart.text("/body/id").to_owned();
    door.call("add_cart_item", json!({ "cart_id": cart_id, "variant_id": variant, "quantity": each }))
        .await
        .unwrap();
    let addresses = door.call("list_customer_addresses", json!({ "customer_id": customer })).await.unwrap();
    let address = addresses.text("/body/items/0/id");
    door.call("set_cart_shipping_address", json!({ "cart_id": cart_id, "address_id": address }))
        .await
        .unwrap();
    let options = door.call("list_cart_shipping_options", json!({ "cart_id": cart_id })).await.unwrap();
    let method = options.text("/body/items/0/id");
    let chosen = door
        .call("select_cart_shipping_option", json!({ "cart_id": cart_id, "shipping_method_id": method }))
        .await
        .unwrap();
    let version = chosen.number("/body/version").to_string();
    let placed = door
        .call(
            "place_order_from_cart",
            json!({ "cart_id": cart_id, "if_match": version, "idempotency_key": key("place") }),
        )
        .await
        .unwrap();
    if placed.is_error {
        return false;
    }
    let order = placed.text("/body/id");
    let payment =
        door.call("create_payment", json!({ "order_id": order, "instrument": "card" })).await.unwrap();
    let (id, version) = (payment.text("/body/id").to_owned(), payment.number("/body/version").to_string());
    let held = door
        .call(
            "authorize_payment",
            json!({ "payment_id": id, "if_match": version, "idempotency_key": key("authorize") }),
        )
        .await
        .unwrap();
    let version = held.number("/body/version").to_string();
    let taken = door
        .call(
            "capture_payment",
            json!({ "payment_id": id, "if_match": version, "idempotency_key": key("capture") }),
        )
        .await
        .unwrap();
    taken.text("/body/status") == "captured"
}

/// A variant with stock, how many of it one buyer takes so that about fifty can, and its store.
async fn limited_variant(shop: &Twinshop) -> (String, i64, i64, String) {
    let ada = shop.rest("ada").unwrap();
    let order = ada.get("/v1/orders?number=%231001").send().await.unwrap();
    let store = order.text("/items/0/store_id").to_owned();
    let variant = order.text("/items/0/lines/0/variant_id").to_owned();
    let free = ada.get(&format!("/v1/variants/{variant}/availability")).send().await.unwrap();
    let free = free.number("/available");
    assert!(free > 0, "there is stock to fight for");
    let each = (free / FOR).max(1);
    (variant, each, free / each, store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_checkouts_pay_exactly_what_the_stock_serves() {
    let shop = shop(&[]).await;
    let (variant, each, served, store) = limited_variant(&shop).await;
    let customer = shop.rest("ada").unwrap().get("/v1/orders?number=%231001").send().await.unwrap();
    let customer = customer.text("/items/0/customer_id").to_owned();
    let mut buyers = tokio::task::JoinSet::new();
    for nth in 0..CROWD {
        let (actions, crud) = (shop.actions("agent").unwrap(), shop.crud("ada").unwrap());
        let (variant, store, customer) = (variant.clone(), store.clone(), customer.clone());
        buyers.spawn(async move {
            match nth % 2 {
                0 => buy_by_action(actions, variant, each, nth).await,
                _ => buy_by_tools(crud, variant, store, customer, each, nth).await,
            }
        });
    }
    let paid = buyers.join_all().await.into_iter().filter(|paid| *paid).count();
    assert_eq!(i64::try_from(paid).unwrap(), served, "orders paid");

    let admin = shop.rest("admin").unwrap();
    let free = admin.get(&format!("/v1/variants/{variant}/availability")).send().await.unwrap();
    assert!((0..each).contains(&free.number("/available")), "{}", free.body);
    let books = admin.get("/v1/reports/ledger").send().await.unwrap();
    assert_eq!(books.number("/sum_minor"), 0);
    let reconciled = admin.get("/v1/reports/payment-reconciliation").send().await.unwrap();
    let differences = reconciled.body["differences"].as_array().unwrap();
    assert!(
        differences.iter().all(|d| d["is_unknown"] == true),
        "seeded unknowns aside: {}",
        reconciled.body
    );
}
