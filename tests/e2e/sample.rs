//! Well-formed requests about nothing there is, made from the OpenAPI document.

use serde_json::{Map, Value, json};

/// The path of an operation with an id of the right kind in every place.
pub(crate) fn path_of(document: &Value, entry: &Value, template: &str) -> String {
    let parameters = entry["parameters"].as_array().cloned().unwrap_or_default();
    let mut path = template.to_owned();
    let mut query = Vec::new();
    for parameter in &parameters {
        let name = parameter["name"].as_str().unwrap();
        let example = parameter.get("example").cloned();
        let value = example.unwrap_or_else(|| sample(document, &parameter["schema"]));
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match parameter["in"].as_str() {
            Some("path") => path = path.replace(&format!("{{{name}}}"), &text),
            Some("query") if parameter["required"] == true => query.push(format!("{name}={text}")),
            Some(_) | None => {}
        }
    }
    if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
}

/// A value that a schema accepts, with nothing in it that it does not require.
pub(crate) fn sample(document: &Value, schema: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return sample(document, document.pointer(reference.strip_prefix('#').unwrap()).unwrap());
    }
    if let Some(example) = schema.get("example").or_else(|| schema["examples"].get(0)) {
        return example.clone();
    }
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    if let Some(choices) = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array) {
        let choice = choices.iter().find(|choice| choice["type"] != "null").unwrap();
        return sample(document, choice);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in parts {
            whole.extend(sample(document, part).as_object().cloned().unwrap_or_default());
        }
        return Value::Object(whole);
    }
    let kinds = schema["type"].as_array();
    let kind = match kinds.and_then(|kinds| kinds.iter().find(|kind| **kind != "null")) {
        Some(kind) => kind.as_str(),
        None => schema["type"].as_str(),
    };
    match kind {
        Some("array") => json!([sample(document, &schema["items"])]),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(false),
        Some("string") if schema["format"] == "date-time" => json!("2026-02-01T00:00:00Z"),
        Some("string") if schema["format"] == "date" => json!("2026-02-01"),
        Some("string") => json!("x"),
        Some(_) | None => object(document, schema),
    }
}

fn object(document: &Value, schema: &Value) -> Value {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = required
        .iter()
        .filter_map(Value::as_str)
        .map(|name| (name.to_owned(), sample(document, &schema["properties"][name])));
    Value::Object(fields.collect())
}
