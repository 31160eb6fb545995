//! Worlds: a database, a gateway account, a clock, id streams, a fault plan and a journal each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::Context as _;
use async_trait::async_trait;
use shop_gateway::Client;
use shop_gateway::webhook::account_secret;
use shop_gateway_sim::{Account, LedgerFile, Postman, Webhook};
use shop_service::{Shop, worlds};
use shop_store::{Db, Place};
use shop_world::{Clock, CrashPlan, World};
use twinshop_seed::Template;

use crate::doors::world_base;
use crate::settings::Settings;

/// The world of a call that names none.
pub const MAIN: &str = "main";

/// One open world.
#[derive(Clone)]
pub struct OpenWorld {
    pub shop: Arc<Shop>,
    /// Its books at the built-in gateway; `None` when the gateway is elsewhere.
    pub account: Option<Arc<Account>>,
}

/// All open worlds of this process.
#[derive(Default)]
pub struct Worlds {
    open: RwLock<HashMap<String, OpenWorld>>,
}

/// How a world is opened.
pub struct Opening<'a> {
    pub name: &'a str,
    pub place: &'a Place,
    pub clock: Clock,
    pub crash: CrashPlan,
    pub gateway: &'a Client,
    /// Where the built-in gateway tells what happened.
    pub hooks: &'a Hooks,
    /// The bytes a new world starts from.
    pub template: &'a Template,
}

/// How the built-in gateway reaches the shop.
#[derive(Clone, Debug)]
pub struct Hooks {
    /// Where the REST door is.
    pub(crate) rest_url: String,
    pub(crate) postman: Postman,
}

impl Worlds {
    /// Opens a world, from its file where there is one, else from the template.
    ///
    /// # Errors
    /// When the file is in use or is no shop.
    pub async fn open(&self, settings: &Settings, opening: Opening<'_>) -> anyhow::Result<OpenWorld> {
        let Opening { name, place, clock, crash, gateway, hooks, template } = opening;
        let is_new = match place {
            Place::Memory => true,
            Place::File(path) => !path.exists(),
        };
        let ledger = ledger_file(place, is_new.then_some(template))?;
        let db = match place {
            Place::Memory => Db::from_snapshot(&template.database).await?,
            Place::File(path) => {
                if is_new {
                    if let Some(folder) = path.parent() {
                        std::fs::create_dir_all(folder)?;
                    }
                    std::fs::write(path, &template.database)
                        .with_context(|| format!("writing {}", path.display()))?;
                }
                Db::open(place).await?
            }
        };
        let boot = worlds::count_boot(&db).await?;
        let world = World::open(name, settings.seed, boot, clock, crash);
        let account = match &settings.gateway_url {
            Some(_) => None,
            None => Some(Account::open(Arc::clone(&world), ledger)?),
        };
        if let Some(account) = &account {
            let (url, postman) = (hook_url(&hooks.rest_url, name), hooks.postman.clone());
            let webhook = Webhook { url, secret: webhook_secret(settings, name), postman };
            account.send_webhooks_to(Some(webhook));
        }
        let shop = Shop::new(world, db, gateway.for_account(name), shop_settings(settings, name));
        let open = OpenWorld { shop, account };
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), open.clone());
        Ok(open)
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<OpenWorld> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Forgets a world; its memory goes when its last call ends.
    pub fn close(&self, name: &str) {
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    #[must_use]
    pub fn all(&self) -> Vec<OpenWorld> {
        self.open.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

/// Where a world's gateway account sends its events.
pub(crate) fn hook_url(rest_url: &str, world: &str) -> String {
    format!("{}/hooks/gateway", world_base(rest_url, world))
}

fn webhook_secret(settings: &Settings, world: &str) -> String {
    account_secret(settings.webhook_secret.as_deref().unwrap_or_default(), world)
}

pub(crate) fn shop_settings(settings: &Settings, world: &str) -> shop_service::Settings {
    shop_service::Settings {
        rules: settings.rules,
        idempotency: settings.idempotency,
        door_secret: settings.door_secret.clone().unwrap_or_default(),
        webhook_secret: webhook_secret(settings, world),
        console_url: String::new(),
    }
}

/// The gateway's own books, beside the shop's file: `shop.db` has `shop.gateway.jsonl`.
fn ledger_file(place: &Place, new_from: Option<&Template>) -> anyhow::Result<LedgerFile> {
    match place {
        Place::Memory => {
            Ok(LedgerFile::from_bytes(new_from.map(|new| new.gateway_ledger.clone()).unwrap_or_default()))
        }
        Place::File(path) => {
            let path = gateway_path(path);
            if let Some(new) = new_from {
                std::fs::write(&path, &new.gateway_ledger)
                    .with_context(|| format!("writing {}", path.display()))?;
            }
            Ok(LedgerFile::at(&path)?)
        }
    }
}

#[must_use]
pub fn gateway_path(database: &Path) -> PathBuf {
    database.with_extension("gateway.jsonl")
}

#[async_trait]
impl shop_api::Worlds for Worlds {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        Some(self.get(world)?.shop)
    }
}

#[async_trait]
impl worlds::Shops for Worlds {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        Some(self.get(world)?.shop)
    }
}

#[async_trait]
impl shop_gateway_sim::Accounts for Worlds {
    async fn account(&self, name: &str) -> Option<Arc<Account>> {
        self.get(name)?.account
    }
}
