//! One journal line per call.

use std::sync::Arc;

use serde_json::{Map, Value};
use shop_world::journal::Line;

use crate::handler::Reply;
use crate::identity::Identity;

/// Where the lines go: into the journal of the identity's world.
pub type Journal = Arc<dyn Fn(&Identity, Line) + Send + Sync>;

/// What a call was, as far as it can be told before the handler consumes it.
pub(crate) fn line(door: &str, tool: &str, identity: &Identity, arguments: &Map<String, Value>) -> Line {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let about = || arguments.iter().find(|(name, _)| name.ends_with("_id")).map(|(name, _)| name.as_str());
    Line {
        door: door.to_owned(),
        operation: tool.to_owned(),
        principal: Some(identity.subject().to_owned()),
        key: text("idempotency_key"),
        about: text("action_id").or_else(|| about().and_then(text)),
        outcome: String::new(),
    }
}

/// The outcome in one word: the result's own `outcome` or problem code where it has one.
pub(crate) fn outcome(reply: &Reply) -> String {
    match reply {
        Reply::Done(output) => {
            let word = |pointer: &str| output.structured.pointer(pointer).and_then(Value::as_str);
            let found = if output.is_error {
                word("/code").or_else(|| word("/reason")).or_else(|| word("/body/code"))
            } else {
                word("/outcome")
            };
            found.unwrap_or(if output.is_error { "error" } else { "success" }).to_owned()
        }
        Reply::Ask(_) => "input_required".to_owned(),
        Reply::Task(_) => "task".to_owned(),
    }
}
