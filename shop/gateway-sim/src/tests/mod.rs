//! The gateway under test is the real one: its server on a free port, its books, the shop's own client.

mod books;
mod durability;
mod faults;
mod http;
mod keys;
mod rules;
mod webhooks;

use std::future::Future;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use shop_gateway::wire::ledger::{Effect, Line, Request};
use shop_gateway::wire::{Authorize, CreateRefund, KeyRecord, Payment, Refund};
use shop_gateway::{Client, Lookup, Outcome, Settings};
use shop_world::clock::TEST_EPOCH;
use shop_world::{Clock, CrashPlan, World};
use tokio::time::{Instant, sleep};

use crate::{Account, LedgerFile, OpenAccounts, Running, Simulator, Stopper, Tempo};

/// A gateway that listens, with one account.
struct Gateway {
    account: Arc<Account>,
    base: String,
    client: Client,
    /// Gives up after 100 ms.
    hasty: Client,
    stopper: Stopper,
}

impl Gateway {
    fn start() -> Self {
        Self::with(LedgerFile::memory())
    }

    fn with(ledger: LedgerFile) -> Self {
        Self::serve(ledger, Duration::from_millis(10))
    }

    fn serve(ledger: LedgerFile, slow: Duration) -> Self {
        Self::of(World::for_tests(), ledger, slow)
    }

    /// One whose time runs, so that what it does by itself is done by itself.
    fn running() -> Self {
        let world = World::open("test", 7, 1, Clock::running(), CrashPlan::never());
        Self::of(world, LedgerFile::memory(), Duration::from_millis(10))
    }

    fn of(world: Arc<World>, ledger: LedgerFile, slow: Duration) -> Self {
        let account = Account::open(world, ledger).unwrap();
        let accounts = OpenAccounts::default();
        accounts.insert(account.clone());
        let tempo = Tempo { slow, hang_max: Duration::from_secs(30) };
        let simulator = Simulator::new(Arc::new(accounts), tempo);
        let running = simulator.server(TcpListener::bind("127.0.0.1:0").unwrap(), 2).unwrap();
        let stopper = running.stopper();
        let Running { address, server, .. } = running;
        tokio::spawn(server);
        let base = format!("http://{address}");
        let client = |request_timeout_ms| {
            Client::new(&Settings { request_timeout_ms, ..Settings::new(&base) }, "test").unwrap()
        };
        Self { account, client: client(5_000), hasty: client(100), base, stopper }
    }

    fn script(&self, rules: &[&str]) {
        self.account.world().faults.put(rules.iter().map(|rule| rule.parse().unwrap()).collect());
    }

    async fn hold(&self, key: &str, amount_minor: i64) -> Payment {
        done(self.client.authorize(key, &visa(amount_minor)).await)
    }

    async fn take(&self, key: &str, amount_minor: i64) -> Payment {
        let held = self.hold(&format!("{key}-hold"), amount_minor).await;
        done(self.client.capture(key, &held.id, amount_minor).await)
    }
}

fn visa(amount_minor: i64) -> Authorize {
    paying_with("tok_visa", amount_minor)
}

fn paying_with(instrument: &str, amount_minor: i64) -> Authorize {
    Authorize {
        amount_minor,
        currency: "EUR".into(),
        instrument: instrument.into(),
        reference: "pay_1".into(),
    }
}

fn refund_of(payment: &Payment, amount_minor: i64) -> CreateRefund {
    CreateRefund { payment: payment.id.clone(), amount_minor, reference: "rfd_1".into() }
}

fn done<T: std::fmt::Debug>(outcome: Outcome<T>) -> T {
    let Outcome::Done(value) = outcome else { panic!("not done: {outcome:?}") };
    value
}

fn found<T: std::fmt::Debug>(lookup: Lookup<T>) -> T {
    let Lookup::Found(value) = lookup else { panic!("not found: {lookup:?}") };
    value
}

fn refusal<T: std::fmt::Debug>(outcome: Outcome<T>) -> String {
    let Outcome::Refused(decline) = outcome else { panic!("not refused: {outcome:?}") };
    decline.code
}

/// The same world after a restart.
fn next_boot() -> Arc<World> {
    World::open("test", 7, 2, Clock::frozen(TEST_EPOCH), CrashPlan::never())
}

/// The lines that did something, as opposed to those that settle that nothing happens.
fn effects(account: &Account) -> Vec<Line> {
    let mut lines = account.ledger_entries().unwrap();
    lines.retain(|line| !matches!(line.effect, Effect::Refused(_) | Effect::Fenced));
    lines
}

/// Waits until something is so.
async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_so().await {
        assert!(Instant::now() < deadline, "never so: {what}");
        sleep(Duration::from_millis(5)).await;
    }
}

fn parse<T: serde::de::DeserializeOwned>(reply: &crate::reply::Reply) -> T {
    serde_json::from_slice(&reply.body).unwrap()
}

/// Writes straight to the books, without a server.
fn write(account: &Account, key: &str, request: &Request) -> crate::reply::Reply {
    account.write(key, request, crate::rules::Bend::default())
}
