//! The document, the tools and the operations table say the same.

use std::collections::BTreeSet;

use serde_json::Value;
use shop_domain::operations::{OPERATIONS, find};

use crate::shop;

/// Every documented operation is one of the 200, at its method and path, with a summary, answers and typed problems.
#[tokio::test]
async fn the_document_keeps_to_the_catalogue() {
    let shop = shop(&[]).await;
    let document = shop.rest("ada").unwrap().get("/openapi.json").send().await.unwrap().body;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut served = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            let row = find(id).unwrap_or_else(|| panic!("{id} is not in the catalogue"));
            assert_eq!(
                (row.method.as_str(), row.path),
                (method.to_uppercase().as_str(), path.as_str()),
                "{id}"
            );
            assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{id} has no summary");
            assert!(
                !operation["description"].as_str().unwrap_or_default().is_empty(),
                "{id} has no description"
            );
            assert!(operation["responses"]["4XX"].is_object(), "{id} documents no refusals");
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            for name in row.path.split('{').skip(1).filter_map(|part| part.split('}').next()) {
                assert!(
                    parameters.iter().any(|p| p["name"] == name && p["in"] == "path"),
                    "{id} hides {name}"
                );
            }
            let requires =
                |header: &str| parameters.iter().any(|p| p["name"] == header && p["required"] == true);
            assert_eq!(requires("If-Match"), row.class.is_grave() && row.names_its_subject(), "{id}");
            assert_eq!(requires("Idempotency-Key"), row.class.is_grave(), "{id}");
            served.insert(id.to_owned());
        }
    }
    assert_eq!(served.len(), OPERATIONS.len());
    every_reference_leads_somewhere(&document);

    let tools = shop.crud("ada").unwrap().tools().await.unwrap();
    let names: BTreeSet<String> =
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, served, "the tools are the operations");
    for tool in &tools {
        let row = find(tool["name"].as_str().unwrap()).unwrap();
        assert_eq!(tool["annotations"]["readOnlyHint"], !row.class.writes(), "{}", row.id);
        assert_eq!(
            tool["annotations"]["destructiveHint"].as_bool().unwrap_or(false),
            row.class.is_grave(),
            "{}",
            row.id
        );
    }
}

fn every_reference_leads_somewhere(document: &Value) {
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(reference)) = fields.get("$ref") {
                    let pointer = reference.strip_prefix('#').unwrap();
                    assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
                }
                waiting.extend(fields.values());
            }
            Value::Array(items) => waiting.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Seven tools, each with an output schema and honest hints, and a catalogue that is a fraction of the other one.
#[tokio::test]
async fn the_actions_door_has_seven_tools() {
    let shop = shop(&[]).await;
    let tools = shop.actions("ada").unwrap().tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "search_capabilities",
            "start_action",
            "get_context",
            "advance_action",
            "confirm_action",
            "verify_action",
            "recover_action"
        ]
    );
    assert!(tools.iter().all(|tool| tool["outputSchema"].is_object()));
    for tool in &tools {
        let reads =
            matches!(tool["name"].as_str().unwrap(), "search_capabilities" | "get_context" | "verify_action");
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{}", tool["name"]);
    }
}
