//! The schemas of arguments and answers.
//!
//! Arguments are closed: an unknown one is refused. Answers are open: a failure has fewer fields than a success, and
//! flows add blocks of their own, so only what every answer has is required.

use mcp_actions_engine::parts::Tool as Name;
use serde_json::{Map, Value, json};

const STRINGS: &[&str] = &["message", "action_id", "capability", "entity", "node", "status", "external_id"];
const NUMBERS: &[&str] = &["version", "confidence", "retry_after_ms"];
const LISTS: &[&str] = &[
    "inputs",
    "missing",
    "allowed_patch",
    "applied",
    "pending",
    "validation_errors",
    "candidates",
    "recoverable_errors",
    "evidence",
    "result_refs",
];
const OBJECTS: &[&str] =
    &["summary", "risk", "consent", "staff_approval", "verification", "observed_state", "patch_schema"];
const FLAGS: &[&str] = &["requires_confirmation", "requires_approval", "recoverable", "replayed"];

pub(crate) fn input(tool: Name) -> Value {
    let text = || json!({ "type": "string" });
    let patch = || json!({ "type": "object" });
    let version = || json!({ "type": "integer" });
    let (required, properties): (&[&str], Value) = match tool {
        Name::SearchCapabilities => (
            &["query"],
            json!({
                "query": text(),
                "about": { "type": "string", "description": "an order, cart or customer: id, number or words" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 10 },
            }),
        ),
        Name::StartAction => (
            &["capability"],
            json!({
                "capability": text(),
                "target": text(),
                "patch": patch(),
                "idempotency_key": { "type": "string", "description": "a repeat with it returns the same action" },
                "include": include(),
            }),
        ),
        Name::GetContext => (
            &[],
            json!({
                "action_id": text(),
                "entity": { "type": "string", "description": "Order, Customer, …" },
                "ref": { "type": "string", "description": "id, number or words" },
            }),
        ),
        Name::AdvanceAction => (
            &["action_id", "version"],
            json!({
                "action_id": text(), "version": version(), "patch": patch(),
                "cancel": { "type": "boolean" }, "include": include(),
            }),
        ),
        Name::ConfirmAction => (
            &["action_id", "approval", "idempotency_key"],
            json!({
                "action_id": text(),
                "approval": { "enum": ["approved", "rejected"], "description": "what the person said" },
                "idempotency_key": text(), "version": version(), "include": include(),
            }),
        ),
        Name::VerifyAction => (&["action_id"], json!({ "action_id": text(), "include": include() })),
        Name::RecoverAction => (
            &["action_id"],
            json!({ "action_id": text(), "strategy": { "enum": ["retry", "abandon"] }, "include": include() }),
        ),
    };
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn include() -> Value {
    json!({ "type": "array", "items": { "enum": ["patch_schema"] } })
}

pub(crate) fn output(tool: Name) -> Value {
    match tool {
        Name::SearchCapabilities => open(json!({
            "message": nullable("string"),
            "matches": matches(),
            "near_misses": { "type": "array", "items": { "type": "object" } },
            "candidates": { "type": "array", "items": { "type": "object" } },
        })),
        // An action, or a business object whose fields are its own.
        Name::GetContext => open(json!({
            "message": nullable("string"),
            "action_id": nullable("string"),
            "version": nullable("integer"),
            "patch_schema": nullable("object"),
        })),
        Name::StartAction
        | Name::AdvanceAction
        | Name::ConfirmAction
        | Name::VerifyAction
        | Name::RecoverAction => open(action()),
    }
}

fn matches() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "capability": { "type": "string" },
                "trigger": { "type": "string" },
                "not_for": { "type": "array" },
                "prerequisites": { "type": "array" },
                "postconditions": { "type": "array" },
                "inputs": { "type": "array" },
                "side_effects": { "type": "array" },
                "requires_approval": { "type": "boolean" },
                "confidence": { "type": "number" },
                "evidence": { "type": "array" },
                "next_actions": { "type": "array" },
            },
        },
    })
}

fn action() -> Value {
    let mut properties = Map::new();
    let mut add = |names: &[&str], schema: &Value| {
        properties.extend(names.iter().map(|&name| (name.to_owned(), schema.clone())));
    };
    add(STRINGS, &nullable("string"));
    add(NUMBERS, &nullable("number"));
    add(LISTS, &json!({ "type": "array" }));
    add(OBJECTS, &nullable("object"));
    add(FLAGS, &json!({ "type": "boolean" }));
    Value::Object(properties)
}

/// What every answer of every tool has, and what this one may have besides.
fn open(properties: Value) -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": {
            "outcome": { "enum": ["success", "retryable_failure", "terminal_failure"] },
            "reason": nullable("string"),
            "next_actions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "tool": { "type": "string" },
                        "args": { "type": "object" },
                        "description": { "type": "string" },
                        "requires_user_approval": { "type": "boolean" },
                    },
                    "required": ["tool"],
                },
            },
        },
        "required": ["outcome", "next_actions"],
    });
    let all = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let (Some(all), Value::Object(more)) = (all, properties) {
        all.extend(more);
    }
    schema
}

fn nullable(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}
