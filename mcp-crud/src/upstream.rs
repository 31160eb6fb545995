//! The API behind the tools: who is asking, one request, one answer.

use async_trait::async_trait;
use mcp_host::{Call, Identity, Problem, ProblemKind};
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use serde_json::Value;

use crate::limits;
use crate::operation::Operation;
use crate::request::{self, Request};

/// Speaks for the caller. The caller's own token ends at the door; what goes on is made from the verified identity.
#[async_trait]
pub trait Upstream: Send + Sync + 'static {
    /// Where the API is for this identity, without the paths of the document.
    fn base_url(&self, identity: &Identity) -> String;

    /// The headers that make the API see this identity. They win over arguments of the same name.
    async fn headers(&self, identity: &Identity) -> Result<Vec<(String, String)>, UpstreamError>;
}

/// Why nobody speaks for an identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("this caller may not use the API: {0}")]
    Refused(String),
    #[error("the API cannot be asked at the moment: {0}")]
    Unavailable(String),
}

/// What the API said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    pub(crate) body: Value,
}

pub(crate) async fn send(
    client: &Client,
    upstream: &dyn Upstream,
    operation: &Operation,
    call: &Call,
) -> Result<Answer, Problem> {
    let request = request::build(operation, &upstream.base_url(&call.identity), &call.arguments)?;
    let speaker = upstream.headers(&call.identity).await.map_err(|error| match error {
        UpstreamError::Refused(_) => Problem::new(ProblemKind::Forbidden, error.to_string()),
        UpstreamError::Unavailable(_) => unavailable(error.to_string()),
    })?;
    let Request { method, url, mut headers, body } = request;
    headers.extend(header_map(speaker)?);
    let mut request = client.request(method, url).headers(headers);
    if let Some(body) = body {
        request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
    }
    match request.send().await {
        Ok(response) => read(operation, response).await,
        Err(error) => Err(not_answered(operation, &error)),
    }
}

fn unavailable(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::UpstreamUnavailable, detail).with_retry_after_ms(limits::RETRY_AFTER_MS)
}

fn header_map(pairs: Vec<(String, String)>) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes());
        let value = HeaderValue::from_str(&value);
        let (Ok(name), Ok(mut value)) = (name, value) else {
            tracing::error!("the identity's headers cannot be sent");
            return Err(Problem::new(ProblemKind::Internal, "the identity's headers cannot be sent"));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// No answer: harmless when nothing was sent or nothing could change, otherwise unknown.
fn not_answered(operation: &Operation, error: &reqwest::Error) -> Problem {
    tracing::warn!(%error, tool = %operation.tool.name, "the API did not answer");
    if error.is_connect() {
        return unavailable("the API cannot be reached; nothing was sent");
    }
    no_usable_answer(operation, "the API did not answer in time")
}

fn no_usable_answer(operation: &Operation, what: &str) -> Problem {
    if operation.only_reads() {
        let detail = format!("{what}; nothing can have changed, so you may call again");
        return unavailable(detail);
    }
    let repeat =
        if operation.tool.hints.idempotent { " or repeat with the same idempotency_key" } else { "" };
    Problem::new(
        ProblemKind::OutcomeUnknown,
        format!("{what}; the change may have happened: read before you decide{repeat}"),
    )
}

async fn read(operation: &Operation, mut response: Response) -> Result<Answer, Problem> {
    let status = response.status().as_u16();
    let header = |name: HeaderName| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let (etag, media) = (header(ETAG), header(CONTENT_TYPE).unwrap_or_default());
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) => return Err(not_answered(operation, &error)),
        }
        if bytes.len() > limits::RESPONSE_BYTES_MAX {
            return Err(too_large(operation));
        }
    }
    let body = body(&media, &bytes);
    match (status, body) {
        (200..=299 | 400..=599, Some(body)) => Ok(Answer { status, etag, body }),
        _ => {
            tracing::warn!(status, media, tool = %operation.tool.name, "the API's answer cannot be used");
            Err(no_usable_answer(
                operation,
                &format!("the API's answer cannot be used (status {status}, `{media}`)"),
            ))
        }
    }
}

/// JSON as it came, text as a string, nothing as null; `None` when it is neither.
fn body(media: &str, bytes: &[u8]) -> Option<Value> {
    if bytes.is_empty() {
        return Some(Value::Null);
    }
    let essence = media.split(';').next().unwrap_or_default().trim().to_lowercase();
    if essence.ends_with("json") {
        return serde_json::from_slice(bytes).ok();
    }
    essence.starts_with("text/").then(|| std::str::from_utf8(bytes).ok().map(Value::from)).flatten()
}

fn too_large(operation: &Operation) -> Problem {
    let detail = format!("the API's answer is over {} bytes", limits::RESPONSE_BYTES_MAX);
    if operation.only_reads() {
        return Problem::new(
            ProblemKind::ValidationFailed,
            format!("{detail}; ask for less, for instance with a limit"),
        );
    }
    no_usable_answer(operation, &detail)
}
