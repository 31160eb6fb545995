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

/// Where the rows and books of a world come from.
pub(crate) enum Start {
    /// A seeded shop, copied into memory.
    Memory(Arc<Template>),
    /// A file that is there, with the gateway's beside it.
    File(PathBuf),
}

/// How a world is opened.
pub(crate) struct Opening {
    pub(crate) name: String,
    pub(crate) start: Start,
    pub(crate) clock: Clock,
    pub(crate) crash: CrashPlan,
    pub(crate) seed: u64,
    /// What a reset goes back to; this start, when absent.
    pub(super) origin: Option<Arc<Origin>>,
    /// Its ids are of a boot above this one.
    pub(super) above_boot: u64,
}

impl Opening {
    pub(crate) fn new(name: &str, start: Start, clock: Clock, seed: u64) -> Self {
        let crash = CrashPlan::never();
        Self { name: name.to_owned(), start, clock, crash, seed, origin: None, above_boot: 0 }
    }
}

impl Worlds {
    /// Opens a world from its start.
    ///
    /// # Errors
    /// When the file is in use or is no shop.
    pub(crate) async fn open(&self, opening: Opening) -> anyhow::Result<OpenWorld> {
        let ground = self.ground.get().context("worlds have nothing to stand on yet")?;
        let Opening { name, start, clock, crash, seed, origin, above_boot } = opening;
        let (db, ledger) = stored(&start).await?;
        let origin = match start {
            Start::Memory(template) => {
                Some(origin.unwrap_or_else(|| Arc::new(Origin { template, seed, clock: clock.reading() })))
            }
            Start::File(_) => None,
        };
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
        let open = OpenWorld { shop, account, origin };
        self.put(&open);
        Ok(open)
    }
}

async fn stored(start: &Start) -> anyhow::Result<(Db, LedgerFile)> {
    match start {
        Start::Memory(template) => {
            let db = Db::from_snapshot(&template.database).await?;
            Ok((db, LedgerFile::from_bytes(template.gateway_ledger.clone())))
        }
        Start::File(path) => {
            Ok((Db::open(&Place::File(path.clone())).await?, LedgerFile::at(&gateway_path(path))?))
        }
    }
}

/// Lays a new world down in a file and the gateway's beside it.
///
/// # Errors
/// When they cannot be written.
pub fn write_world(path: &Path, template: &Template) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let books = gateway_path(path);
    for (path, bytes) in [(books.as_path(), &template.gateway_ledger), (path, &template.database)] {
        std::fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(())
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
