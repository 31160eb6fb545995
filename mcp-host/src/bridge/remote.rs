//! The HTTP end of a bridge.

use std::sync::{Mutex, PoisonError};

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::sse::Events;
use super::{Bridge, BridgeError, forward};
use crate::http::WORLD_HEADER;
use crate::{http_client, limits};

const SESSION: &str = "Mcp-Session-Id";
const VERSION: &str = "MCP-Protocol-Version";
const VERSION_IN_META: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

pub(super) struct Remote {
    client: Client,
    url: Url,
    fixed: HeaderMap,
    session: Mutex<Session>,
}

/// What `initialize` settled.
#[derive(Clone, Debug, Default)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl Remote {
    pub(super) fn new(settings: &Bridge) -> Result<Self, BridgeError> {
        let url = Url::parse(&settings.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| BridgeError::Url(settings.url.clone()))?;
        let mut fixed = HeaderMap::new();
        fixed.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        fixed.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let value = |text: &str| HeaderValue::from_str(text).map_err(|_| BridgeError::Header);
        if let Some(bearer) = &settings.bearer {
            let mut token = value(&format!("Bearer {bearer}"))?;
            token.set_sensitive(true);
            fixed.insert(AUTHORIZATION, token);
        }
        if let Some(world) = &settings.world {
            let name = HeaderName::from_bytes(WORLD_HEADER.as_bytes()).map_err(|_| BridgeError::Header)?;
            fixed.insert(name, value(world)?);
        }
        let client = http_client(limits::BRIDGE_TIMEOUT).map_err(BridgeError::Client)?;
        Ok(Self { client, url, fixed, session: Mutex::default() })
    }

    /// Sends one message and forwards whatever comes back. A request is always answered, if only with an error.
    pub(super) async fn exchange(&self, message: &Value, replies: &mpsc::Sender<String>) {
        let id = message.get("id").filter(|_| message.get("method").is_some());
        let failure = match self.send(message).await {
            Ok(response) => self.take(message, response, replies).await.err(),
            Err(error) => {
                Some(format!("the MCP server at {} cannot be reached: {}", self.url, cause(&error)))
            }
        };
        match (id, failure) {
            (Some(id), Some(failure)) => {
                let error = json!({ "code": -32000, "message": failure });
                forward(replies, &json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
            }
            (None, Some(failure)) => tracing::warn!(%failure, "a message was lost"),
            (Some(_) | None, None) => {}
        }
    }

    /// Tells the server that nobody will come back.
    pub(super) async fn end_session(&self) {
        let session = self.session();
        let Some(id) = session.id else { return };
        let request = self.client.delete(self.url.clone()).headers(self.fixed.clone()).header(SESSION, id);
        let request = match session.version {
            Some(version) => request.header(VERSION, version),
            None => request,
        };
        if let Err(error) = request.send().await {
            tracing::debug!(%error, "the session could not be ended");
        }
    }

    async fn send(&self, message: &Value) -> Result<Response, reqwest::Error> {
        let mut request =
            self.client.post(self.url.clone()).headers(self.fixed.clone()).body(message.to_string());
        match message.pointer(VERSION_IN_META).and_then(Value::as_str) {
            // The stateless generation repeats in headers what a middlebox may want to know.
            Some(version) => {
                request = request.header(VERSION, version);
                for (header, value) in [("Mcp-Method", message.get("method")), ("Mcp-Name", name(message))] {
                    if let Some(value) = value.and_then(Value::as_str) {
                        request = request.header(header, value);
                    }
                }
            }
            None => {
                let session = self.session();
                if let Some(id) = session.id {
                    request = request.header(SESSION, id);
                }
                if let Some(version) = session.version {
                    request = request.header(VERSION, version);
                }
            }
        }
        request.send().await
    }

    async fn take(
        &self,
        message: &Value,
        mut response: Response,
        replies: &mpsc::Sender<String>,
    ) -> Result<(), String> {
        if let Some(id) = response.headers().get(SESSION) {
            self.lock().id = Some(id.clone());
        }
        let media = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
        let is_stream = media.starts_with("text/event-stream");
        let (status, mut events, mut body) = (response.status(), Events::default(), Vec::new());
        let too_long =
            || format!("the MCP server's reply is over {} bytes", limits::BRIDGE_MESSAGE_BYTES_MAX);
        let mut is_answered = false;
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => break,
                // The rest of a stream is not missed once the answer is here.
                Err(_) if is_answered => break,
                Err(error) => return Err(format!("the MCP server's reply broke off: {}", cause(&error))),
            };
            if is_stream {
                for data in events.push(&chunk).map_err(|_| too_long())? {
                    let reply: Value = serde_json::from_str(&data).map_err(|error| error.to_string())?;
                    is_answered |= self.pass_on(message, &reply, replies).await;
                }
            } else {
                body.extend_from_slice(&chunk);
                if body.len() > limits::BRIDGE_MESSAGE_BYTES_MAX {
                    return Err(too_long());
                }
            }
        }
        match serde_json::from_slice::<Value>(&body) {
            Ok(reply) if reply.get("jsonrpc").is_some() => {
                is_answered |= self.pass_on(message, &reply, replies).await;
            }
            Ok(_) | Err(_) => {}
        }
        // Notifications and answers are only acknowledged.
        let wants_answer = message.get("id").is_some() && message.get("method").is_some();
        if is_answered || (status.is_success() && !wants_answer) {
            return Ok(());
        }
        let text: String = String::from_utf8_lossy(&body).chars().take(limits::COMPLAINT_CHARS_MAX).collect();
        Err(format!("the MCP server answered {status} without a reply: {text}"))
    }

    /// Forwards a message of the server; says whether it answers the one that was sent.
    async fn pass_on(&self, sent: &Value, reply: &Value, replies: &mpsc::Sender<String>) -> bool {
        let version = reply.pointer("/result/protocolVersion").and_then(Value::as_str);
        if let Some(version) = version.and_then(|version| HeaderValue::from_str(version).ok())
            && sent.get("method").is_some_and(|method| method == "initialize")
        {
            self.lock().version = Some(version);
        }
        forward(replies, reply).await;
        reply.get("method").is_none() && reply.get("id") == sent.get("id")
    }

    fn session(&self) -> Session {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the request is about, as the stateless generation names it.
fn name(message: &Value) -> Option<&Value> {
    let params = message.get("params")?;
    params.get("name").or_else(|| params.get("uri")).or_else(|| params.get("taskId"))
}

/// The innermost reason; reqwest's own text only says that sending failed.
fn cause(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}
