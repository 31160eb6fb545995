//! What a model is told about the seven tools. Every character here is read before every conversation.

use mcp_actions_engine::parts::Tool as Name;
use mcp_host::{Hints, Tool};

use crate::schema;

pub(crate) const ALL: [Name; 7] = [
    Name::SearchCapabilities,
    Name::StartAction,
    Name::GetContext,
    Name::AdvanceAction,
    Name::ConfirmAction,
    Name::VerifyAction,
    Name::RecoverAction,
];

const READS: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
const ASKS_OUTSIDE: Hints = Hints { open_world: true, ..READS };
const FILLS_IN: Hints = Hints { read_only: false, destructive: false, idempotent: false, open_world: false };
const ACTS: Hints = Hints { read_only: false, destructive: true, idempotent: true, open_world: true };

pub(crate) fn all() -> Vec<Tool> {
    ALL.into_iter().map(tool).collect()
}

pub(crate) fn named(name: &str) -> Option<Name> {
    ALL.into_iter().find(|tool| tool.name() == name)
}

fn tool(name: Name) -> Tool {
    let (title, description, hints) = words(name);
    Tool::new(name.name(), description, schema::input(name))
        .with_title(title)
        .with_output(schema::output(name))
        .with_hints(hints)
}

fn words(name: Name) -> (&'static str, &'static str, Hints) {
    match name {
        Name::SearchCapabilities => (
            "Find what can be done",
            "Start here. Finds the capability for what the person wants, in their own words, and what the words may \
             mean (candidates). Then make a call of next_actions.",
            READS,
        ),
        Name::StartAction => (
            "Start an action",
            "Opens one action and takes it as far as patch allows: give every field already known, of any step. target \
             is an id or words; where several things fit, choose among candidates. Nothing is bought or changed yet.",
            FILLS_IN,
        ),
        Name::GetContext => (
            "Read an action or an object",
            "Reads an action as it stands with patch_schema (action_id), or one business object with what can be done \
             to it (entity and ref).",
            READS,
        ),
        Name::AdvanceAction => (
            "Fill in, change or cancel",
            "Applies a patch of any number of fields, or gives the action up (cancel). Values that depend on something \
             still wrong wait as pending. version is the last one you saw; on version_conflict decide anew.",
            FILLS_IN,
        ),
        Name::ConfirmAction => (
            "Confirm",
            "Carries out exactly what summary says. Show it to the person: the yes must be theirs. consent_required: \
             they have not answered yet (they can at consent.url); confirm again with the same idempotency_key. Use a \
             new key for each intent. Then verify.",
            ACTS,
        ),
        Name::VerifyAction => (
            "Verify",
            "Asks the outside system what really happened; changes nothing there. Call it after confirm and before any \
             retry.",
            ASKS_OUTSIDE,
        ),
        Name::RecoverAction => (
            "Recover",
            "The safe way on from unknown or failed: it looks before it acts and never pays twice. Use this, never a \
             second action. retry: the original key again, only if nothing happened. abandon: undo and release.",
            ACTS,
        ),
    }
}
