//! Clients of the seven primitives: one confirm, and four ways to go on when its outcome is unknown.

use anyhow::bail;
use serde_json::{Value, json};

use super::{Policy, TRIES_MAX};
use crate::expert::Session;
use crate::expert::actions::{fill_checkout, finish};
use crate::intent::Checkout;

/// Buys what is wanted and ends when the client believes that it is paid.
pub(super) async fn buy(session: &mut Session<'_>, words: &Checkout, policy: Policy) -> anyhow::Result<()> {
    for _ in 0..TRIES_MAX {
        let ready = fill_checkout(session, words).await?;
        let action = json!({ "action_id": ready["action_id"], "approval": "approved" });
        let view = confirm(session, &action, policy).await?;
        if is_paid(&view) {
            return Ok(());
        }
        match policy {
            // The whole job again: another action, which is another purchase.
            Policy::StartOver => {}
            Policy::ByTheBook => {
                let view = finish(session, view).await?;
                return if is_paid(&view) { Ok(()) } else { bail!("the action is {}", view["status"]) };
            }
            Policy::NewKey | Policy::SameKey => bail!("the action is {}", view["status"]),
        }
    }
    bail!("given up after {TRIES_MAX} purchases")
}

/// Confirms, and again where the client's habit is to repeat itself.
async fn confirm(session: &mut Session<'_>, action: &Value, policy: Policy) -> anyhow::Result<Value> {
    let mut arguments = action.clone();
    arguments["idempotency_key"] = session.key().into();
    let mut tries = 0;
    loop {
        tries += 1;
        let view = session.client.call("confirm_action", arguments.clone()).await?.structured;
        match policy {
            _ if is_paid(&view) || tries == TRIES_MAX => return Ok(view),
            Policy::StartOver | Policy::ByTheBook => return Ok(view),
            Policy::SameKey => {}
            Policy::NewKey => arguments["idempotency_key"] = session.key().into(),
        }
    }
}

/// Whether the client may believe that it is paid: submitted, or even verified.
fn is_paid(view: &Value) -> bool {
    view["outcome"] == "success" && matches!(view["status"].as_str(), Some("submitted" | "completed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_not_paid() {
        assert!(is_paid(&json!({ "outcome": "success", "status": "submitted" })));
        assert!(!is_paid(&json!({ "outcome": "retryable_failure", "status": "unknown" })));
        assert!(!is_paid(&json!({ "outcome": "terminal_failure", "status": "submitted" })));
    }
}
