//! The operations of an OpenAPI document, in its own order.

use std::collections::HashMap;

use reqwest::Method;
use serde_json::Value;

use crate::error::StartError;
use crate::operation::Operation;
use crate::schema::resolve;

/// An operation before it is made a tool.
struct Found<'a> {
    name: String,
    method: Method,
    path: &'a str,
    shared: &'a [Value],
    operation: &'a Value,
}

/// All operations, or those of the toolset in its order. Operations outside the toolset need not be fit for tools.
pub(crate) fn operations(document: &Value, toolset: Option<&[String]>) -> Result<Vec<Operation>, StartError> {
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("3.1") {
        return Err(StartError::Document(format!("its `openapi` field is `{version}`")));
    }
    let found = find(document)?;
    let build = |found: &Found<'_>| {
        let Found { name, method, path, shared, operation } = found;
        Operation::new(document, name, method.clone(), path, shared, operation)
    };
    let Some(toolset) = toolset else { return found.iter().map(build).collect() };
    let by_name: HashMap<&str, &Found<'_>> = found.iter().map(|found| (found.name.as_str(), found)).collect();
    toolset
        .iter()
        .map(|name| {
            let found = by_name.get(name.as_str()).ok_or_else(|| StartError::UnknownTool(name.clone()))?;
            build(found)
        })
        .collect()
}

fn find(document: &Value) -> Result<Vec<Found<'_>>, StartError> {
    let paths = document.get("paths").and_then(Value::as_object);
    let paths = paths.ok_or_else(|| StartError::Document("it has no `paths`".to_owned()))?;
    let mut all = Vec::new();
    for (path, item) in paths {
        let item = resolve(document, item).map_err(StartError::Document)?;
        let shared = item.get("parameters").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (method, operation) in item.as_object().into_iter().flatten() {
            if let Some(method) = tool_method(method) {
                all.push(Found { name: name(&method, path, operation), method, path, shared, operation });
            }
        }
    }
    Ok(all)
}

/// HEAD, OPTIONS and TRACE say nothing a model could use.
fn tool_method(name: &str) -> Option<Method> {
    match name {
        "get" => Some(Method::GET),
        "post" => Some(Method::POST),
        "put" => Some(Method::PUT),
        "patch" => Some(Method::PATCH),
        "delete" => Some(Method::DELETE),
        _ => None,
    }
}

/// The operationId, or method and path where a document has none; characters that no tool name allows become `_`.
fn name(method: &Method, path: &str, operation: &Value) -> String {
    let id = operation.get("operationId").and_then(Value::as_str).map(str::to_owned);
    let id =
        id.unwrap_or_else(|| format!("{}{path}", method.as_str().to_lowercase()).replace(['{', '}'], ""));
    id.chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' })
        .collect()
}
