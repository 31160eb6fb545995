//! Putting a world together: rows, books, clock, ids.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use shop_gateway::webhook::account_secret;
use shop_gateway_sim::{Account, LedgerFile, Webhook};
use shop_service::{Shop, worlds};
use shop_store::{Db, Place};
use shop_world::{Clock, CrashPlan, World};
use twinshop_seed::Template;

use super::{BOOT_MARK, OpenWorld, Origin, Worlds, hook_url};
use crate::settings::Settings;

/// How a world is opened.
pub(crate) struct Opening {
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) clock: Clock,
    pub(crate) crash: CrashPlan,
    pub(crate) seed: u64,
    /// The bytes it starts from, unless it has a file.
    pub(crate) start: Arc<Template>,
    /// What a reset goes back to; this start, when absent.
    pub(super) origin: Option<Arc<Origin>>,
    /// Its ids are of a boot above this one.
    pub(super) above_boot: u64,
}

impl Opening {
    pub(crate) fn new(name: &str, place: Place, clock: Clock, seed: u64, start: Arc<Template>) -> Self {
        let crash = CrashPlan::never();
        Self { name: name.to_owned(), place, clock, crash, seed, start, origin: None, above_boot: 0 }
    }
}

impl Worlds {
    /// Opens a world, from its file where there is one, else from its start.
    ///
    /// # Errors
    /// When the file is in use or is no shop.
    pub(crate) async fn open(&self, opening: Opening) -> anyhow::Result<OpenWorld> {
        let ground = self.ground.get().context("worlds have nothing to stand on yet")?;
        let Opening { name, place, clock, crash, seed, start, origin, above_boot } = opening;
        let origin = origin.unwrap_or_else(|| {
            Arc::new(Origin { template: Arc::clone(&start), seed, clock: clock.reading() })
        });
        let (db, ledger) = stored(&place, &start).await?;
        let boot = worlds::count_boot(&db, above_boot).await?;
        let world = World::open(&name, seed, boot, clock, crash);
        let settings = &ground.settings;
        let (account, account_name) = match &settings.gateway_url {
            Some(_) => (None, name.clone()),
            None => (Some(Account::open(Arc::clone(&world), ledger)?), format!("{name}{BOOT_MARK}{boot}")),
        };
        if let Some(account) = &account {
            let (url, postman) = (hook_url(&ground.hooks.rest_url, &name), ground.hooks.postman.clone());
            let webhook = Webhook { url, secret: webhook_secret(settings, &name), postman };
            account.send_webhooks_to(Some(webhook));
        }
        let gateway = ground.gateway.for_account(&account_name);
        let shop = Shop::new(world, db, gateway, shop_settings(settings, &name));
        let open = OpenWorld { shop, account, place, origin };
        self.put(&open);
        Ok(open)
    }
}

/// Rows and books of a world, new ones from the start.
async fn stored(place: &Place, start: &Template) -> anyhow::Result<(Db, LedgerFile)> {
    match place {
        Place::Memory => {
            let db = Db::from_snapshot(&start.database).await?;
            Ok((db, LedgerFile::from_bytes(start.gateway_ledger.clone())))
        }
        Place::File(path) => {
            let books = gateway_path(path);
            if !path.exists() {
                if let Some(folder) = path.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                write(&books, &start.gateway_ledger)?;
                write(path, &start.database)?;
            }
            Ok((Db::open(place).await?, LedgerFile::at(&books)?))
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}

/// The gateway's own books, beside the shop's file: `shop.db` has `shop.gateway.jsonl`.
#[must_use]
pub fn gateway_path(database: &Path) -> PathBuf {
    database.with_extension("gateway.jsonl")
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
        console_url: settings.console_url.clone(),
    }
}
