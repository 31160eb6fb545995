//! All seven tools, from words to a verified end.

use mcp_actions_engine::testing::expense::Fault;

use super::*;

#[tokio::test]
async fn from_words_to_a_paid_claim() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    let found = agent.call("search_capabilities", json!({ "query": "reimburse my taxi", "limit": 3 })).await;
    assert_eq!(found.body["matches"][0]["capability"], "claim_expenses");
    let next = found.body["next_actions"][0].clone();
    assert_eq!(next["tool"], "start_action");

    let started = agent.call("start_action", next["args"].clone()).await;
    assert_eq!(started.text("outcome"), "success");
    assert!(started.offers("advance_action") && !started.offers("confirm_action"));

    let advance = json!({
        "action_id": started.text("action_id"), "version": started.body["version"],
        "patch": { "account_id": "office", "reason": "fair" }, "include": ["patch_schema"],
    });
    let ready = agent.call("advance_action", advance.clone()).await;
    assert_eq!((ready.text("node"), ready.body["missing"].clone()), ("CONFIRM_CLAIM", json!([])));
    assert!(ready.body["patch_schema"].is_object());
    let stale = agent.call("advance_action", advance).await;
    assert_eq!(stale.text("reason"), "version_conflict");
    assert_eq!(stale.body["version"], ready.body["version"]);

    let confirmed = agent.confirm(&ready, "k1").await;
    assert_eq!((confirmed.text("node"), confirmed.text("status")), ("CLAIM_SUBMITTED", "submitted"));
    let again = agent.confirm(&ready, "k1").await;
    assert_eq!(again.body["replayed"], true);

    let done = agent.call("verify_action", json!({ "action_id": ready.text("action_id") })).await;
    assert_eq!((done.text("status"), done.body["next_actions"].clone()), ("completed", json!([])));
    assert_eq!(done.body["verification"]["status"], "paid");
    assert_eq!(shop.office.count("pay"), 1);
}

#[tokio::test]
async fn an_unknown_outcome_is_looked_up_and_recovered_without_paying_twice() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    shop.office.plan("pay", Fault::LoseRequest);
    let ready = agent.ready().await;
    let lost = agent.confirm(&ready, "k1").await;
    assert_eq!((lost.text("status"), lost.text("reason")), ("unknown", "outcome_unknown"));
    assert!(!lost.is_error && lost.offers("verify_action") && lost.offers("recover_action"));

    let id = ready.text("action_id").to_owned();
    let looked = agent.call("verify_action", json!({ "action_id": id })).await;
    assert_eq!((looked.text("outcome"), looked.text("status")), ("retryable_failure", "unknown"));
    let retried = agent.call("recover_action", json!({ "action_id": id, "strategy": "retry" })).await;
    assert_eq!(retried.text("outcome"), "success");
    let done = agent.call("verify_action", json!({ "action_id": id })).await;
    assert_eq!(done.text("status"), "completed");
    assert_eq!(shop.office.count("pay"), 1);
}

#[tokio::test]
async fn context_is_an_action_or_an_object() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    let ready = agent.ready().await;
    let action = agent.call("get_context", json!({ "action_id": ready.text("action_id") })).await;
    assert_eq!(action.body["version"], ready.body["version"]);
    assert_eq!(action.body["patch_schema"]["additionalProperties"], false);
    let claim = agent.call("get_context", json!({ "entity": "Claim", "ref": "airport" })).await;
    assert_eq!(claim.text("id"), "clm_3");
    let missing = agent.call("get_context", json!({ "entity": "Claim", "ref": "yacht" })).await;
    assert_eq!((missing.text("reason"), missing.is_error), ("not_found", true));
    // Somebody else's action looks exactly like none.
    let mut other = shop.client("bob", json!({})).await;
    let hidden = other.call("get_context", json!({ "action_id": ready.text("action_id") })).await;
    assert_eq!(hidden.text("reason"), "not_found");
}

#[tokio::test]
async fn words_that_fit_several_things_are_resolved_by_the_person() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    let many =
        agent.call("start_action", json!({ "capability": "track_claim", "target": "the lunch" })).await;
    assert_eq!((many.text("outcome"), many.text("node")), ("success", "RESOLVE"));
    let pick = json!({
        "action_id": many.text("action_id"), "version": many.body["version"],
        "patch": { "target": many.body["candidates"][0]["id"] },
    });
    assert_eq!(agent.call("advance_action", pick).await.text("status"), "completed");
}

#[tokio::test]
async fn an_action_can_be_given_up() {
    let shop = Shop::new(ConsentLevel::Agent);
    let mut agent = shop.client("ada", json!({})).await;
    let ready = agent.ready().await;
    let cancel =
        json!({ "action_id": ready.text("action_id"), "version": ready.body["version"], "cancel": true });
    let canceled = agent.call("advance_action", cancel).await;
    assert_eq!((canceled.text("status"), canceled.body["next_actions"].clone()), ("canceled", json!([])));
    assert!(shop.office.held().is_empty());
}
