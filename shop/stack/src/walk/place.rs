//! Where a walk is: a seeded shop in memory, the real simulator, and the REST door without a socket.

use std::net::TcpListener;
use std::sync::Arc;

use shop_gateway_sim::{Postman, Running, Simulator, Tempo};
use shop_world::Clock;
use twinshop_seed::{Demo, EPOCH, Profile};

use crate::run::client;
use crate::scheduler::Jobs;
use crate::settings::Settings;
use crate::worlds::{Ground, Hooks, MAIN, OpenWorld, Opening, Start, Worlds};

/// Long enough for any answer that comes at all.
const GATEWAY_TIMEOUT_MS: u64 = 400;

/// A seeded world whose clock stands still, and its jobs.
pub(super) async fn open(seed: u64) -> (Arc<Worlds>, OpenWorld, Jobs, Demo) {
    let worlds = Arc::new(Worlds::default());
    let template = worlds.template(Profile::Workshop, 42).await.unwrap();
    let demo = template.demo.clone();
    let accounts: Arc<dyn shop_gateway_sim::Accounts> = worlds.clone();
    let simulator = Simulator::new(accounts, Tempo::default());
    let Running { address, server, .. } =
        simulator.server(TcpListener::bind("127.0.0.1:0").unwrap(), 1).unwrap();
    tokio::spawn(server);
    worlds.stand_on(Ground {
        settings: Arc::new(Settings::default()),
        gateway: client(&format!("http://{address}"), GATEWAY_TIMEOUT_MS).unwrap(),
        hooks: Hooks { rest_url: String::new(), postman: Postman::new().unwrap() },
    });
    let opening = Opening::new(MAIN, Start::Memory(template), Clock::frozen(EPOCH), seed);
    let open = worlds.open(opening).await.unwrap();
    // No socket, no hooks: the walk asks the gateway itself.
    open.account.as_ref().unwrap().send_webhooks_to(None);
    let actions = mcp_actions_flows::Engines::new(mcp_actions_flows::ConsentLevel::Agent, "");
    (worlds, open, Jobs { actions }, demo)
}
