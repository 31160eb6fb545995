//! Experts on the seven primitives: start, one patch, confirm, verify; what comes next is read from `next_actions`.

mod checkout;
mod flows;

pub(crate) use checkout::fill_checkout;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use super::{Refusal, Session};
use crate::intent::Intent;

/// Calls after a confirm at most; after that somebody else must look.
const TRIES_MAX: usize = 6;

pub(crate) async fn perform(session: &mut Session<'_>, intent: &Intent) -> anyhow::Result<()> {
    if let Intent::Checkout(words) = intent {
        return checkout::checkout(session, words).await;
    }
    flows::perform(session, intent).await
}

impl Session<'_> {
    /// One primitive, as it answered.
    pub(super) async fn primitive(&mut self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        Ok(self.client.call(tool, arguments).await?.structured)
    }

    /// Starts an action, with whatever is known already.
    pub(crate) async fn start(
        &mut self,
        capability: &str,
        target: Option<&str>,
        patch: Value,
    ) -> anyhow::Result<Value> {
        let mut arguments = json!({ "capability": capability });
        if let Some(target) = target {
            arguments["target"] = target.into();
        }
        if patch.as_object().is_some_and(|patch| !patch.is_empty()) {
            arguments["patch"] = patch;
        }
        let view = self.primitive("start_action", arguments).await?;
        succeeded(view)
    }

    /// Fills in more.
    pub(crate) async fn advance(&mut self, view: &Value, patch: Value) -> anyhow::Result<Value> {
        let arguments = json!({ "action_id": view["action_id"], "version": view["version"], "patch": patch });
        let view = self.primitive("advance_action", arguments).await?;
        succeeded(view)
    }

    /// Spends the person's yes.
    pub(crate) async fn confirm(&mut self, view: &Value) -> anyhow::Result<Value> {
        let arguments =
            json!({ "action_id": view["action_id"], "approval": "approved", "idempotency_key": self.key() });
        self.primitive("confirm_action", arguments).await
    }
}

/// A success, or the refusal that came instead. What is only unknown or awaited is no refusal.
pub(crate) fn succeeded(view: Value) -> anyhow::Result<Value> {
    match view["outcome"].as_str() {
        Some("success" | "retryable_failure") => Ok(view),
        // The view of an entity has no outcome of its own.
        None if view["entity"].is_string() => Ok(view),
        // The action lives on and says what to mend.
        Some(_) if errors(&view).next().is_some() && view["action_id"].is_string() => Ok(view),
        Some(_) | None => Err(refusal(&view).into()),
    }
}

/// What is wrong with what was filled in.
fn errors(view: &Value) -> impl Iterator<Item = &Value> {
    view["validation_errors"].as_array().into_iter().flatten()
}

fn refusal(view: &Value) -> Refusal {
    let word = |name: &str| view[name].as_str().unwrap_or_default().to_owned();
    let errors = &view["validation_errors"];
    let detail =
        if errors.as_array().is_none_or(Vec::is_empty) { String::new() } else { format!(" {errors}") };
    Refusal { code: word("reason"), reason: word("reason"), detail: format!("{}{detail}", word("message")) }
}

/// Confirms what stands ready and sees it through.
pub(crate) async fn carry_out(session: &mut Session<'_>, ready: Value) -> anyhow::Result<()> {
    if ready["next_actions"].as_array().is_some_and(Vec::is_empty) {
        return Ok(());
    }
    if ready["requires_confirmation"] != true {
        return Err(unready(&ready));
    }
    let view = session.confirm(&ready).await?;
    let view = finish(session, view).await?;
    match view["status"].as_str() {
        Some("completed") => Ok(()),
        Some(_) | None => Err(refusal(&view).into()),
    }
}

/// Why an action cannot be confirmed: a refusal when the shop says so, else the expert left something out.
fn unready(view: &Value) -> anyhow::Error {
    match errors(view).next() {
        Some(error) => Refusal {
            code: error["code"].as_str().unwrap_or_default().to_owned(),
            reason: error["code"].as_str().unwrap_or_default().to_owned(),
            detail: error["message"].as_str().unwrap_or_default().to_owned(),
        }
        .into(),
        None => anyhow::anyhow!("the action stands at {} and misses {}", view["node"], view["missing"]),
    }
}

/// After a confirm: verify, recover or wait, as `next_actions` says, until nothing is left to do.
pub(crate) async fn finish(session: &mut Session<'_>, mut view: Value) -> anyhow::Result<Value> {
    for _ in 0..TRIES_MAX {
        if view["status"] == "awaiting_approval" {
            session.outside.approve_waiting().await?;
            view = session.primitive("get_context", json!({ "action_id": view["action_id"] })).await?;
            continue;
        }
        let Some(next) = next(&view) else { return Ok(view) };
        let tool = next["tool"].as_str().context("a next action without a tool")?;
        if !matches!(tool, "verify_action" | "recover_action" | "get_context") {
            return Ok(view);
        }
        let arguments = if next["args"].is_object() {
            next["args"].clone()
        } else {
            json!({ "action_id": view["action_id"] })
        };
        let seen = session.primitive(tool, arguments).await?;
        // Looking found nothing: the next thing on the list is the way on.
        if tool == "verify_action" && seen["outcome"] != "success" && seen["status"] == "unknown" {
            view = recover(session, &seen).await?;
        } else {
            view = seen;
        }
    }
    bail!("the action never came to an end: it is {}", view["status"])
}

fn next(view: &Value) -> Option<&Value> {
    view["next_actions"].as_array()?.first()
}

async fn recover(session: &mut Session<'_>, view: &Value) -> anyhow::Result<Value> {
    let offered = view["next_actions"].as_array().into_iter().flatten();
    let way = offered
        .into_iter()
        .find(|next| next["tool"] == "recover_action")
        .context("there is no way to recover")?;
    let arguments =
        if way["args"].is_object() { way["args"].clone() } else { json!({ "action_id": view["action_id"] }) };
    session.primitive("recover_action", arguments).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unknown_or_awaited_is_no_refusal() {
        assert!(succeeded(json!({ "outcome": "success" })).is_ok());
        assert!(succeeded(json!({ "outcome": "retryable_failure", "reason": "approval_pending" })).is_ok());
        let refused = succeeded(
            json!({ "outcome": "terminal_failure", "reason": "not_eligible", "message": "shipped" }),
        );
        let error = refused.unwrap_err();
        assert_eq!(error.downcast_ref::<Refusal>().unwrap().code, "not_eligible");
        assert!(succeeded(json!({ "outcome": "something new" })).is_err());
    }

    #[test]
    fn an_action_that_is_not_ready_says_why() {
        let wrong = json!({ "validation_errors": [{ "code": "out_of_stock", "message": "none left" }] });
        assert_eq!(unready(&wrong).downcast_ref::<Refusal>().unwrap().code, "out_of_stock");
        let missing = json!({ "validation_errors": [], "node": "ADDRESS", "missing": ["address_id"] });
        assert!(unready(&missing).to_string().contains("address_id"));
    }
}
