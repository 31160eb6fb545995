//! The JSON Schema of a patch now: every field's shape, with the live options as enums.

use serde_json::{Value, json};

use crate::flow::Facts;
use crate::node::{Field, Nodes, TARGET};
use crate::parts::{Choice, Map};
use crate::plan::Plan;
use crate::record::Record;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of what may be patched now; nothing, once the action is submitted.
#[must_use]
pub fn patch_schema(nodes: &Nodes, record: &Record, live: Option<(&dyn Facts, &Plan)>) -> Value {
    let mut properties = Map::new();
    if record.status.is_open() {
        if record.is_resolving() {
            properties.insert(TARGET.to_owned(), target_schema(record));
        }
        for node in nodes.list() {
            if live.is_some_and(|(_, plan)| plan.skipped.contains(node.key)) {
                continue;
            }
            for field in node.fields {
                let options = live.and_then(|(facts, plan)| facts.options(field.name, &plan.inputs));
                properties.insert(field.name.to_owned(), field_schema(field, options.as_deref()));
            }
        }
    }
    json!({
        "$schema": DIALECT,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn target_schema(record: &Record) -> Value {
    let ids: Vec<&str> = record.candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    json!({"type": "string", "enum": ids, "description": "The id of the candidate that is meant."})
}

fn field_schema(field: &Field, options: Option<&[Choice]>) -> Value {
    let mut schema = (field.schema)();
    if let Some(object) = schema.as_object_mut() {
        object.entry("description").or_insert_with(|| field.description.into());
    }
    if let (Some(options), Some(leaf)) = (options, leaf_mut(&mut schema, field)) {
        let values: Vec<Value> = options.iter().map(|choice| choice.value.clone()).collect();
        leaf.insert("enum".to_owned(), Value::Array(values));
    }
    schema
}

/// The part of a field's schema its path points at: for `items[].quantity`, the quantity of one item.
fn leaf_mut<'s>(schema: &'s mut Value, field: &Field) -> Option<&'s mut Map> {
    let mut at = schema;
    for (depth, part) in field.path.split('.').enumerate() {
        if depth > 0 {
            at = at.get_mut("properties")?.get_mut(part.trim_end_matches("[]"))?;
        }
        if part.ends_with("[]") {
            at = at.get_mut("items")?;
        }
    }
    at.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Value {
        json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": {"type": "string"}, "quantity": {"type": "integer"}},
                "additionalProperties": false,
            },
        })
    }

    #[test]
    fn options_land_where_the_path_points() {
        let field = Field::required("items", "items[].id", "The items.", items);
        let options = [Choice { value: json!("a"), label: "A".to_owned() }];
        let schema = field_schema(&field, Some(&options));
        assert_eq!(schema["items"]["properties"]["id"]["enum"], json!(["a"]));
        assert_eq!(schema["description"], "The items.");
    }
}
