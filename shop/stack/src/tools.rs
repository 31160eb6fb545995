//! What commands need of a stack that is not running: a checked world at rest, τ² export, the gateway alone.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::Context as _;
use async_trait::async_trait;
use shop_gateway::webhook::account_secret;
use shop_gateway_sim::{Account, Accounts, LedgerFile, Postman, Simulator, Stopper, Tempo, Webhook};
use shop_service::{Shop, reports};
use shop_store::{Db, Place};
use shop_world::{Clock, CrashPlan, FaultRule, World};

use crate::run::{client, listen_at, url};
use crate::scheduler::TICK;
use crate::settings::Settings;
use crate::worlds::{MAIN, gateway_path, hook_url, shop_settings};

/// A file, or memory.
#[must_use]
pub fn store_place(database: Option<&Path>) -> Place {
    database.map_or(Place::Memory, |path| Place::File(path.to_owned()))
}

/// Reads `fault@operation:after*2` flags.
///
/// # Errors
/// Says which flag is wrong, and how to write it.
pub fn parse_faults(flags: &[String]) -> anyhow::Result<Vec<FaultRule>> {
    let mut rules = Vec::with_capacity(flags.len());
    for flag in flags {
        let rule: FaultRule = flag.parse().map_err(anyhow::Error::msg)?;
        shop_gateway_sim::faults::check(&rule).map_err(anyhow::Error::msg)?;
        rules.push(rule);
    }
    Ok(rules)
}

/// The OpenAPI document.
#[must_use]
pub fn openapi() -> serde_json::Value {
    shop_api::document()
}

/// The rows of a file, in the shape of τ²-bench's db.json.
///
/// # Errors
/// When the file is in use or is no τ² world.
pub async fn export_tau2(database: &Path) -> anyhow::Result<serde_json::Value> {
    let db = Db::open(&Place::File(database.to_owned())).await?;
    twinshop_seed::export_tau2(&db).await
}

/// Every invariant of a shop at rest and of its gateway's books that does not hold.
///
/// # Errors
/// When a file is in use or cannot be read.
pub async fn check(database: &Path) -> anyhow::Result<Vec<String>> {
    let db = Db::open(&Place::File(database.to_owned())).await?;
    let world = World::open(MAIN, 0, 0, Clock::running(), CrashPlan::never());
    let account = Account::open(Arc::clone(&world), LedgerFile::at(&gateway_path(database))?)?;
    let shop =
        Shop::new(world, db, client("http://127.0.0.1:9", 1)?, shop_settings(&Settings::default(), MAIN));
    check_world(&shop, &account).await
}

/// The same for an open world.
///
/// # Errors
/// When the database does not answer.
pub async fn check_world(shop: &Shop, account: &Account) -> anyhow::Result<Vec<String>> {
    let mut findings = reports::check(shop).await?;
    let truth = account.truth()?;
    let kept = shop_gateway_sim::ChargeTruth::kept_minor;
    let charges =
        truth.charges.iter().map(|charge| (charge.payment.clone(), charge.reference.clone(), kept(charge)));
    for difference in reports::reconcile_rows(shop, charges.collect()).await? {
        if !difference.is_unknown {
            findings.push(format!(
                "charge {}: the shop says {}, the gateway says {}",
                difference.charge_id, difference.shop_minor, difference.gateway_minor
            ));
        }
    }
    Ok(findings)
}

/// The simulator alone, with an account for every name that asks.
pub struct GatewayOnly {
    url: String,
    stopper: Stopper,
}

impl GatewayOnly {
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    pub async fn stop(self) {
        self.stopper.stop().await;
    }
}

/// How it is started.
#[derive(Debug)]
pub struct GatewaySettings {
    pub host: IpAddr,
    pub port: u16,
    /// Where accounts keep their books; memory when absent.
    pub ledger_dir: Option<PathBuf>,
    /// What the account of the main world has seen when it is new: what a shop seeded so was paid.
    pub profile: twinshop_seed::Profile,
    pub seed: u64,
    pub faults: Vec<FaultRule>,
    /// The shop that is told what happened, and the secret shared with it; nobody when absent.
    pub shop: Option<(String, String)>,
}

/// Starts it.
///
/// # Errors
/// When the port is taken or the past cannot be told.
pub async fn gateway_only(settings: GatewaySettings) -> anyhow::Result<GatewayOnly> {
    let GatewaySettings { host, port, ledger_dir, profile, seed, faults, shop } = settings;
    let past = twinshop_seed::template(profile, seed).await?.gateway_ledger;
    let (postman, open) = (Postman::new()?, Mutex::default());
    let accounts = Arc::new(OnDemand { ledger_dir, past, faults, shop, postman, open });
    let listener = listen_at(host, port, "gateway")?;
    let url = url(&listener)?;
    let by_name: Arc<dyn Accounts> = accounts.clone();
    let running = Simulator::new(by_name, Tempo::default()).server(listener, 2)?;
    let stopper = running.stopper();
    tokio::spawn(running.server);
    tokio::spawn(tick_while_open(Arc::downgrade(&accounts)));
    Ok(GatewayOnly { url, stopper })
}

struct OnDemand {
    ledger_dir: Option<PathBuf>,
    /// The first lines of the main world's account.
    past: Vec<u8>,
    faults: Vec<FaultRule>,
    shop: Option<(String, String)>,
    postman: Postman,
    open: Mutex<Vec<Arc<Account>>>,
}

#[async_trait]
impl Accounts for OnDemand {
    async fn account(&self, name: &str) -> Option<Arc<Account>> {
        let is_plain = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !is_plain {
            return None;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = open.iter().find(|account| account.name() == name) {
            return Some(Arc::clone(account));
        }
        match self.create(name) {
            Ok(account) => {
                open.push(Arc::clone(&account));
                Some(account)
            }
            Err(error) => {
                tracing::error!(name, %error, "an account cannot be opened");
                None
            }
        }
    }
}

impl OnDemand {
    fn create(&self, name: &str) -> anyhow::Result<Arc<Account>> {
        let past: &[u8] = if name == MAIN { &self.past } else { &[] };
        let ledger = match &self.ledger_dir {
            Some(folder) => {
                std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
                let file = folder.join(format!("{name}.jsonl"));
                if !file.exists() {
                    std::fs::write(&file, past).with_context(|| format!("writing {}", file.display()))?;
                }
                LedgerFile::at(&file)?
            }
            None => LedgerFile::from_bytes(past.to_vec()),
        };
        let boot = u64::try_from(shop_world::clock::lease_now_ms()).unwrap_or(0);
        let world = World::open(name, 0, boot, Clock::running(), CrashPlan::never());
        world.faults.put(self.faults.clone());
        let account = Account::open(world, ledger)?;
        account.send_webhooks_to(self.shop.as_ref().map(|(url, secret)| Webhook {
            url: hook_url(url, name),
            secret: account_secret(secret, name),
            postman: self.postman.clone(),
        }));
        Ok(account)
    }
}

/// What accounts do by themselves when its time has come.
async fn tick_while_open(accounts: Weak<OnDemand>) {
    loop {
        tokio::time::sleep(TICK).await;
        let Some(accounts) = accounts.upgrade() else { return };
        let open = accounts.open.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for account in open {
            if let Err(error) = account.tick() {
                tracing::warn!(account = account.name(), %error, "its books could not be used");
            }
        }
    }
}
