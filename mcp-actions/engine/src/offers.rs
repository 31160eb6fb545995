//! Which calls are offered now: `next_actions`, computed from state alone. What is not offered is refused.

use crate::about::About;
use crate::flow::Facts;
use crate::node::RESOLVE;
use crate::parts::{NextAction, Tool};
use crate::plan::Plan;
use crate::record::{EffectState, Record, Status};

/// A safe way on for an action that is stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The original key once more, and only after a look-up that found nothing.
    Retry,
    /// Fence the key, undo what turned up, release what was held.
    Abandon,
}

impl Strategy {
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Abandon => "abandon",
        }
    }
}

/// The plan and facts behind a view of an action that is still being filled in.
pub struct Judged {
    pub facts: Box<dyn Facts>,
    pub plan: Plan,
}

/// Whether confirming is offered: at the confirm node, with nothing missing and nothing wrong.
#[must_use]
pub fn may_confirm(record: &Record, plan: Option<&Plan>) -> bool {
    record.status == Status::ReadyForConfirmation
        && record.closing.is_none()
        && plan.is_none_or(Plan::is_ready)
}

#[must_use]
pub fn may_patch(record: &Record) -> bool {
    record.status.is_open() && record.closing.is_none()
}

/// Whether the action can be given up without asking anybody outside.
#[must_use]
pub fn may_cancel(record: &Record) -> bool {
    let waits =
        record.status == Status::AwaitingApproval && record.is_untouched() && record.closing.is_none();
    may_patch(record) || waits
}

#[must_use]
pub fn may_verify(record: &Record) -> bool {
    match record.status {
        Status::Submitted | Status::Unknown => true,
        Status::Incomplete
        | Status::ReadyForConfirmation
        | Status::AwaitingApproval
        | Status::Completed
        | Status::Failed
        | Status::Canceled
        | Status::Expired => false,
    }
}

/// The ways out that `recover_action` takes now.
#[must_use]
pub fn strategies(record: &Record) -> Vec<Strategy> {
    let state = record.open_effect().map(|effect| effect.state);
    match (record.status, state) {
        (Status::Unknown | Status::Submitted, _) if record.closing.is_some() => vec![Strategy::Abandon],
        (Status::Unknown, Some(EffectState::Differs)) => vec![Strategy::Abandon],
        (Status::Unknown, _) => vec![Strategy::Retry, Strategy::Abandon],
        (Status::Submitted, Some(EffectState::Intended)) => vec![Strategy::Retry, Strategy::Abandon],
        (Status::Submitted, Some(EffectState::AwaitingEvent)) => vec![Strategy::Abandon],
        (Status::Failed, _) if record.is_reopenable() => vec![Strategy::Retry],
        (
            Status::Incomplete
            | Status::ReadyForConfirmation
            | Status::AwaitingApproval
            | Status::Submitted
            | Status::Completed
            | Status::Failed
            | Status::Canceled
            | Status::Expired,
            _,
        ) => Vec::new(),
    }
}

/// Everything offered now, in the order a caller should consider it. Empty means finished.
#[must_use]
pub fn next_actions(about: &About, record: &Record, plan: Option<&Plan>) -> Vec<NextAction> {
    let mut offered = Vec::new();
    if may_patch(record) {
        offered.push(advance(record, plan));
    }
    if may_confirm(record, plan) {
        let confirm = call(record, Tool::ConfirmAction, confirm_words(about)).with("version", record.version);
        offered.push(if about.requires_approval { confirm.needing_consent() } else { confirm });
    }
    let waits = plan.is_some_and(|plan| plan.waiting.is_some());
    if record.status == Status::AwaitingApproval || waits {
        offered.push(call(record, Tool::GetContext, "Look whether the wait is over"));
    }
    if record.status == Status::AwaitingApproval && may_cancel(record) {
        let give_up = call(record, Tool::AdvanceAction, "Withdraw the request and give the action up");
        offered.push(give_up.with("version", record.version).with("cancel", true));
    }
    if may_verify(record) {
        offered.push(call(record, Tool::VerifyAction, verify_words(record)));
    }
    for strategy in strategies(record) {
        let recover = call(record, Tool::RecoverAction, recover_words(record, strategy));
        offered.push(recover.with("strategy", strategy.word()));
    }
    if let (Status::Failed, Some(trouble)) = (record.status, &record.trouble) {
        offered.extend(trouble.next_actions.iter().cloned());
    }
    offered
}

fn call(record: &Record, tool: Tool, description: &str) -> NextAction {
    NextAction::new(tool, description).with("action_id", record.id.clone())
}

fn advance(record: &Record, plan: Option<&Plan>) -> NextAction {
    let words = match plan {
        _ if record.node == RESOLVE => {
            "Say which of the candidates is meant: patch target with its id, or cancel"
        }
        Some(plan) if !plan.errors.is_empty() => "Mend the fields listed in validation_errors, or cancel",
        Some(plan) if !plan.missing.is_empty() => {
            "Fill in the fields listed in missing, in one patch, or cancel"
        }
        Some(plan) if plan.waiting.is_some() => {
            "Nothing is missing; change a field of allowed_patch, or cancel"
        }
        Some(_) | None => "Change any field of allowed_patch, or cancel",
    };
    call(record, Tool::AdvanceAction, words).with("version", record.version)
}

fn confirm_words(about: &About) -> &'static str {
    if about.requires_approval {
        "Carry out exactly what summary says; the person must have agreed to it"
    } else {
        "Carry out exactly what summary says"
    }
}

fn verify_words(record: &Record) -> &'static str {
    if record.status == Status::Unknown {
        "Ask the outside system first what really happened; do not submit again"
    } else {
        "Check with the outside system that it really happened"
    }
}

fn recover_words(record: &Record, strategy: Strategy) -> &'static str {
    match (strategy, record.status == Status::Failed) {
        (Strategy::Retry, true) => {
            "Open the action again, with everything still filled in, to change what was refused"
        }
        (Strategy::Retry, false) => "If verification finds nothing, retry with the original idempotency key",
        (Strategy::Abandon, _) => "Give it up: make sure nothing can happen any more, and undo what did",
    }
}
