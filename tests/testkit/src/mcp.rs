//! An MCP door, in the stateless generation: one POST a call.

use anyhow::{Context as _, ensure};
use serde_json::{Map, Value, json};

const PROTOCOL: &str = "2026-07-28";

/// One door as one principal.
#[derive(Clone, Debug)]
pub struct Mcp {
    http: reqwest::Client,
    url: String,
    token: String,
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub struct ToolReply {
    pub is_error: bool,
    /// `structuredContent`.
    pub body: Value,
}

impl Mcp {
    /// # Errors
    /// When HTTP cannot be set up.
    pub fn new(url: &str, token: &str) -> anyhow::Result<Self> {
        Ok(Self { http: crate::http()?, url: url.to_owned(), token: token.to_owned() })
    }

    /// The same door of another world, by its path.
    #[must_use]
    pub fn in_world(&self, world: &str) -> Self {
        let base = self.url.trim_end_matches("/mcp");
        Self { url: format!("{base}/w/{world}/mcp"), ..self.clone() }
    }

    /// Every tool of the door.
    ///
    /// # Errors
    /// When the door refuses.
    pub async fn tools(&self) -> anyhow::Result<Vec<Value>> {
        let result = self.request("tools/list", Map::new()).await?;
        let tools = result.get("tools").and_then(Value::as_array);
        Ok(tools.context("no tools in the answer")?.clone())
    }

    /// Calls one tool.
    ///
    /// # Errors
    /// When the protocol fails; a tool's own failure is a reply.
    pub async fn call(&self, tool: &str, arguments: Value) -> anyhow::Result<ToolReply> {
        let mut params = Map::new();
        params.insert("name".to_owned(), tool.into());
        params.insert("arguments".to_owned(), arguments);
        let result = self.request("tools/call", params).await?;
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        Ok(ToolReply { is_error, body: result.get("structuredContent").cloned().unwrap_or_default() })
    }

    async fn request(&self, method: &str, mut params: Map<String, Value>) -> anyhow::Result<Value> {
        params.insert(
            "_meta".to_owned(),
            json!({
                "io.modelcontextprotocol/protocolVersion": PROTOCOL,
                "io.modelcontextprotocol/clientInfo": { "name": "testkit", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            }),
        );
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut request = self
            .http
            .post(&self.url)
            .bearer_auth(&self.token)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", PROTOCOL)
            .header("mcp-method", method);
        if !name.is_empty() {
            request = request.header("mcp-name", name);
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let response = request.json(&body).send().await?;
        let status = response.status();
        let text = response.text().await?;
        let message: Value =
            serde_json::from_str(last_message(&text)).with_context(|| format!("{status}: {text}"))?;
        ensure!(message.get("error").is_none(), "the door refused: {message}");
        message.get("result").cloned().context("neither result nor error")
    }
}

/// The answer itself, whether it came as JSON or as the last event of a stream.
fn last_message(text: &str) -> &str {
    text.lines().rev().find_map(|line| line.strip_prefix("data:")).map_or(text, str::trim)
}

impl ToolReply {
    /// A text of the body.
    #[must_use]
    pub fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number of the body.
    #[must_use]
    pub fn number(&self, pointer: &str) -> i64 {
        self.body.pointer(pointer).and_then(Value::as_i64).unwrap_or(i64::MIN)
    }
}
