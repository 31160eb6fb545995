//! Worlds: a database, a gateway account, a clock, id streams, a fault plan and a journal each.
//!
//! [`open`] puts one together, [`change`] makes, resets, forks and restores them, [`snapshot`] is one as a file.

mod change;
mod open;
mod refusal;
mod snapshot;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use async_trait::async_trait;
use shop_gateway::Client;
use shop_gateway_sim::{Account, Postman};
use shop_service::{Shop, worlds};
use shop_world::clock::Reading;
use tokio::sync::Mutex;
use twinshop_seed::{Profile, Template};

use crate::doors::world_base;
use crate::settings::Settings;

pub(crate) use change::{Difference, NewWorld};
pub(crate) use open::{Opening, Start, shop_settings};
pub use open::{gateway_path, write_world};
pub(crate) use refusal::Refusal;

/// The world of a call that names none.
pub const MAIN: &str = "main";
/// Between a world's name and its boot in the name of its account.
const BOOT_MARK: char = '~';

/// One open world.
#[derive(Clone)]
pub struct OpenWorld {
    pub shop: Arc<Shop>,
    /// Its books at the built-in gateway; `None` when the gateway is elsewhere.
    pub account: Option<Arc<Account>>,
    /// `None` when its rows are in a file, which is not reset.
    pub(crate) origin: Option<Arc<Origin>>,
}

/// What a world began with, to which a reset goes back.
pub(crate) struct Origin {
    template: Arc<Template>,
    seed: u64,
    clock: Reading,
}

/// All open worlds of this process.
#[derive(Default)]
pub struct Worlds {
    open: RwLock<HashMap<String, OpenWorld>>,
    /// Held while worlds come and go, so that two callers do not make the same one.
    changing: Mutex<Templates>,
    ground: OnceLock<Ground>,
}

/// Shops that were seeded for a world, newest last.
type Templates = Vec<(Profile, u64, Arc<Template>)>;

/// What all worlds of a process share.
pub(crate) struct Ground {
    pub(crate) settings: Arc<Settings>,
    pub(crate) gateway: Client,
    /// Where the built-in gateway tells what happened.
    pub(crate) hooks: Hooks,
}

/// How the built-in gateway reaches the shop.
#[derive(Clone, Debug)]
pub struct Hooks {
    /// Where the REST door is.
    pub(crate) rest_url: String,
    pub(crate) postman: Postman,
}

impl Worlds {
    /// What worlds stand on, known once the ports are.
    pub(crate) fn stand_on(&self, ground: Ground) {
        // A second ground would be a second stack over the same worlds, which nobody builds.
        let _ = self.ground.set(ground);
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<OpenWorld> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// The same for a call that names a world: under `--worlds auto` a new name is a new world.
    pub(crate) async fn find(&self, name: &str) -> Option<OpenWorld> {
        let found = self.get(name);
        let makes_new = || self.ground.get().is_some_and(|ground| ground.settings.auto_worlds);
        if found.is_some() || !makes_new() {
            return found;
        }
        match self.create(NewWorld::named(name)).await {
            Ok(open) => Some(open),
            Err(Refusal::Exists(_)) => self.get(name),
            Err(why) => {
                tracing::warn!(world = name, %why, "a world could not be made at its first use");
                None
            }
        }
    }

    /// Forgets a world; its memory goes when its last call ends.
    pub fn close(&self, name: &str) {
        let closed = self.open.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        closed.inspect(OpenWorld::retire);
    }

    #[must_use]
    pub fn all(&self) -> Vec<OpenWorld> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Puts a world under its name; one that was there before is no longer found.
    fn put(&self, open: &OpenWorld) {
        let name = open.shop.world.name.clone();
        let before = self.open.write().unwrap_or_else(PoisonError::into_inner).insert(name, open.clone());
        before.inspect(OpenWorld::retire);
    }
}

impl OpenWorld {
    /// A world that is no longer found tells nobody anything: its name may be another's by now.
    fn retire(&self) {
        if let Some(account) = &self.account {
            account.send_webhooks_to(None);
        }
    }
}

/// Where a world's gateway account sends its events.
pub(crate) fn hook_url(rest_url: &str, world: &str) -> String {
    format!("{}/hooks/gateway", world_base(rest_url, world))
}

#[async_trait]
impl shop_api::Worlds for Worlds {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        Some(self.find(world).await?.shop)
    }
}

#[async_trait]
impl worlds::Shops for Worlds {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        Some(self.find(world).await?.shop)
    }
}

#[async_trait]
impl shop_gateway_sim::Accounts for Worlds {
    /// A shop calls itself by name and boot, so that a call still under way when its world was reset does not reach
    /// the books of the next one.
    async fn account(&self, name: &str) -> Option<Arc<Account>> {
        let (name, boot) = match name.split_once(BOOT_MARK) {
            Some((name, boot)) => (name, Some(boot)),
            None => (name, None),
        };
        let open = self.get(name)?;
        let is_it = boot.is_none_or(|boot| boot == open.shop.world.boot.to_string());
        open.account.filter(|_| is_it)
    }
}
