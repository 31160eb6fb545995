//! What a model is told, and how little of it.

use super::*;

/// Name, description and arguments of 200 CRUD tools are about 100 kB; all of ours are at most a twentieth.
const BYTES_MAX: usize = 5_000;

const NAMES: [&str; 7] = [
    "search_capabilities",
    "start_action",
    "get_context",
    "advance_action",
    "confirm_action",
    "verify_action",
    "recover_action",
];

async fn listed() -> Client {
    Shop::new(ConsentLevel::Agent).client("ada", json!({})).await
}

#[tokio::test]
async fn there_are_seven_tools_with_honest_hints() {
    let client = listed().await;
    let names: Vec<&str> = client.tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, NAMES);
    for tool in &client.tools {
        let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
        let reads = matches!(name, "search_capabilities" | "get_context" | "verify_action");
        let acts = matches!(name, "confirm_action" | "recover_action");
        assert_eq!(hints["readOnlyHint"], reads, "{name}");
        assert_eq!(hints["destructiveHint"], acts, "{name}");
        assert_eq!(hints["idempotentHint"], acts || reads, "{name}");
        assert_eq!(hints["openWorldHint"], acts || name == "verify_action", "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{name}");
    }
}

#[tokio::test]
async fn the_catalogue_is_small() {
    let client = listed().await;
    let part = |tool: &Value| {
        let told = [&tool["name"], &tool["description"], &tool["inputSchema"]];
        told.iter().map(|part| part.to_string().len()).sum::<usize>()
    };
    let bytes: usize = client.tools.iter().map(part).sum();
    assert!(bytes < BYTES_MAX, "{bytes} bytes");
}

#[tokio::test]
async fn the_arguments_are_those_of_the_contract() {
    let client = listed().await;
    let expected: [(&[&str], &[&str]); 7] = [
        (&["query", "about", "limit"], &["query"]),
        (&["capability", "target", "patch", "idempotency_key", "include"], &["capability"]),
        (&["action_id", "entity", "ref"], &[]),
        (&["action_id", "version", "patch", "cancel", "include"], &["action_id", "version"]),
        (
            &["action_id", "approval", "idempotency_key", "version", "include"],
            &["action_id", "approval", "idempotency_key"],
        ),
        (&["action_id", "include"], &["action_id"]),
        (&["action_id", "strategy", "include"], &["action_id"]),
    ];
    for (tool, (all, required)) in client.tools.iter().zip(expected) {
        let properties: Vec<&String> =
            tool["inputSchema"]["properties"].as_object().unwrap().keys().collect();
        assert_eq!(properties, all, "{}", tool["name"]);
        assert_eq!(tool["inputSchema"]["required"], json!(required), "{}", tool["name"]);
    }
}

#[tokio::test]
async fn a_model_learns_the_four_habits() {
    let client = listed().await;
    for habit in ["next_actions", "version_conflict", "never answer for them", "verify_action"] {
        assert!(client.instructions.contains(habit), "{habit}");
    }
    let told = |name: &str| {
        let tool = client.tools.iter().find(|tool| tool["name"] == name).unwrap();
        tool["description"].as_str().unwrap().to_owned()
    };
    assert!(told("advance_action").contains("version"));
    assert!(told("confirm_action").contains("the yes must be theirs"));
    assert!(told("verify_action").contains("before any retry"));
}
