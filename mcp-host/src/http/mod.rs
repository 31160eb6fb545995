//! The door over Streamable HTTP, at `/mcp` and at `/w/{world}/mcp`.
//!
//! Every request passes the [`gate`]: it finds the world, authenticates, and keeps sessions with their owners. Only
//! the verified [`Identity`] goes on; the caller's token ends there. Host and Origin are checked by rmcp.
//!
//! The server's builder must set `tcp_nodelay(true)`. To stop, cancel the token first and then stop the server.

mod gate;
mod metadata;
mod sessions;
mod store;

use std::sync::Arc;

use actix_web::middleware::from_fn;
use actix_web::{HttpMessage, HttpRequest, web};
use rmcp::transport::streamable_http_server::session::SessionStore as RmcpStore;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp_actix_web::transport::StreamableHttpService;
use tokio_util::sync::CancellationToken;

use crate::door::{Door, StartError};
use crate::identity::{Authenticate, Identity};
use crate::limits;
use crate::server::Server;

use gate::Gate;
use sessions::Sessions;
use store::StoreAdapter;
pub use store::{SessionStore, StoreError, StoredSession};

/// The header that names a world when the path does not.
pub const WORLD_HEADER: &str = "X-Twinshop-World";

/// Who may reach the door, and how.
#[derive(Clone)]
pub struct HttpSettings {
    pub authenticate: Arc<dyn Authenticate>,
    /// `Host` values accepted, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// `Origin` values accepted; requests without one pass.
    pub allowed_origins: Vec<String>,
    /// Who issues tokens, for the metadata document of RFC 9728.
    pub authorization_servers: Vec<String>,
    /// Where sessions of older clients are kept for other processes; memory only when absent.
    pub sessions: Option<Arc<dyn SessionStore>>,
    /// Ends sessions and streams when cancelled.
    pub cancel: CancellationToken,
}

impl HttpSettings {
    /// Reachable from this machine only.
    pub fn new(authenticate: Arc<dyn Authenticate>) -> Self {
        let hosts = ["localhost", "127.0.0.1", "[::1]"];
        Self {
            authenticate,
            allowed_hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
            allowed_origins: hosts
                .iter()
                .flat_map(|host| [format!("http://{host}:*"), format!("https://{host}:*")])
                .collect(),
            authorization_servers: Vec::new(),
            sessions: None,
            cancel: CancellationToken::new(),
        }
    }
}

/// A door ready to be mounted in any number of actix workers; clones share sessions.
#[derive(Clone)]
pub struct HttpDoor {
    door: Door,
    gate: Arc<Gate>,
    local: Arc<LocalSessionManager>,
    store: Option<Arc<StoreAdapter>>,
}

impl HttpDoor {
    pub(crate) fn new(door: Door, settings: HttpSettings) -> Result<Self, StartError> {
        if settings.allowed_hosts.is_empty() || settings.allowed_origins.is_empty() {
            return Err(StartError::NothingAllowed);
        }
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(limits::SESSION_IDLE);
        let local = Arc::new(local);
        let store = settings.sessions.clone().map(|rows| Arc::new(StoreAdapter::new(rows)));
        let sessions = Sessions::new(Arc::clone(&local), store.clone());
        Ok(Self { door, gate: Arc::new(Gate { settings, sessions }), local, store })
    }

    /// Mounts the door at `/mcp` and `/w/{world}/mcp`, and its metadata at the well-known place.
    pub fn configure(&self, app: &mut web::ServiceConfig) {
        metadata::configure(app, &self.gate);
        for path in ["/mcp", "/w/{world}/mcp"] {
            let gate = Arc::clone(&self.gate);
            let scope = self.service().scope_with_path(path).wrap(from_fn(move |request, next| {
                let gate = Arc::clone(&gate);
                async move { gate.pass(request, next).await }
            }));
            app.service(scope);
        }
    }

    fn service(&self) -> StreamableHttpService<Server> {
        let door = Arc::clone(&self.door.inner);
        let settings = &self.gate.settings;
        StreamableHttpService::builder()
            .service_factory(Arc::new(move || Ok(Server { door: Arc::clone(&door), fixed: None })))
            .session_manager(Arc::clone(&self.local))
            // Without a session a client of 2025 cannot be asked anything.
            .stateful_mode(true)
            .json_response(true)
            .max_request_body_bytes(limits::BODY_BYTES_MAX)
            .allowed_hosts(settings.allowed_hosts.clone())
            .allowed_origins(settings.allowed_origins.clone())
            .cancellation_token(settings.cancel.clone())
            .maybe_session_store(self.store.clone().map(|store| -> Arc<dyn RmcpStore> { store }))
            .on_request_fn(hand_over)
            .build()
    }
}

/// Moves the verified identity, and nothing else, to where handlers find it.
fn hand_over(request: &HttpRequest, extensions: &mut rmcp::model::Extensions) {
    if let Some(identity) = request.extensions().get::<Identity>() {
        extensions.insert(identity.clone());
    }
}
