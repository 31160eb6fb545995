//! A door: a handler, checked and ready to be served.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rmcp::model::{
    ExtensionCapabilities, Implementation, JsonObject, RequestStateCodec, RequestStateError,
    ServerCapabilities, ServerConfig, TASKS_EXTENSION_ID,
};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::content::{APP_VIEW, Prompt, Resource};
use crate::handler::Handler;
use crate::http::{HttpDoor, HttpSettings};
use crate::identity::Identity;
use crate::journal::Journal;
use crate::limits;
use crate::registry::Registry;
use crate::stdio::{self, StdioError};

/// The extension of clients and servers that know MCP Apps.
pub(crate) const APPS_EXTENSION_ID: &str = "io.modelcontextprotocol/ui";

/// How a door presents itself.
#[derive(Clone)]
pub struct Settings {
    /// Its name in the journal: `mcp_crud`, `mcp_actions`.
    pub door: String,
    /// The server's name on the wire.
    pub name: String,
    pub version: String,
    /// What a model should know before it calls anything.
    pub instructions: Option<String>,
    /// Tools per page; everything in one page when absent, because several clients read only the first.
    pub page_size: Option<NonZeroUsize>,
    /// Seals questions on their way through the client; every process that serves this door needs the same.
    pub state_key: Vec<u8>,
    pub journal: Option<Journal>,
}

impl Settings {
    #[must_use]
    pub fn new(door: &str, name: &str, state_key: Vec<u8>) -> Self {
        Self {
            door: door.to_owned(),
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            page_size: None,
            state_key,
            journal: None,
        }
    }
}

/// Why a door cannot open.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{count} tools are more than the {} a door serves", limits::TOOLS_MAX)]
    TooManyTools { count: usize },
    #[error("`{0}` is no tool name; use up to 128 letters, digits, `_`, `-` and `.`")]
    ToolName(String),
    #[error("two tools are called `{0}`")]
    ToolTwice(String),
    #[error("the schema of tool `{tool}` cannot be used: {reason}")]
    ToolSchema { tool: String, reason: String },
    #[error("the key that seals questions cannot be used")]
    StateKey(#[source] RequestStateError),
    #[error("allowed_hosts and allowed_origins must not be empty; an empty list would switch the check off")]
    NothingAllowed,
}

/// A handler ready to be served, to any number of clients.
#[derive(Clone)]
pub struct Door {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) settings: Settings,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) registry: Registry,
    pub(crate) resources: Vec<Resource>,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) info: ServerConfig,
    pub(crate) codec: Arc<RequestStateCodec>,
}

impl Door {
    /// # Errors
    /// When a tool cannot be served or the settings cannot be used.
    pub fn new(settings: Settings, handler: Arc<dyn Handler>) -> Result<Self, StartError> {
        let registry = Registry::new(&handler.tools())?;
        let resources = handler.resources();
        let prompts = handler.prompts();
        let keys = [("1", settings.state_key.clone())];
        let codec = RequestStateCodec::new_with_keyring("1", keys).map_err(StartError::StateKey)?;
        let mut info = ServerConfig::new(capabilities(&resources, &prompts, handler.tasks().is_some()));
        info.server_info = Implementation::new(settings.name.clone(), settings.version.clone());
        info.instructions.clone_from(&settings.instructions);
        let inner = Inner { settings, handler, registry, resources, prompts, info, codec: Arc::new(codec) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Serves one client on stdin and stdout until it hangs up. Nothing else may write to stdout.
    ///
    /// # Errors
    /// When the client does not speak the protocol, or the serving task dies.
    pub async fn stdio(&self, identity: Identity) -> Result<(), StdioError> {
        let (reader, writer) = rmcp::transport::io::stdio_pipes();
        self.serve(reader, writer, identity).await
    }

    /// Serves one client on any pair of streams, one JSON-RPC message a line, until it hangs up.
    ///
    /// # Errors
    /// When the client does not speak the protocol, or the serving task dies.
    pub async fn serve<R, W>(&self, reader: R, writer: W, identity: Identity) -> Result<(), StdioError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        stdio::serve(self, reader, writer, identity).await
    }

    /// The door over Streamable HTTP. Build it once, outside the App factory, and clone it into each worker.
    ///
    /// # Errors
    /// When nothing is allowed to reach it.
    pub fn http(&self, settings: HttpSettings) -> Result<HttpDoor, StartError> {
        HttpDoor::new(self.clone(), settings)
    }
}

fn capabilities(resources: &[Resource], prompts: &[Prompt], has_tasks: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder().enable_tools().build();
    if !resources.is_empty() {
        capabilities.resources = Some(rmcp::model::ResourcesCapability::default());
    }
    if !prompts.is_empty() {
        capabilities.prompts = Some(rmcp::model::PromptsCapability::default());
        capabilities.completions = Some(JsonObject::new());
    }
    let mut extensions = ExtensionCapabilities::new();
    if resources.iter().any(|resource| resource.mime_type == APP_VIEW) {
        let settings = JsonObject::from_iter([("mimeTypes".to_owned(), json!([APP_VIEW]))]);
        extensions.insert(APPS_EXTENSION_ID.to_owned(), settings);
    }
    if has_tasks {
        extensions.insert(TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
    }
    capabilities.extensions = (!extensions.is_empty()).then_some(extensions);
    capabilities
}

impl Inner {
    /// A refusal of the door, in the shape the handler wants.
    pub(crate) fn refusal(&self, problem: crate::problem::Problem) -> Value {
        self.handler.refusal(problem)
    }
}
