//! Views as results.

use mcp_actions_engine::parts::{NextAction, Tool as Name, ValidationError};
use mcp_actions_engine::{Outcome, Reason, View};
use mcp_host::{Problem, ProblemKind, Reply};
use serde::Serialize;
use serde_json::{Value, json};

/// The answer of a call that changed, or showed, an action.
pub(crate) fn view(view: &View) -> Reply {
    reply(view.outcome, view)
}

/// A body as a result. Only a failure that a repetition cannot cure is an error of the tool.
pub(crate) fn reply(outcome: Outcome, body: &impl Serialize) -> Reply {
    let structured = match serde_json::to_value(body) {
        Ok(structured) => structured,
        Err(cause) => {
            tracing::error!(%cause, "an answer could not be written");
            return Reply::error(
                json!({ "outcome": Outcome::TerminalFailure, "reason": Reason::Internal, "next_actions": [] }),
            );
        }
    };
    match outcome {
        Outcome::Success | Outcome::RetryableFailure => Reply::ok(structured),
        Outcome::TerminalFailure => Reply::error(structured),
    }
}

/// A failure with no action to show.
pub(crate) fn failure(reason: Reason, message: impl Into<String>) -> Reply {
    let mut failed = View::failure(reason, message);
    failed.next_actions = vec![begin()];
    view(&failed)
}

/// What the door refuses by itself, in the shape of a view.
pub(crate) fn refusal(problem: Problem) -> Value {
    let reason = reason(problem.kind);
    let mut view = View::failure(reason, problem.detail);
    view.retry_after_ms = problem.retry_after_ms;
    let error = |field: mcp_host::Field| {
        ValidationError::new(field.pointer.trim_start_matches('/'), reason, field.message)
    };
    view.validation_errors = problem.fields.into_iter().map(error).collect();
    view.next_actions = vec![begin()];
    serde_json::to_value(&view)
        .unwrap_or_else(|_| json!({ "outcome": view.outcome, "reason": view.reason, "next_actions": [] }))
}

fn reason(kind: ProblemKind) -> Reason {
    match kind {
        ProblemKind::ValidationFailed => Reason::ValidationFailed,
        ProblemKind::FieldNotAllowed => Reason::FieldNotAllowed,
        ProblemKind::Forbidden => Reason::Forbidden,
        ProblemKind::UpstreamUnavailable => Reason::UpstreamUnavailable,
        ProblemKind::OutcomeUnknown => Reason::OutcomeUnknown,
        ProblemKind::Internal => Reason::Internal,
    }
}

/// Searching is always possible; a refused call can also simply be made again, corrected.
fn begin() -> NextAction {
    NextAction::new(Name::SearchCapabilities, "Correct the call, or search for what the person wants")
}
