//! One operation of the document, made a tool.

use mcp_host::{Hints, Tool};
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::error::StartError;
use crate::fields::{Field, Fields, Place, json_schema};
use crate::schema::{Bundler, resolve};

/// What a call of one tool sends.
#[derive(Clone, Debug)]
pub struct Operation {
    pub tool: Tool,
    pub(crate) method: Method,
    /// The path template, as in the document.
    pub(crate) path: String,
    pub(crate) fields: Vec<Field>,
    /// An operation with a body sends one, even when no field of it was given.
    pub(crate) sends_body: bool,
}

/// How dangerous an operation is: the document's `x-class`, or what its method says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Read,
    Write,
    /// Hard to undo, or moves money.
    Destructive,
}

impl Operation {
    /// `shared` are the parameters of the whole path.
    ///
    /// # Errors
    /// When the operation cannot be a tool.
    pub(crate) fn new(
        document: &Value,
        name: &str,
        method: Method,
        path: &str,
        shared: &[Value],
        operation: &Value,
    ) -> Result<Self, StartError> {
        let mut fields = Fields::new(name);
        let mut bundler = Bundler::new(document);
        let parameters = parameters(document, shared, operation).map_err(|reason| fields.refuse(reason))?;
        for wanted in ["path", "query", "header", "cookie"] {
            for parameter in parameters.iter().filter(|parameter| parameter["in"] == wanted) {
                fields.add_parameter(document, &mut bundler, parameter)?;
            }
        }
        let body = operation.get("requestBody");
        if let Some(body) = body {
            fields.add_body(document, &mut bundler, body)?;
        }
        check_path(&fields, path)?;
        let input = bundler.finish(fields.root());
        let output = output_schema(document, operation).map_err(|reason| fields.refuse(reason))?;
        let tool = Tool::new(name, description(operation), input).with_output(output).with_hints(hints(
            &method,
            operation,
            &fields.all,
        ));
        Ok(Self { tool, method, path: path.to_owned(), fields: fields.all, sends_body: body.is_some() })
    }

    /// Whether repeating a request that may have arrived is harmless.
    pub(crate) fn only_reads(&self) -> bool {
        self.tool.hints.read_only
    }
}

/// The operation's parameters and those of its path that it does not override.
fn parameters(document: &Value, shared: &[Value], operation: &Value) -> Result<Vec<Value>, String> {
    let own = operation.get("parameters").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut all: Vec<Value> = Vec::new();
    for parameter in own.iter().chain(shared) {
        let parameter = resolve(document, parameter)?;
        let is_same = |other: &Value| other["name"] == parameter["name"] && other["in"] == parameter["in"];
        if !all.iter().any(is_same) {
            all.push(parameter.clone());
        }
    }
    Ok(all)
}

/// A placeholder without a parameter would make a tool that cannot say what it is about.
fn check_path(fields: &Fields, path: &str) -> Result<(), StartError> {
    for placeholder in placeholders(path) {
        let is_known = fields
            .all
            .iter()
            .any(|field| matches!(&field.place, Place::Path { name } if name == placeholder));
        if !is_known {
            return Err(fields.refuse(format!("`{{{placeholder}}}` in its path is no documented parameter")));
        }
    }
    Ok(())
}

/// The names between braces.
pub(crate) fn placeholders(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

fn description(operation: &Value) -> String {
    let text = |key: &str| operation.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    let (summary, description) = (text("summary"), text("description"));
    let mut parts = Vec::new();
    if operation.get("deprecated").and_then(Value::as_bool) == Some(true) {
        parts.push("Deprecated.".to_owned());
    }
    if !summary.is_empty() && !description.starts_with(summary) {
        let end = if summary.ends_with(['.', '!', '?']) { "" } else { "." };
        parts.push(format!("{summary}{end}"));
    }
    if !description.is_empty() {
        parts.push(description.to_owned());
    }
    parts.join(" ")
}

fn hints(method: &Method, operation: &Value, fields: &[Field]) -> Hints {
    let class = operation.get("x-class").and_then(Value::as_str);
    let (class, repeats_harmlessly) = match (class, method.as_str()) {
        (Some("R"), _) | (None, "GET") => (Class::Read, true),
        (Some("D" | "M"), _) => (Class::Destructive, false),
        (Some(_), _) => (Class::Write, false),
        // Without a class, what replaces or deletes counts as destructive, and HTTP calls it idempotent.
        (None, "PUT" | "DELETE") => (Class::Destructive, true),
        (None, _) => (Class::Write, false),
    };
    let needs_key = fields.iter().any(|field| field.argument == "idempotency_key" && field.is_required);
    Hints {
        read_only: class == Class::Read,
        destructive: class == Class::Destructive,
        idempotent: repeats_harmlessly || needs_key,
        open_world: operation.get("x-reaches-gateway").and_then(Value::as_bool) == Some(true),
    }
}

/// `{status, etag, body}`. The body has the schema of a success; a failure's body is a problem, or whatever the API
/// sent instead.
fn output_schema(document: &Value, operation: &Value) -> Result<Value, String> {
    let mut bundler = Bundler::new(document);
    let mut bodies: Vec<Value> = Vec::new();
    let responses = operation.get("responses").and_then(Value::as_object);
    for (status, response) in responses.into_iter().flatten() {
        if !status.starts_with('2') {
            continue;
        }
        if let Some(schema) = json_schema(resolve(document, response)?) {
            let schema = bundler.schema(schema)?;
            if !bodies.contains(&schema) {
                bodies.push(schema);
            }
        }
    }
    bodies.push(json!({
        "type": ["object", "string", "null"],
        "description": "nothing, or the problem when status is 400 or more"
    }));
    let mut root = Map::new();
    root.insert("type".to_owned(), json!("object"));
    root.insert("required".to_owned(), json!(["status", "etag", "body"]));
    root.insert(
        "properties".to_owned(),
        json!({
            "status": { "type": "integer" },
            "etag": { "type": ["string", "null"] },
            "body": { "anyOf": bodies }
        }),
    );
    Ok(bundler.finish(root))
}
