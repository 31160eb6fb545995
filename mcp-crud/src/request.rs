//! Arguments to one HTTP request.

use std::collections::HashMap;

use mcp_host::{Problem, ProblemKind};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde_json::{Map, Value};

use crate::fields::{Place, QueryStyle};
use crate::operation::Operation;

/// Everything but who is asking.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Value>,
}

/// Builds the request. The arguments are valid against the tool's schema, so what can still be wrong is only what a
/// URL or a header cannot carry.
///
/// # Errors
/// Names the argument; nothing was sent.
pub(crate) fn build(
    operation: &Operation,
    base: &str,
    arguments: &Map<String, Value>,
) -> Result<Request, Problem> {
    let mut url = base_url(base)?;
    let mut path = HashMap::new();
    let mut headers = HeaderMap::new();
    let mut query: Vec<(String, String)> = Vec::new();
    let mut fields = Map::new();
    let mut whole = None;
    for field in &operation.fields {
        let Some(value) = arguments.get(&field.argument) else { continue };
        match &field.place {
            Place::Path { name } => {
                path.insert(name.as_str(), path_text(&field.argument, value)?);
            }
            Place::Query { name, style } => push_query(&mut query, name, *style, value),
            Place::Header { name } => {
                if let Some((name, value)) = header(&field.argument, name, value)? {
                    headers.insert(name, value);
                }
            }
            Place::Body { name } => {
                fields.insert(name.clone(), value.clone());
            }
            Place::WholeBody => whole = Some(value.clone()),
        }
    }
    extend_path(&mut url, &operation.path, &path)?;
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let has_whole = operation.fields.iter().any(|field| field.place == Place::WholeBody);
    let body = if has_whole { whole } else { operation.sends_body.then_some(Value::Object(fields)) };
    Ok(Request { method: operation.method.clone(), url, headers, body })
}

fn base_url(base: &str) -> Result<Url, Problem> {
    Url::parse(base).map_err(|error| {
        tracing::error!(%error, base, "the API's address cannot be used");
        Problem::new(ProblemKind::Internal, "the API's address cannot be used")
    })
}

fn path_text(argument: &str, value: &Value) -> Result<String, Problem> {
    let text = text(value);
    // URLs resolve these two before anybody sees them; an empty one would name the list instead of the thing.
    if matches!(text.as_str(), "" | "." | "..") {
        return Err(wrong(argument, "this cannot stand in a path; give the id as it was returned"));
    }
    Ok(text)
}

/// Fills the template segment by segment, so that a slash in a value cannot cut the path in two.
fn extend_path(url: &mut Url, template: &str, values: &HashMap<&str, String>) -> Result<(), Problem> {
    let mut segments = url
        .path_segments_mut()
        .map_err(|()| Problem::new(ProblemKind::Internal, "the API's address has no path"))?;
    segments.pop_if_empty();
    for segment in template.trim_start_matches('/').split('/') {
        let mut filled = String::new();
        let mut rest = segment;
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            let value = values.get(name).ok_or_else(|| wrong(name, "this field is required"))?;
            filled.push_str(before);
            filled.push_str(value);
            rest = after;
        }
        filled.push_str(rest);
        segments.push(&filled);
    }
    Ok(())
}

fn push_query(query: &mut Vec<(String, String)>, name: &str, style: QueryStyle, value: &Value) {
    match (value, style) {
        (Value::Null, _) => {}
        (Value::Array(items), QueryStyle::Explode | QueryStyle::Deep) => {
            query.extend(items.iter().map(|item| (name.to_owned(), text(item))));
        }
        (Value::Array(items), QueryStyle::Comma) => {
            let items: Vec<String> = items.iter().map(text).collect();
            query.push((name.to_owned(), items.join(",")));
        }
        (Value::Object(map), QueryStyle::Deep) => {
            query.extend(map.iter().map(|(key, value)| (format!("{name}[{key}]"), text(value))));
        }
        (Value::Object(map), QueryStyle::Explode) => {
            query.extend(map.iter().map(|(key, value)| (key.clone(), text(value))));
        }
        (Value::Object(_) | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => {
            query.push((name.to_owned(), text(value)));
        }
    }
}

fn header(argument: &str, name: &str, value: &Value) -> Result<Option<(HeaderName, HeaderValue)>, Problem> {
    if value.is_null() {
        return Ok(None);
    }
    let name = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| Problem::new(ProblemKind::Internal, "the document names a header that cannot exist"))?;
    let text = text(value);
    let is_printable = !text.is_empty() && text.chars().all(|c| (' '..='~').contains(&c));
    match HeaderValue::from_str(&text) {
        Ok(value) if is_printable => Ok(Some((name, value))),
        Ok(_) | Err(_) => {
            Err(wrong(argument, "this goes into a header: use printable ASCII characters only"))
        }
    }
}

/// A string as it is; anything else as JSON writes it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    }
}

fn wrong(argument: &str, message: &str) -> Problem {
    let field = mcp_host::Field { pointer: format!("/{argument}"), message: message.to_owned() };
    let detail = format!("correct `{argument}` and call again, nothing was sent");
    Problem::new(ProblemKind::ValidationFailed, detail).with_fields(vec![field])
}
