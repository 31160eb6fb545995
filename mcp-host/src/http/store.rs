//! Sessions of older clients as rows, so that any process can serve their next request.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use rmcp::model::InitializeRequestParams;
use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore as RmcpStore, SessionStoreError,
};
use serde_json::Value;

use crate::identity::Identity;
use crate::limits;

/// What one session needs to be opened again elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSession {
    pub subject: String,
    pub world: String,
    /// The client's `initialize` parameters.
    pub initialize: Value,
}

/// Why a store did not answer.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Rows of sessions.
#[async_trait]
pub trait SessionStore: Send + Sync + 'static {
    async fn load(&self, id: &str) -> Result<Option<StoredSession>, StoreError>;
    async fn save(&self, id: &str, session: &StoredSession) -> Result<(), StoreError>;
    async fn delete(&self, id: &str) -> Result<(), StoreError>;
}

/// Our store as rmcp's. rmcp saves before the gate knows the session's id, so the parameters wait here until the
/// gate adds their owner.
pub(crate) struct StoreAdapter {
    rows: Arc<dyn SessionStore>,
    unowned: Mutex<HashMap<String, Value>>,
}

impl StoreAdapter {
    pub(crate) fn new(rows: Arc<dyn SessionStore>) -> Self {
        Self { rows, unowned: Mutex::default() }
    }

    pub(crate) async fn owner(&self, id: &str) -> Option<(String, String)> {
        match self.rows.load(id).await {
            Ok(session) => session.map(|session| (session.subject, session.world)),
            Err(error) => {
                tracing::error!(%error, "a session could not be loaded");
                None
            }
        }
    }

    /// The gate has seen the session leave for its client: now the row can be written.
    pub(crate) async fn opened(&self, id: &str, owner: &Identity) {
        let Some(initialize) = self.lock().remove(id) else { return };
        let (subject, world) = (owner.subject().to_owned(), owner.world().to_owned());
        if let Err(error) = self.rows.save(id, &StoredSession { subject, world, initialize }).await {
            tracing::error!(%error, "a session could not be saved; only this process can serve it");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Value>> {
        self.unowned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl RmcpStore for StoreAdapter {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let Some(session) = self.rows.load(id).await? else { return Ok(None) };
        let params: InitializeRequestParams = serde_json::from_value(session.initialize)?;
        Ok(Some(SessionState::new(params)))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        let initialize = serde_json::to_value(&state.initialize_params)?;
        let mut unowned = self.lock();
        // Left behind by clients that hung up during the handshake; nobody will come for them.
        if unowned.len() >= limits::SESSIONS_MAX {
            unowned.clear();
        }
        unowned.insert(id.to_owned(), initialize);
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.rows.delete(id).await
    }
}
