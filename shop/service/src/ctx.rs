//! Who asks, through which door, under which key: the first argument of every service function.

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Owner, Principal, Role, Scope, sees};
use shop_domain::ids::{ActionId, ApprovalId, PrincipalId};
use shop_domain::operations::Operation;
use shop_store::Db;

use crate::error::{Error, Result};
use crate::rehearsal::Rehearsal;
use crate::shop::Shop;
use crate::webhooks::Postman;
use crate::{Reply, audit};

/// Where a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Rest,
    Actions,
    Console,
    /// The shop's own jobs and seeding.
    System,
}

impl Door {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Actions => "mcp_actions",
            Self::Console => "console",
            Self::System => "system",
        }
    }
}

/// What came with one call besides its input.
#[derive(Clone, Debug, Default)]
pub struct Call {
    pub key: Option<CallerKey>,
    /// The version the caller believes in.
    pub if_match: Option<i64>,
    pub approval_id: Option<ApprovalId>,
    /// The action this call is a step of.
    pub action_id: Option<ActionId>,
}

/// A key that makes a repeated call the same call.
#[derive(Clone, Debug)]
pub struct CallerKey {
    pub key: String,
    /// Of method, path and body as they came: absent and null differ.
    pub request_hash: String,
    /// The system's own keys (the steps of an action) never expire.
    pub is_system: bool,
}

/// One operation's context. Clones are new operations.
#[derive(Debug)]
pub struct Ctx {
    pub shop: Arc<Shop>,
    pub principal: Arc<Principal>,
    pub door: Door,
    pub call: Call,
    /// Its writes are rolled back.
    pub(crate) rehearsal: Option<Rehearsal>,
    /// What somebody agreed to, in minor units.
    agreed_minor: Option<i64>,
    /// A transaction is open: the gateway and the reader are out of reach.
    in_tx: Arc<AtomicBool>,
}

impl Clone for Ctx {
    fn clone(&self) -> Self {
        Self {
            call: self.call.clone(),
            rehearsal: self.rehearsal.clone(),
            agreed_minor: self.agreed_minor,
            ..Self::new(Arc::clone(&self.shop), Arc::clone(&self.principal), self.door)
        }
    }
}

impl Ctx {
    #[must_use]
    pub fn new(shop: Arc<Shop>, principal: Arc<Principal>, door: Door) -> Self {
        Self {
            shop,
            principal,
            door,
            call: Call::default(),
            rehearsal: None,
            agreed_minor: None,
            in_tx: Arc::default(),
        }
    }

    /// The shop itself, for its jobs.
    #[must_use]
    pub fn system(shop: Arc<Shop>) -> Self {
        let id = PrincipalId::new(ulid::Ulid::nil());
        let principal = Principal::human(id, "system", Role::Admin, Scope::Tenant);
        Self::new(shop, Arc::new(principal), Door::System)
    }

    #[must_use]
    pub fn with_call(mut self, call: Call) -> Self {
        self.call = call;
        self
    }

    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.shop.world.clock.now()
    }

    /// The next id of a kind: `ctx.id(OrderId::new)`.
    pub fn id<I>(&self, new: impl FnOnce(ulid::Ulid) -> I) -> I {
        new(self.shop.world.ids.next(std::any::type_name::<I>()))
    }

    /// For reads outside a transaction.
    ///
    /// # Errors
    /// When a transaction is open in this operation: on a world in memory such a read would wait for itself.
    pub fn read(&self) -> Result<&DatabaseConnection> {
        self.outside_tx("a read")?;
        Ok(self.shop.db.reader())
    }

    /// The gateway, which is never called with a transaction open.
    ///
    /// # Errors
    /// When a transaction is open.
    pub fn gateway(&self) -> Result<&shop_gateway::Client> {
        self.outside_tx("a gateway call")?;
        Ok(&self.shop.gateway)
    }

    /// Who carries events to subscribers, never with a transaction open.
    pub(crate) fn postman(&self) -> Result<&Postman> {
        self.outside_tx("a webhook")?;
        Ok(&self.shop.postman)
    }

    pub(crate) async fn begin(&self) -> Result<OpenTx> {
        self.outside_tx("a second transaction")?;
        let tx = self.db().begin().await?;
        self.in_tx.store(true, Ordering::SeqCst);
        Ok(OpenTx { tx, _open: OpenFlag(Arc::clone(&self.in_tx)) })
    }

    /// Runs a write on a task of its own, so that a client that hangs up cannot cut it between intent and outcome.
    /// A refusal is written to the audit log.
    ///
    /// # Errors
    /// What the write refuses.
    pub async fn detached<V, F>(&self, operation: &'static Operation, write: F) -> Result<Reply<V>>
    where
        V: Send + 'static,
        F: Future<Output = Result<Reply<V>>> + Send + 'static,
    {
        let audit = self.clone();
        let task = tokio::spawn(async move {
            let result = write.await;
            if let Err(error) = &result
                && let Err(cause) = audit::refused(&audit, operation, error).await
            {
                tracing::warn!(%cause, "a refusal could not be written to the audit log");
            }
            result
        });
        task.await.unwrap_or_else(|cause| Err(Error::internal(format!("an operation ended early: {cause}"))))
    }

    fn db(&self) -> &Db {
        &self.shop.db
    }

    fn outside_tx(&self, what: &str) -> Result<()> {
        if self.in_tx.load(Ordering::SeqCst) {
            return Err(Error::internal(format!("{what} was tried inside an open transaction")));
        }
        Ok(())
    }

    /// Object scope: what you may not see looks absent.
    ///
    /// # Errors
    /// `not_found`, naming the thing as if it did not exist.
    pub fn must_see(&self, owner: &Owner, what: impl std::fmt::Display) -> Result<()> {
        if sees(&self.principal.scope, owner) {
            Ok(())
        } else {
            Err(Error::not_found(what).with_layer("scope"))
        }
    }

    /// Binds the call to the amount that was agreed to: it is done for exactly that, or not at all.
    #[must_use]
    pub fn agreeing_on(mut self, minor: i64) -> Self {
        self.agreed_minor = Some(minor);
        self
    }

    /// An amount must be the one that was agreed to, where one was.
    ///
    /// # Errors
    /// `price_changed`, with both amounts.
    pub(crate) fn must_agree(&self, minor: i64) -> Result<()> {
        match self.agreed_minor {
            Some(agreed) if agreed != minor => Err(Error::new(
                ErrorCode::PriceChanged,
                format!("it comes to {minor} minor units now, and {agreed} was agreed to; decide anew"),
            )),
            Some(_) | None => Ok(()),
        }
    }

    /// The version the caller sent must be the one there is.
    ///
    /// # Errors
    /// `version_conflict`, with the version there is.
    pub fn must_match(&self, version: i64) -> Result<()> {
        match self.call.if_match {
            Some(sent) if sent != version => Err(Error::new(
                ErrorCode::VersionConflict,
                format!(
                    "you sent version {sent}, but it is at version {version} now; read it again and decide anew"
                ),
            )),
            Some(_) | None => Ok(()),
        }
    }
}

/// An open transaction that closes the door to the gateway and the reader while it lives.
#[derive(Debug)]
pub(crate) struct OpenTx {
    tx: shop_store::Tx,
    _open: OpenFlag,
}

#[derive(Debug)]
struct OpenFlag(Arc<AtomicBool>);

impl Drop for OpenFlag {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

impl OpenTx {
    pub(crate) async fn commit(self) -> Result<()> {
        Ok(self.tx.commit().await?)
    }
}

impl Deref for OpenTx {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &Self::Target {
        &self.tx
    }
}
