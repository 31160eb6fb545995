//! Where a walk is: a seeded shop in memory, the real simulator, and the REST door without a socket.

use std::net::TcpListener;
use std::sync::Arc;

use async_trait::async_trait;
use shop_gateway_sim::{Account, LedgerFile, OpenAccounts, Running, Simulator, Tempo};
use shop_service::{Shop, worlds};
use shop_store::Db;
use shop_world::{Clock, CrashPlan, World};
use twinshop_seed::{Demo, EPOCH, Profile};

use crate::run::client;
use crate::scheduler::Jobs;
use crate::settings::Settings;
use crate::worlds::{MAIN, OpenWorld, shop_settings};

/// Long enough for any answer that comes at all.
const GATEWAY_TIMEOUT_MS: u64 = 400;

pub(super) struct OneShop(pub(super) Arc<Shop>);

#[async_trait]
impl shop_api::Worlds for OneShop {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        (world == MAIN).then(|| Arc::clone(&self.0))
    }
}

/// A seeded world whose clock stands still, and its jobs.
pub(super) async fn open(seed: u64) -> (OpenWorld, Jobs, Demo) {
    let template = twinshop_seed::template(Profile::Workshop, 42).await.unwrap();
    let db = Db::from_snapshot(&template.database).await.unwrap();
    let boot = worlds::count_boot(&db).await.unwrap();
    let world = World::open(MAIN, seed, boot, Clock::frozen(EPOCH), CrashPlan::never());
    let account = Account::open(Arc::clone(&world), LedgerFile::from_bytes(template.gateway_ledger)).unwrap();
    let accounts = OpenAccounts::default();
    accounts.insert(Arc::clone(&account));
    let simulator = Simulator::new(Arc::new(accounts), Tempo::default());
    let Running { address, server, .. } =
        simulator.server(TcpListener::bind("127.0.0.1:0").unwrap(), 1).unwrap();
    tokio::spawn(server);
    let gateway = client(&format!("http://{address}"), GATEWAY_TIMEOUT_MS).unwrap().for_account(MAIN);
    let shop = Shop::new(world, db, gateway, shop_settings(&Settings::default(), MAIN));
    let actions = mcp_actions_flows::Engines::new(mcp_actions_flows::ConsentLevel::Agent, "");
    (OpenWorld { shop, account: Some(account) }, Jobs { actions }, template.demo)
}
