//! One MCP client of the stateless generation: what a surface is reached through, and nothing else.
//!
//! Every call is kept with what it cost. Tokens are those of `o200k_base`, of the arguments and of the result as a
//! model reads it (the text block), each counted once per call.

use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use serde::Serialize;
use serde_json::{Value, json};

/// A call that takes longer is a defect of the surface.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Doors hang up after five idle seconds, and no call should meet that.
const POOL_IDLE: Duration = Duration::from_secs(2);
const PROTOCOL: &str = "2026-07-28";

/// A client of one surface in one world, as one caller.
pub(crate) struct McpClient {
    http: reqwest::Client,
    url: String,
    token: String,
    calls: Vec<CallRecord>,
}

/// One call as it happened.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CallRecord {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) result: Value,
    pub(crate) is_error: bool,
    /// Of arguments and result.
    pub(crate) bytes: usize,
    pub(crate) tokens: usize,
    pub(crate) micros: u64,
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) structured: Value,
    pub(crate) is_error: bool,
}

impl McpClient {
    /// `endpoint` is the door's own URL, such as `http://127.0.0.1:1/mcp`; the world goes into the path.
    pub(crate) fn new(endpoint: &str, world: &str, token: &str) -> anyhow::Result<Self> {
        let url = in_world(endpoint, world)?;
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .pool_idle_timeout(POOL_IDLE)
            .no_proxy()
            .tcp_nodelay(true)
            .build()?;
        Ok(Self { http, url, token: token.to_owned(), calls: Vec::new() })
    }

    /// Everything that was called, oldest first.
    pub(crate) fn into_calls(self) -> Vec<CallRecord> {
        self.calls
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.len()
    }

    /// The catalogue as the surface sends it.
    pub(crate) async fn list_tools(&self) -> anyhow::Result<Vec<Value>> {
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let result = self.request("tools/list", None, params).await?;
            tools.extend(result["tools"].as_array().cloned().unwrap_or_default());
            cursor = result["nextCursor"].clone();
            if cursor.is_null() {
                return Ok(tools);
            }
        }
    }

    /// Calls a tool. A refusal is an answer; only a broken conversation is an error.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> anyhow::Result<Reply> {
        let sent = arguments.to_string();
        let started = Instant::now();
        let params = json!({ "name": tool, "arguments": arguments });
        let result = self.request("tools/call", Some(tool), params).await?;
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let structured = result["structuredContent"].clone();
        let read =
            result["content"][0]["text"].as_str().map_or_else(|| structured.to_string(), str::to_owned);
        let is_error = result["isError"].as_bool().unwrap_or(false);
        self.calls.push(CallRecord {
            tool: tool.to_owned(),
            arguments,
            result: structured.clone(),
            is_error,
            bytes: sent.len() + read.len(),
            tokens: tokens(&sent) + tokens(&read),
            micros,
        });
        Ok(Reply { structured, is_error })
    }

    async fn request(&self, method: &str, name: Option<&str>, mut params: Value) -> anyhow::Result<Value> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientInfo": { "name": "twinshop-compare", "version": env!("CARGO_PKG_VERSION") },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = self
            .http
            .post(&self.url)
            .bearer_auth(&self.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL)
            .header("mcp-method", method);
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        let response = request.json(&body).send().await.with_context(|| format!("{method} {name:?}"))?;
        let status = response.status();
        let text = response.text().await?;
        let message = message(&text).with_context(|| format!("{method} answered {status}: {text}"))?;
        if let Some(error) = message.get("error") {
            bail!("{method} {} was refused by the door: {error}", name.unwrap_or_default());
        }
        message.get("result").cloned().ok_or_else(|| anyhow!("{method} answered {status}: {text}"))
    }
}

fn in_world(endpoint: &str, world: &str) -> anyhow::Result<String> {
    let base = endpoint.strip_suffix("/mcp").ok_or_else(|| anyhow!("{endpoint} is no MCP endpoint"))?;
    Ok(format!("{base}/w/{world}/mcp"))
}

/// The JSON message of a body, be it one document or a stream of events.
fn message(body: &str) -> anyhow::Result<Value> {
    let last =
        body.lines().filter_map(|line| line.strip_prefix("data:")).rfind(|data| !data.trim().is_empty());
    Ok(serde_json::from_str(last.unwrap_or(body))?)
}

/// How many `o200k_base` tokens a text has.
pub(crate) fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().count_ordinary(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_may_come_as_an_event_or_as_it_is() {
        assert_eq!(message("{\"result\": 1}").unwrap()["result"], 1);
        assert_eq!(message("event: message\ndata: {\"result\": 2}\n\ndata: \n").unwrap()["result"], 2);
        assert!(message("<html>").is_err());
    }

    #[test]
    fn tokens_are_those_of_o200k() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("hello world"), 2);
        assert!(tokens(r#"{"order_id": "ord_01jz8q4w7c5v6n3m2k1h0g9f8e"}"#) > 15);
    }

    #[test]
    fn an_endpoint_gets_its_world() {
        assert_eq!(in_world("http://127.0.0.1:1/mcp", "t1").unwrap(), "http://127.0.0.1:1/w/t1/mcp");
        assert!(in_world("http://127.0.0.1:1/sse", "t1").is_err());
    }
}
