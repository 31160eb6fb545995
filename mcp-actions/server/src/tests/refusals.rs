//! What is refused, and what a refusal teaches.

use super::*;

#[tokio::test]
async fn a_refused_call_looks_like_a_view_and_changes_nothing() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    let ready = agent.ready().await;
    let id = ready.text("action_id").to_owned();
    for (tool, arguments, reason, word) in [
        ("search_capabilities", json!({}), "validation_failed", "query"),
        ("search_capabilities", json!({ "query": "x", "limit": 11 }), "validation_failed", "limit"),
        (
            "start_action",
            json!({ "capability": "claim_expenses", "qty": 1 }),
            "field_not_allowed",
            "target, patch",
        ),
        (
            "start_action",
            json!({ "capability": "claim_expenses", "patch": { "qty": 1 } }),
            "field_not_allowed",
            "qty",
        ),
        ("start_action", json!({ "capability": "fly" }), "not_found", "fly"),
        ("get_context", json!({}), "validation_failed", "action_id"),
        ("get_context", json!({ "entity": "Claim" }), "validation_failed", "ref"),
        ("get_context", json!({ "action_id": id, "ref": "x" }), "validation_failed", "either"),
        ("advance_action", json!({ "action_id": id }), "validation_failed", "version"),
        ("advance_action", json!({ "action_id": id, "version": -1 }), "validation_failed", "read"),
        ("advance_action", json!({ "action_id": id, "version": 1 }), "validation_failed", "empty"),
        (
            "confirm_action",
            json!({ "action_id": id, "approval": "yes", "idempotency_key": "k" }),
            "validation_failed",
            "approval",
        ),
        (
            "confirm_action",
            json!({ "action_id": id, "approval": "approved" }),
            "validation_failed",
            "idempotency_key",
        ),
        (
            "confirm_action",
            json!({ "action_id": id, "approval": "approved", "idempotency_key": " " }),
            "idempotency_key_required",
            "key",
        ),
        ("verify_action", json!({ "action_id": id }), "action_not_allowed", "verify_action"),
        ("recover_action", json!({ "action_id": id, "strategy": "retry" }), "action_not_allowed", "offered"),
        ("verify_action", json!({ "action_id": "act_nothing" }), "not_found", "act_nothing"),
    ] {
        let refused = agent.call(tool, arguments.clone()).await;
        assert_eq!((refused.text("reason"), refused.is_error), (reason, true), "{tool} {arguments}");
        assert!(refused.text("message").contains(word), "{tool}: {}", refused.body);
        if matches!(reason, "validation_failed" | "field_not_allowed") {
            assert_ne!(refused.body["next_actions"], json!([]), "{tool} {arguments}");
        }
    }
    let after = agent.call("get_context", json!({ "action_id": id })).await;
    assert_eq!(after.body["version"], ready.body["version"]);
}

#[tokio::test]
async fn a_tool_that_does_not_exist_is_an_error_of_the_protocol() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    let answer = agent.request("tools/call", json!({ "name": "pay", "arguments": {} })).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn an_identity_of_another_door_gets_nowhere() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut stranger = Client::open(&shop.door, Identity::new("ada", "test", 1_u32), json!({})).await;
    let refused = stranger.call("search_capabilities", json!({ "query": "lunch" })).await;
    assert_eq!(refused.text("reason"), "internal");
}
