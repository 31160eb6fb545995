//! Bad input gets a clear error through every door and changes nothing.

use serde_json::{Value, json};
use twinshop_testkit::Twinshop;

use crate::shop;

/// A fingerprint of what a customer can see changed: their orders with versions, addresses and credit.
async fn picture(shop: &Twinshop) -> Vec<Value> {
    let admin = shop.rest("admin").unwrap();
    let mut seen = Vec::new();
    for path in
        ["/v1/orders?limit=100", "/v1/payments?limit=100", "/v1/refunds?limit=100", "/v1/reports/ledger"]
    {
        seen.push(admin.get(path).send().await.unwrap().body);
    }
    seen
}

#[tokio::test]
async fn rest_refuses_clearly_and_changes_nothing() {
    let shop = shop(&[]).await;
    let before = picture(&shop).await;
    let ada = shop.rest("ada").unwrap();
    let order = ada.get("/v1/orders?number=%231001").send().await.unwrap();
    let (id, version) = (order.text("/items/0/id").to_owned(), order.number("/items/0/version"));
    let customer = order.text("/items/0/customer_id").to_owned();
    let cancel = format!("/v1/orders/{id}/cancel");
    let addresses = format!("/v1/customers/{customer}/addresses");
    let huge = json!({ "reason": "x".repeat(70_000) });
    let reason = json!({ "reason": "no_longer_needed" });

    let wrong_kind = ada.get("/v1/orders/crt_01jz8q4w7c5v6n3m2k1h0g9f8e").send().await.unwrap();
    let cases = [
        ("wrong id kind", wrong_kind, 400, "validation_failed"),
        (
            "broken JSON",
            ada.request(reqwest::Method::POST, &addresses).raw("{").send().await.unwrap(),
            400,
            "validation_failed",
        ),
        (
            "unknown field",
            ada.post(&addresses, json!({ "lable": "x" })).send().await.unwrap(),
            400,
            "field_not_allowed",
        ),
        (
            "huge body",
            ada.post(&cancel, huge).key("k1").if_match(version).send().await.unwrap(),
            413,
            "body_too_large",
        ),
        (
            "missing key",
            ada.post(&cancel, reason.clone()).if_match(version).send().await.unwrap(),
            400,
            "idempotency_key_required",
        ),
        (
            "missing version",
            ada.post(&cancel, reason.clone()).key("k2").send().await.unwrap(),
            428,
            "if_match_required",
        ),
        (
            "stale version",
            ada.post(&cancel, reason.clone()).key("k3").if_match(version + 7).send().await.unwrap(),
            412,
            "version_conflict",
        ),
        ("bad limit", ada.get("/v1/orders?limit=1000").send().await.unwrap(), 400, "validation_failed"),
        (
            "foreign order",
            shop.rest("bob").unwrap().get(&format!("/v1/orders/{id}")).send().await.unwrap(),
            404,
            "not_found",
        ),
    ];
    for (name, reply, status, code) in cases {
        assert_eq!((reply.status, reply.text("/code")), (status, code), "{name}: {}", reply.body);
        assert!(reply.text("/detail").len() > 20, "{name} says what to do: {}", reply.body);
        assert_eq!(reply.text("/outcome"), "terminal_failure", "{name}");
    }
    let nobody = shop.rest("nobody").unwrap().get(&format!("/v1/orders/{id}")).send().await.unwrap();
    assert_eq!((nobody.status, nobody.text("/code")), (403, "forbidden"));
    assert_eq!(picture(&shop).await, before);
}

#[tokio::test]
async fn a_path_that_is_none_says_which_are() {
    let shop = shop(&[]).await;
    let ada = shop.rest("ada").unwrap();
    for base in ["", "/w/main"] {
        for (method, path, status, code, says) in [
            (reqwest::Method::GET, "/v1/order", 404, "no_such_route", "GET /v1/orders (list_orders)"),
            (reqwest::Method::GET, "/v1/orders/x/y/z", 404, "no_such_route", "/openapi.json"),
            (reqwest::Method::POST, "/wp-login.php", 404, "no_such_route", "/v1/"),
            (reqwest::Method::DELETE, "/v1/orders", 405, "method_not_allowed", "GET is list_orders"),
            (reqwest::Method::GET, "/v1/orders/x/cancel", 405, "method_not_allowed", "POST is cancel_order"),
        ] {
            let reply = ada.request(method, &format!("{base}{path}")).send().await.unwrap();
            assert_eq!((reply.status, reply.text("/code")), (status, code), "{path}: {}", reply.body);
            assert!(reply.text("/detail").contains(says), "{path}: {}", reply.body);
            assert_eq!(reply.number("/status"), i64::from(status), "{path}");
            assert_eq!(reply.text("/outcome"), "terminal_failure", "{path}");
        }
    }
}

#[tokio::test]
async fn both_doors_refuse_clearly_and_change_nothing() {
    let shop = shop(&[]).await;
    let before = picture(&shop).await;
    let crud = shop.crud("ada").unwrap();
    let unknown = crud
        .call("get_order", json!({ "order_id": "ord_01jz8q4w7c5v6n3m2k1h0g9f8e", "colour": "red" }))
        .await
        .unwrap();
    assert!(unknown.is_error && unknown.body.to_string().contains("colour"), "{}", unknown.body);
    let kind = crud.call("get_order", json!({ "order_id": "crt_01jz8q4w7c5v6n3m2k1h0g9f8e" })).await.unwrap();
    assert!(kind.is_error, "{}", kind.body);
    let missing =
        crud.call("cancel_order", json!({ "order_id": "ord_01jz8q4w7c5v6n3m2k1h0g9f8e" })).await.unwrap();
    assert!(missing.is_error, "{}", missing.body);

    let actions = shop.actions("ada").unwrap();
    for (tool, arguments) in [
        ("start_action", json!({ "capability": "fly_to_the_moon" })),
        ("start_action", json!({ "capability": "checkout", "colour": "red" })),
        ("get_context", json!({ "action_id": "act_01jz8q4w7c5v6n3m2k1h0g9f8e" })),
        ("advance_action", json!({ "action_id": "not an id", "version": 1, "patch": {} })),
        (
            "confirm_action",
            json!({ "action_id": "act_01jz8q4w7c5v6n3m2k1h0g9f8e", "approval": "perhaps", "idempotency_key": "k" }),
        ),
    ] {
        let reply = actions.call(tool, arguments).await.unwrap();
        assert!(reply.is_error, "{tool}: {}", reply.body);
        assert_eq!(reply.text("/outcome"), "terminal_failure", "{tool}: {}", reply.body);
        assert!(!reply.text("/reason").is_empty(), "{tool}: {}", reply.body);
    }
    assert_eq!(picture(&shop).await, before);
}
