//! The floor of `tools/list`: rmcp by itself with the same tools and nothing behind them.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use rmcp::ServerHandler;
use rmcp::model::{
    ErrorData, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp_actix_web::transport::StreamableHttpService;

#[derive(Clone)]
pub(crate) struct Plain {
    tools: Arc<Vec<Tool>>,
}

impl Plain {
    /// The tools of a list that a door gave.
    pub(crate) fn read(list: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(list).with_context(|| format!("{} cannot be read", list.display()))?;
        Ok(Self { tools: Arc::new(serde_json::from_slice(&text)?) })
    }

    pub(crate) fn service(&self) -> StreamableHttpService<Self> {
        let plain = self.clone();
        StreamableHttpService::builder()
            .service_factory(Arc::new(move || Ok(plain.clone())))
            .session_manager(Arc::new(LocalSessionManager::default()))
            .stateful_mode(true)
            .json_response(true)
            .build()
    }
}

impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }
}
