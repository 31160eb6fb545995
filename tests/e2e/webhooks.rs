//! The gateway tells the shop what happened, and the shop believes it only after a look.

use serde_json::{Value, json};
use twinshop_testkit::{Twinshop, wait_until};

use crate::checkout::to_the_boundary;
use crate::shop;

const FROZEN: [&str; 2] = ["--frozen-at", "2026-03-02T09:00:00Z"];

/// A checkout whose capture was made and whose answer got lost.
async fn lose_the_answer(shop: &Twinshop) -> String {
    let door = shop.actions("agent").unwrap();
    let ready = to_the_boundary(&door).await;
    let action = ready.text("/action_id").to_owned();
    let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": "k-1" });
    let lost = door.call("confirm_action", confirm).await.unwrap();
    assert_eq!(lost.text("/status"), "unknown", "{}", lost.body);
    action
}

/// The newest payment, which is the action's.
async fn payment(shop: &Twinshop) -> anyhow::Result<String> {
    let payments = shop.rest("admin")?.get("/v1/payments?limit=1").send().await?;
    Ok(payments.text("/items/0/status").to_owned())
}

async fn webhooks(shop: &Twinshop) -> Vec<Value> {
    let mut lines = shop.admin().unwrap().journal().await.unwrap();
    lines.retain(|entry| entry["line"]["door"] == "webhook");
    lines
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_the_gateways_word_without_anybody_asking() {
    let shop = shop(&[&FROZEN[..], &["--fault", "lost_answer@capture:after*1"]].concat()).await;
    let action = lose_the_answer(&shop).await;
    assert_eq!(payment(&shop).await.unwrap(), "unknown");
    assert_eq!(webhooks(&shop).await.len(), 0, "nothing happens by itself in a world that stands still");

    // The clock does not move, so the settler's own time has not come: only the hint can be the reason.
    let admin = shop.admin().unwrap();
    admin.drain().await.unwrap();
    assert_eq!(payment(&shop).await.unwrap(), "captured");
    let mut told = webhooks(&shop).await;
    // Seeded disputes are decided too: their time is over where this clock stands.
    told.retain(|entry| entry["line"]["operation"] != "payment.dispute_closed");
    let kinds: Vec<&str> = told.iter().filter_map(|entry| entry["line"]["operation"].as_str()).collect();
    assert_eq!(kinds, ["payment.authorized", "payment.captured"]);
    assert!(told.iter().all(|entry| entry["line"]["outcome"] == "taken" && entry["line"]["key"].is_string()));

    admin.advance(5_000).await.unwrap();
    let door = shop.actions("agent").unwrap();
    let view = door.call("get_context", json!({ "action_id": action })).await.unwrap();
    assert_eq!(view.text("/status"), "submitted", "the action went on by itself: {}", view.body);
}

#[tokio::test]
async fn in_a_running_world_the_gateway_tells_at_once() {
    let shop = shop(&["--fault", "lost_answer@capture:after*1", "--fault", "webhook_duplicate"]).await;
    lose_the_answer(&shop).await;
    let shop = &shop;
    wait_until("the payment to be settled", || async move { Ok(payment(shop).await? == "captured") })
        .await
        .unwrap();
    wait_until("both events, twice", || async move { Ok(webhooks(shop).await.len() >= 4) }).await.unwrap();
    let books = shop.rest("admin").unwrap().get("/v1/reports/payment-reconciliation").send().await.unwrap();
    // The seeded shop has outcomes that nobody knows; a difference that is none of those would be ours.
    let known =
        books.body["differences"].as_array().unwrap().iter().filter(|found| found["is_unknown"] == false);
    assert_eq!(known.count(), 0, "{}", books.body);
}

#[tokio::test]
async fn a_hint_that_the_gateway_did_not_sign_is_turned_away() {
    let shop = shop(&FROZEN).await;
    let rest = shop.rest("admin").unwrap();
    for path in ["/hooks/gateway", "/w/main/hooks/gateway"] {
        let forged =
            rest.post(path, json!({})).header("gateway-signature", "t=1,v1=00").send().await.unwrap();
        assert_eq!((forged.status, forged.text("/code")), (401, "authentication_required"), "{path}");
        let unsigned = rest.post(path, json!({})).send().await.unwrap();
        assert_eq!(unsigned.status, 401, "{path}");
    }
    let nowhere = rest.post("/w/nowhere/hooks/gateway", json!({})).send().await.unwrap();
    assert_eq!(nowhere.status, 404);
    let document = rest.get("/openapi.json").send().await.unwrap();
    let paths = document.body["paths"].as_object().unwrap();
    assert!(paths.keys().all(|path| !path.contains("hooks/gateway")));

    // Whatever the gateway's own words, a forged delivery of them is turned away too.
    let admin = shop.admin().unwrap();
    admin.put_faults(json!([{ "fault": "webhook_bad_signature" }])).await.unwrap();
    let door = shop.actions("agent").unwrap();
    let ready = to_the_boundary(&door).await;
    let confirm =
        json!({ "action_id": ready.text("/action_id"), "approval": "approved", "idempotency_key": "k" });
    door.call("confirm_action", confirm).await.unwrap();
    admin.drain().await.unwrap();
    let told = webhooks(&shop).await;
    assert!(told.len() > 4 && told.iter().all(|entry| entry["line"]["outcome"] == "authentication_required"));
}
