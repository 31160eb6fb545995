//! Our results as rmcp's.

use rmcp::model::{
    CallToolResult, ContentBlock, DetailedTask, JsonObject, MetaObject, Resource, TaskPayload, TaskStatus,
};
use serde_json::{Value, json};

use crate::handler::{Link, Output, Task, TaskState};

/// The structured content, the same as text unless the handler wrote its own, then the links.
pub(crate) fn result(output: Output) -> CallToolResult {
    let Output { structured, is_error, text, links, meta } = output;
    let mut result = if is_error {
        CallToolResult::structured_error(structured)
    } else {
        CallToolResult::structured(structured)
    };
    if let Some(text) = text {
        result.content = vec![ContentBlock::text(text)];
    }
    result.content.extend(links.into_iter().map(link));
    if meta.is_empty() { result } else { result.with_meta(Some(MetaObject(meta))) }
}

fn link(link: Link) -> ContentBlock {
    let mut resource = Resource::new(link.uri, link.name);
    resource.description = link.description;
    ContentBlock::resource_link(resource)
}

pub(crate) fn task(task: &Task) -> rmcp::model::Task {
    let status = match task.state {
        TaskState::Working => TaskStatus::Working,
        TaskState::Asking(_) => TaskStatus::InputRequired,
        TaskState::Completed(_) => TaskStatus::Completed,
        TaskState::Failed(_) => TaskStatus::Failed,
        TaskState::Cancelled => TaskStatus::Cancelled,
    };
    let mut wire =
        rmcp::model::Task::new(task.id.clone(), status, task.created_at.clone(), task.updated_at.clone());
    wire.status_message.clone_from(&task.message);
    wire.ttl_ms = task.ttl_ms;
    wire.poll_interval_ms = task.poll_ms;
    wire
}

pub(crate) fn detailed_task(detailed: Task) -> DetailedTask {
    let wire = task(&detailed);
    let payload = match detailed.state {
        TaskState::Working => TaskPayload::Working,
        TaskState::Asking(questions) => TaskPayload::InputRequired {
            input_requests: questions.iter().map(crate::ask::Question::to_wire).collect(),
        },
        TaskState::Completed(output) => TaskPayload::Completed { result: object(json!(result(output))) },
        TaskState::Failed(message) => {
            TaskPayload::Failed { error: object(json!({ "code": -32603, "message": message })) }
        }
        TaskState::Cancelled => TaskPayload::Cancelled,
    };
    DetailedTask::new(wire, payload)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    }
}
