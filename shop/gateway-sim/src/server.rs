//! The simulator as a server: accounts by name, a port of its own, a stop that waits for nobody.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use actix_web::dev::{Server, ServerHandle};
use actix_web::web::Data;
use actix_web::{App, HttpServer};
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::account::Account;
pub use crate::http::routes;
use crate::limits;

/// Finds accounts. A stack opens worlds here when they are first asked for.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// The account with this name; `None` is answered with 401.
    async fn account(&self, name: &str) -> Option<Arc<Account>>;
}

/// Accounts that were opened beforehand.
#[derive(Default)]
pub struct OpenAccounts {
    by_name: RwLock<HashMap<String, Arc<Account>>>,
}

impl OpenAccounts {
    /// Adds an account under its world's name, or replaces it.
    pub fn insert(&self, account: Arc<Account>) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        by_name.insert(account.name().to_owned(), account);
    }
}

#[async_trait]
impl Accounts for OpenAccounts {
    async fn account(&self, name: &str) -> Option<Arc<Account>> {
        self.by_name.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// How long the simulator takes for what takes long, in real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// The pause of the fault `slow`.
    pub slow: Duration,
    /// The longest that a call is left without an answer.
    pub hang_max: Duration,
}

impl Default for Tempo {
    fn default() -> Self {
        Self { slow: Duration::from_millis(1_500), hang_max: Duration::from_secs(30) }
    }
}

/// The gateway. Clones are the same gateway.
#[derive(Clone)]
pub struct Simulator {
    accounts: Arc<dyn Accounts>,
    tempo: Tempo,
    stopped: CancellationToken,
}

/// A gateway that listens.
pub struct Running {
    /// Where it can be reached.
    pub address: SocketAddr,
    /// A future that must be polled for signals and ends with the server; hand it to a task.
    pub server: Server,
    handle: ServerHandle,
    stopped: CancellationToken,
}

impl Simulator {
    #[must_use]
    pub fn new(accounts: Arc<dyn Accounts>, tempo: Tempo) -> Self {
        Self { accounts, tempo, stopped: CancellationToken::new() }
    }

    /// The account with this name, opened if need be.
    pub async fn account(&self, name: &str) -> Option<Arc<Account>> {
        self.accounts.account(name).await
    }

    /// Serves on a listener; bind it to port 0 for a free one.
    ///
    /// # Errors
    /// When the listener cannot be used.
    pub fn server(&self, listener: TcpListener, workers: usize) -> io::Result<Running> {
        let address = listener.local_addr()?;
        let data = Data::new(self.clone());
        let server = HttpServer::new(move || App::new().app_data(data.clone()).configure(routes))
            .workers(workers.max(1))
            .tcp_nodelay(true)
            // A caller that hangs up frees its connection at once, also one that is left without an answer.
            .h1_allow_half_closed(false)
            .disable_signals()
            .shutdown_timeout(limits::SHUTDOWN_S)
            .listen(listener)?
            .run();
        let handle = server.handle();
        Ok(Running { address, server, handle, stopped: self.stopped.clone() })
    }

    pub(crate) const fn tempo(&self) -> Tempo {
        self.tempo
    }

    pub(crate) async fn stopped(&self) {
        self.stopped.cancelled().await;
    }
}

impl Running {
    /// Stops the server once the future is taken from here.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper { handle: self.handle.clone(), stopped: self.stopped.clone() }
    }
}

/// Stops a running gateway.
#[derive(Clone, Debug)]
pub struct Stopper {
    handle: ServerHandle,
    stopped: CancellationToken,
}

impl Stopper {
    /// Lets calls under way end, and those that hang at once; returns when the port is free.
    pub async fn stop(&self) {
        self.stopped.cancel();
        self.handle.stop(true).await;
    }
}
