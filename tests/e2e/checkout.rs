//! The article's checkout, word for word, through the Actions door; and the same through two hundred tools.

use serde_json::{Value, json};
use twinshop_testkit::{Mcp, ToolReply};

use crate::shop;

/// The tools a reply offers next.
pub(crate) fn offered(reply: &ToolReply) -> Vec<&str> {
    let actions = reply.body["next_actions"].as_array().map(Vec::as_slice).unwrap_or_default();
    actions.iter().filter_map(|action| action["tool"].as_str()).collect()
}

/// The id of the address that the customer calls so.
pub(crate) fn labelled<'a>(blocks: &'a Value, label: &str) -> &'a str {
    let blocks = blocks.as_array().map(Vec::as_slice).unwrap_or_default();
    let found = blocks.iter().find(|block| block["label"].as_str().is_some_and(|text| text.contains(label)));
    found.and_then(|block| block["id"].as_str()).unwrap_or_default()
}

/// From "two of these, ship to the office, pay with my card" to the boundary where money moves.
pub(crate) async fn to_the_boundary(door: &Mcp) -> ToolReply {
    let started = door.call("start_action", json!({ "capability": "checkout" })).await.unwrap();
    assert_eq!(started.text("/outcome"), "success", "{}", started.body);
    let item = started.text("/items/0/id");
    let office = labelled(&started.body["addresses"], "Office");
    let patch =
        json!({ "items": [{ "id": item, "quantity": 2 }], "address_id": office, "payment_type": "card" });
    let arguments = json!({ "action_id": started.text("/action_id"), "version": started.number("/version"), "patch": patch });
    door.call("advance_action", arguments).await.unwrap()
}

#[tokio::test]
async fn one_patch_reaches_the_boundary_and_one_yes_pays() {
    let shop = shop(&[]).await;
    let door = shop.actions("agent").unwrap();

    let found = door
        .call(
            "search_capabilities",
            json!({ "query": "Buy two of the item in my cart and ship it to the office" }),
        )
        .await
        .unwrap();
    assert_eq!(found.text("/matches/0/capability"), "checkout", "{}", found.body);

    let ready = to_the_boundary(&door).await;
    assert_eq!(ready.text("/node"), "CONFIRM_ORDER", "{}", ready.body);
    assert_eq!(ready.body["missing"], json!([]));
    assert_eq!(ready.body["requires_confirmation"], true);
    for field in ["amount", "address", "payment_type", "coupon"] {
        assert!(ready.body["summary"].get(field).is_some(), "summary.{field}: {}", ready.body["summary"]);
    }
    assert_eq!(offered(&ready), ["advance_action", "confirm_action"]);

    let action = ready.text("/action_id").to_owned();
    let confirm =
        json!({ "action_id": action, "approval": "approved", "idempotency_key": "req-20261026-001" });
    let submitted = door.call("confirm_action", confirm.clone()).await.unwrap();
    assert_eq!(
        (submitted.text("/node"), submitted.text("/status")),
        ("PAYMENT_SUBMITTED", "submitted"),
        "{}",
        submitted.body
    );
    assert_eq!(offered(&submitted), ["verify_action"]);
    let again = door.call("confirm_action", confirm).await.unwrap();
    assert_eq!(again.body["replayed"], true, "{}", again.body);

    let done = door.call("verify_action", json!({ "action_id": action })).await.unwrap();
    assert_eq!((done.text("/node"), done.text("/status")), ("DONE", "completed"), "{}", done.body);
    assert_eq!(done.body["next_actions"], json!([]));
    assert_eq!(done.number("/verification/amount"), ready.number("/summary/amount"));

    let captures = shop.admin().unwrap().gateway_ledger().await.unwrap();
    let amount = ready.number("/summary/amount");
    let taken = captures
        .iter()
        .filter(|line| line["effect"]["kind"] == "captured" && line["effect"]["amount_minor"] == amount);
    assert_eq!(taken.count(), 1, "charged once");
}

#[tokio::test]
async fn a_lost_answer_is_unknown_until_verify_finds_the_money() {
    let shop = shop(&["--fault", "lost_answer@capture:after*1"]).await;
    let door = shop.actions("agent").unwrap();
    let ready = to_the_boundary(&door).await;
    let action = ready.text("/action_id").to_owned();
    let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": "k-1" });
    let lost = door.call("confirm_action", confirm).await.unwrap();
    assert_eq!(lost.text("/status"), "unknown", "{}", lost.body);
    assert_eq!(lost.body["recoverable"], true);
    // Each strategy of recover is an offer of its own, and looking comes first.
    let mut ways = offered(&lost);
    ways.dedup();
    assert_eq!(ways, ["verify_action", "recover_action"]);

    let other_key = json!({ "action_id": action, "approval": "approved", "idempotency_key": "k-2" });
    door.call("confirm_action", other_key).await.unwrap();
    let done = door.call("verify_action", json!({ "action_id": action })).await.unwrap();
    assert_eq!(done.text("/status"), "completed", "{}", done.body);
    let ledger = shop.admin().unwrap().gateway_ledger().await.unwrap();
    let amount = ready.number("/summary/amount");
    assert_eq!(
        ledger
            .iter()
            .filter(|l| l["effect"]["kind"] == "captured" && l["effect"]["amount_minor"] == amount)
            .count(),
        1
    );
    let books = shop.rest("admin").unwrap().get("/v1/reports/ledger").send().await.unwrap();
    assert_eq!(books.number("/sum_minor"), 0);
}
