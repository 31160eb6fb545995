//! One world's shop: its rows, its gateway account and how it is set.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use shop_domain::after_sales::RulesMode;
use shop_domain::ids::AttemptId;
use shop_gateway::Client;
use shop_store::Db;
use shop_world::World;
use tokio::sync::Notify;

use crate::webhooks::Postman;

/// What is fixed when a world is opened.
#[derive(Clone, Debug)]
pub struct Settings {
    pub rules: RulesMode,
    pub idempotency: Profile,
    /// Seals what the shop's own doors say about a caller.
    pub door_secret: String,
    /// What the gateway signs its webhooks to this world with.
    pub webhook_secret: String,
    /// What the link in a consent or approval begins with.
    pub console_url: String,
}

/// How callers' keys are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// ACP §6: required on D and M, 5xx never stored.
    Acp,
    /// Optional, as Stripe's first API had it.
    StripeV1,
    /// Keys are ignored.
    None,
}

/// Everything the scripts need besides the caller.
#[derive(Debug)]
pub struct Shop {
    pub world: Arc<World>,
    pub db: Db,
    pub gateway: Client,
    pub settings: Settings,
    /// Carries events to subscribers.
    pub(crate) postman: Postman,
    /// Wakes the job runner: something is due now.
    pub wake: Notify,
    /// Attempts this process is calling the gateway for at this moment.
    calling: Mutex<HashSet<AttemptId>>,
}

impl Shop {
    #[must_use]
    pub fn new(world: Arc<World>, db: Db, gateway: Client, settings: Settings) -> Arc<Self> {
        let (postman, wake) = (Postman::default(), Notify::new());
        Arc::new(Self { world, db, gateway, settings, postman, wake, calling: Mutex::default() })
    }

    /// Whether this process is calling the gateway for an attempt at this moment.
    pub(crate) fn is_calling(&self, attempt: AttemptId) -> bool {
        self.calling.lock().unwrap_or_else(PoisonError::into_inner).contains(&attempt)
    }

    /// Marks an attempt as being called until the guard is dropped; `None` when somebody else is at it.
    pub(crate) fn calling(self: &Arc<Self>, attempt: AttemptId) -> Option<Calling> {
        let is_new = self.calling.lock().unwrap_or_else(PoisonError::into_inner).insert(attempt);
        is_new.then(|| Calling { shop: Arc::clone(self), attempt })
    }
}

/// Held while the gateway is being called.
pub(crate) struct Calling {
    shop: Arc<Shop>,
    attempt: AttemptId,
}

impl Drop for Calling {
    fn drop(&mut self) {
        self.shop.calling.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.attempt);
    }
}
