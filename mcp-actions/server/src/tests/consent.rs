//! The person's yes, in each level.

use super::*;

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

fn pages() -> Value {
    json!({ "elicitation": { "url": {} } })
}

#[tokio::test]
async fn a_client_that_shows_forms_brings_the_persons_yes() {
    let shop = Shop::new(ConsentLevel::Client);
    let mut agent = shop.client("ada", forms()).await;
    let ready = agent.ready().await;
    assert_eq!(ready.body["consent"]["level"], "client");
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let (asked, confirmed) = agent.call_answering("confirm_action", confirming(&ready, "k"), yes).await;
    assert!(asked["message"].as_str().unwrap().contains("amount: 1.00 EUR"), "{asked}");
    assert_eq!(confirmed.text("status"), "submitted");
    assert_eq!(confirmed.body["consent"]["status"], "spent");
    // The same call again is answered from the store, and nobody is asked.
    assert_eq!(agent.confirm(&ready, "k").await.body["replayed"], true);
}

#[tokio::test]
async fn anything_but_a_clear_yes_spends_nothing() {
    let shop = Shop::new(ConsentLevel::Client);
    let mut agent = shop.client("ada", forms()).await;
    for (person, reason, is_final) in [
        (json!({ "action": "cancel" }), "consent_required", false),
        (json!({ "action": "decline" }), "approval_rejected", true),
        (json!({ "action": "accept", "content": { "approve": false } }), "approval_rejected", true),
        (json!({ "action": "accept", "content": {} }), "approval_rejected", true),
    ] {
        let ready = agent.ready().await;
        let (_, answer) =
            agent.call_answering("confirm_action", confirming(&ready, "k"), person.clone()).await;
        assert_eq!((answer.text("reason"), answer.is_error), (reason, is_final), "{person}");
        assert_eq!(answer.text("status"), "ready_for_confirmation");
        assert!(answer.offers("confirm_action"));
    }
    assert_eq!(shop.office.count("file"), 0);
}

#[tokio::test]
async fn a_summary_that_changed_while_the_person_read_it_needs_a_new_yes() {
    let shop = Shop::new(ConsentLevel::Client);
    let mut agent = shop.client("ada", forms()).await;
    let ready = agent.ready().await;
    let asked = agent
        .request("tools/call", json!({ "name": "confirm_action", "arguments": confirming(&ready, "k") }))
        .await;
    let mut second = shop.client("ada", forms()).await;
    let change = json!({
        "action_id": ready.text("action_id"), "version": ready.body["version"],
        "patch": { "items": [{ "id": "taxi", "amount": 700 }] },
    });
    assert_eq!(second.call("advance_action", change).await.text("outcome"), "success");
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    agent.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": yes })).await;
    let answer = agent.read().await;
    let stale = agent.checked("confirm_action", &answer);
    assert_eq!(stale.text("reason"), "consent_stale");
    assert_eq!((shop.office.count("file"), stale.offers("confirm_action")), (0, true));
}

#[tokio::test]
async fn without_forms_only_the_persons_own_page_counts() {
    let shop = Shop::new(ConsentLevel::Client);
    let mut mute = shop.client("ada", json!({})).await;
    let ready = mute.ready().await;
    let asked = mute.confirm(&ready, "k").await;
    assert_eq!((asked.text("reason"), asked.is_error), ("consent_required", false));
    assert_eq!(asked.body["consent"]["level"], "human");
    assert!(asked.body["consent"]["url"].as_str().unwrap().starts_with("http://office.test/consents/"));
    assert!(asked.body["retry_after_ms"].is_u64());
}

#[tokio::test]
async fn a_client_that_opens_pages_sends_the_person_there_and_says_nothing_for_them() {
    let shop = Shop::new(ConsentLevel::Human);
    let mut agent = shop.client("ada", pages()).await;
    let ready = agent.ready().await;
    let person = json!({ "action": "accept" });
    let (asked, answer) = agent.call_answering("confirm_action", confirming(&ready, "k"), person).await;
    assert_eq!((asked["mode"].as_str(), &asked["url"]), (Some("url"), &ready.body["consent"]["url"]));
    // Opening the page is no answer yet.
    assert_eq!(answer.text("reason"), "consent_required");
    assert_eq!(shop.office.count("file"), 0);
}

#[tokio::test]
async fn a_rejection_passed_on_keeps_everything_filled_in() {
    let shop = Shop::new(ConsentLevel::Client);
    let mut agent = shop.client("ada", forms()).await;
    let ready = agent.ready().await;
    let no = json!({ "action_id": ready.text("action_id"), "approval": "rejected", "idempotency_key": "no" });
    let rejected = agent.call("confirm_action", no).await;
    assert_eq!((rejected.text("outcome"), rejected.text("status")), ("success", "ready_for_confirmation"));
    assert!(rejected.offers("advance_action") && rejected.offers("confirm_action"));
}

#[tokio::test]
async fn without_sessions_the_confirm_comes_again_with_the_answer() {
    let shop = Shop::new(ConsentLevel::Client);
    let mut agent = shop.client("ada", forms()).await;
    let ready = agent.ready().await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "new", "version": "2" },
        "io.modelcontextprotocol/clientCapabilities": forms(),
    });
    let identity = Identity::new("ada", "test", Clerk::new(&shop.world, "ada"));
    let mut newer = Client::stateless(&shop.door, identity, &agent);
    let first = json!({ "name": "confirm_action", "arguments": confirming(&ready, "k"), "_meta": meta });
    let asked = newer.request("tools/call", first.clone()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert_eq!(shop.office.count("file"), 0);

    let mut retry = first;
    retry["requestState"] = asked["result"]["requestState"].clone();
    retry["inputResponses"] = json!({ "consent": { "action": "accept", "content": { "approve": true } } });
    let answer = newer.request("tools/call", retry.clone()).await;
    assert_eq!(newer.checked("confirm_action", &answer).text("status"), "submitted");
    let again = newer.request("tools/call", retry).await;
    assert_eq!(newer.checked("confirm_action", &again).body["replayed"], true);
    assert_eq!(shop.office.count("pay"), 1);
}
