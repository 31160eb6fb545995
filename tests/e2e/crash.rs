//! `kill -9` at every durable step of a checkout: after a restart everything is final or can be recovered, and
//! nobody paid twice.

use serde_json::{Value, json};
use twinshop_testkit::{Twinshop, wait_until};

use crate::checkout::to_the_boundary;
use crate::shop;

/// The list in `shop/world/src/steps.rs`, as the binary names it when it is asked for a step that does not exist.
fn steps() -> Vec<String> {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_twinshop"))
        .args(["up", "--port", "0", "--crash", "none:before"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let names = text.split("steps are ").nth(1).unwrap_or_else(|| panic!("{text}"));
    names.trim().split(", ").map(str::to_owned).collect()
}

/// Charges that took money and kept it, by reference.
fn kept(ledger: &[Value]) -> i64 {
    let amount = |line: &Value| line["effect"]["amount_minor"].as_i64().unwrap_or(0);
    ledger
        .iter()
        .map(|line| match line["effect"]["kind"].as_str() {
            Some("captured") => amount(line),
            Some("refunded") => -amount(line),
            _ => 0,
        })
        .sum()
}

async fn captured_by_rows(shop: &Twinshop) -> i64 {
    let report = shop.rest("admin").unwrap().get("/v1/reports/payment-reconciliation").send().await.unwrap();
    assert_eq!(report.status, 200, "{}", report.body);
    report.number("/shop_minor")
}

async fn survives(point: &str) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("shop.db");
    let database = database.to_str().unwrap();
    let mut first = shop(&["--database", database, "--crash", point]).await;
    let before = kept(&first.admin().unwrap().gateway_ledger().await.unwrap());
    let door = first.actions("agent").unwrap();
    let ready = to_the_boundary(&door).await;
    let (action, amount) = (ready.text("/action_id").to_owned(), ready.number("/summary/amount"));
    let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": "k-1" });
    let cut = door.call("confirm_action", confirm.clone()).await;
    assert!(cut.is_err(), "the process died at {point} before it answered");
    first.ended().await.unwrap();

    let second = shop(&["--database", database]).await;
    let door = second.actions("agent").unwrap();
    wait_until("the action to be final or recoverable", || {
        let (door, action, confirm) = (door.clone(), action.clone(), confirm.clone());
        async move {
            let view = door.call("get_context", json!({ "action_id": action })).await?;
            match view.text("/status") {
                "completed" | "failed" | "canceled" => Ok(true),
                "ready_for_confirmation" => {
                    door.call("confirm_action", confirm).await?;
                    Ok(false)
                }
                "submitted" | "unknown" => {
                    let tool =
                        if view.text("/status") == "unknown" { "recover_action" } else { "verify_action" };
                    door.call(tool, json!({ "action_id": action })).await?;
                    Ok(false)
                }
                other => anyhow::bail!("{other} after a crash at {point}: {}", view.body),
            }
        }
    })
    .await
    .unwrap();
    let view = door.call("get_context", json!({ "action_id": action })).await.unwrap();
    let ledger = second.admin().unwrap().gateway_ledger().await.unwrap();
    let expected = if view.text("/status") == "completed" { amount } else { 0 };
    assert_eq!(kept(&ledger) - before, expected, "{point}: {}", view.body);
    let books = second.rest("admin").unwrap().get("/v1/reports/ledger").send().await.unwrap();
    assert_eq!(books.number("/sum_minor"), 0, "{point}");
    assert!(captured_by_rows(&second).await >= expected, "{point}");
}

#[tokio::test]
async fn a_checkout_survives_a_kill_at_every_step() {
    let steps = steps();
    assert!(steps.len() >= 7, "{steps:?}");
    for step in steps {
        for moment in ["before", "after"] {
            survives(&format!("{step}:{moment}")).await;
        }
    }
}
