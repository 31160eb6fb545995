//! Reading inputs and writing blocks: the small things every flow does with JSON.

use std::str::FromStr;

use mcp_actions_engine::Map;
use mcp_actions_engine::parts::{Choice, Ref};
use serde::Serialize;
use serde_json::{Value, json};

/// The object inside a JSON value; empty for anything else.
pub(crate) fn object(value: Value) -> Map {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

/// A view as a block; empty when it cannot be one.
pub(crate) fn block(view: &impl Serialize) -> Value {
    serde_json::to_value(view).unwrap_or_default()
}

/// A text input.
pub(crate) fn text<'m>(inputs: &'m Map, field: &str) -> Option<&'m str> {
    inputs.get(field)?.as_str()
}

/// An input as a typed id; `None` also for what is no such id.
pub(crate) fn id<T: FromStr>(inputs: &Map, field: &str) -> Option<T> {
    text(inputs, field)?.parse().ok()
}

/// A typed id for `result_refs`.
pub(crate) fn reference(kind: &str, id: impl ToString) -> Ref {
    Ref { kind: kind.to_owned(), id: id.to_string() }
}

/// One value a person can choose.
pub(crate) fn choice(value: impl ToString, label: impl Into<String>) -> Choice {
    Choice { value: json!(value.to_string()), label: label.into() }
}

/// The schema of a text field.
pub(crate) fn text_schema() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 200 })
}
