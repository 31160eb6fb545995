//! The three processes of `docker-compose.yml`, by hand: a gateway, a shop and a CRUD door of their own.

use serde_json::json;
use twinshop_testkit::{Mcp, Twinshop};

const BINARY: &str = env!("CARGO_BIN_EXE_twinshop");
const DOORS: &str = "a secret of the doors";
const HOOKS: &str = "a secret of the webhooks";

#[tokio::test]
async fn three_processes_are_one_shop_whose_books_reconcile() {
    let gateway = ["gateway", "--port", "0", "--profile", "workshop"];
    let gateway = Twinshop::run(BINARY, &gateway).await.unwrap();
    let gateway_url = gateway.url("gateway").unwrap();
    let serve = ["serve", "--port", "0", "--gateway-url", gateway_url];
    let serve = [&serve[..], &["--webhook-secret", HOOKS, "--door-secret", DOORS]].concat();
    let shop = Twinshop::run(BINARY, &serve).await.unwrap();
    let door =
        ["mcp", "crud", "--port", "0", "--shop-url", shop.url("rest").unwrap(), "--door-secret", DOORS];
    let door = Twinshop::run(BINARY, &door).await.unwrap();

    let token = shop.ready["tokens"]["admin"].as_str().unwrap();
    let crud = Mcp::new(door.url("mcp_crud").unwrap(), token).unwrap();
    let order =
        crud.call("list_orders", json!({ "payment_status": "authorized", "limit": 1 })).await.unwrap();
    let payments =
        crud.call("list_payments", json!({ "order_id": order.text("/body/items/0/id") })).await.unwrap();
    let capture = json!({
        "payment_id": payments.text("/body/items/0/id"),
        "if_match": payments.number("/body/items/0/version").to_string(),
        "idempotency_key": "compose-1",
    });
    let captured = crud.call("capture_payment", capture).await.unwrap();
    assert_eq!(captured.text("/body/status"), "captured", "the gateway knows the past: {}", captured.body);

    let books = crud.call("get_payment_reconciliation", json!({})).await.unwrap();
    assert!(books.number("/body/payments") > 100, "{}", books.body);
    let differences = books.body["body"]["differences"].as_array().unwrap();
    assert!(differences.iter().all(|d| d["is_unknown"] == true), "seeded unknowns aside: {}", books.body);
}
