//! The 18 places where several operations look right and one is. A test for each does the right thing and every
//! look-alike in the same state, in a shop that keeps its rules and in one that leaves them to its page, and reads what
//! each leaves behind from the rows and from the gateway's own books.
//!
//! Start at `money.rs`: who has read one set has read them all.

mod addresses;
mod delivered;
mod money;
mod parcels;
mod people;
mod relaxed;
mod states;
mod unshipped;

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use shop_domain::after_sales::RulesMode;
use shop_domain::governance::Principal;
use shop_domain::operations::operation;
use shop_service::Shop;
use shop_service::testing::TestShop;
use shop_store::Rows;

use crate::rest_door::{self, Answer, Door, Sent};
use crate::worlds::MAIN;

/// Both ways of keeping rules.
const MODES: [RulesMode; 2] = [RulesMode::Server, RulesMode::Ui];

/// Tables that say what was asked, not what is.
const OF_CALLS: [&str; 3] = ["idempotency_keys", "audit_log", "counters"];

struct OneShop(Arc<Shop>);

#[async_trait]
impl shop_api::Worlds for OneShop {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        (world == MAIN).then(|| Arc::clone(&self.0))
    }
}

/// Somebody at the REST door of a small shop.
struct Desk {
    t: TestShop,
    door: Door,
    keys: AtomicU64,
}

impl Desk {
    async fn open(rules: RulesMode) -> Self {
        let t = TestShop::with(rules).await;
        let door = rest_door::open(Arc::new(OneShop(Arc::clone(&t.shop)))).await;
        Self { t, door, keys: AtomicU64::default() }
    }

    /// An operation on the things its path names, in the version that the last of them has now, under a new key.
    async fn call(&self, who: &Principal, name: &str, ids: &[&dyn Display], body: Value) -> Answer {
        let version = match ids.last() {
            // What is not there may as well be in its first version.
            Some(id) => version_of(&self.rows().await, &id.to_string()).or(Some(1)),
            None => None,
        };
        self.call_at(version, who, name, ids, body).await
    }

    async fn call_at(
        &self,
        version: Option<i64>,
        who: &Principal,
        name: &str,
        ids: &[&dyn Display],
        body: Value,
    ) -> Answer {
        let operation = operation(name);
        let mut path = operation.path.to_owned();
        for id in ids {
            let (from, to) = (path.find('{').unwrap(), path.find('}').unwrap());
            path.replace_range(from..=to, &id.to_string());
        }
        let key = self.keys.fetch_add(1, Ordering::SeqCst);
        let sent = Sent {
            method: operation.method.as_str(),
            path: &path,
            token: &format!("token-{}", who.name),
            key: operation.class.writes().then(|| format!("set-{key}")),
            version,
            body: (operation.class.writes() && !body.is_null()).then_some(&body),
        };
        rest_door::send(&self.door, sent).await
    }

    /// It is done; what it answers.
    async fn done(&self, who: &Principal, name: &str, ids: &[&dyn Display], body: Value) -> Value {
        let answer = self.call(who, name, ids, body).await;
        assert!((200..300).contains(&answer.status), "{name}: {} {}", answer.status, answer.body);
        answer.body
    }

    /// It is refused for this reason, and neither rows nor the gateway's books are another's afterwards.
    async fn refused(&self, who: &Principal, name: &str, ids: &[&dyn Display], body: Value, reason: &str) {
        let before = (self.rows().await, self.t.gateway.truth().unwrap().charges);
        let answer = self.call(who, name, ids, body).await;
        assert!((400..500).contains(&answer.status), "{name}: {} {}", answer.status, answer.body);
        assert_eq!(answer.body["code"], reason, "{name}: {}", answer.body["detail"]);
        let after = (self.rows().await, self.t.gateway.truth().unwrap().charges);
        assert!(before == after, "{name} was refused and changed something");
    }

    /// Refused for this reason where the shop keeps its rules, done where its page does; whether it was done.
    async fn as_ruled(
        &self,
        rules: RulesMode,
        who: &Principal,
        name: &str,
        ids: &[&dyn Display],
        body: Value,
        reason: &str,
    ) -> bool {
        match rules {
            RulesMode::Server => self.refused(who, name, ids, body, reason).await,
            RulesMode::Ui => drop(self.done(who, name, ids, body).await),
        }
        rules == RulesMode::Ui
    }

    /// What is, without what was asked.
    async fn rows(&self) -> Rows {
        let mut rows = self.t.shop.db.rows().await.unwrap();
        rows.retain(|table, _| !OF_CALLS.contains(&table.as_str()));
        rows
    }

    /// The rows of a table.
    async fn table(&self, name: &str) -> Vec<Value> {
        let rows = self.t.shop.db.rows().await.unwrap();
        rows[name].values().map(|row| serde_json::from_str(row).unwrap()).collect()
    }

    /// The one row of a table with this id.
    async fn row(&self, table: &str, id: impl Display) -> Value {
        let id = id.to_string();
        self.table(table).await.into_iter().find(|row| row["id"] == id.as_str()).unwrap()
    }

    /// What the gateway took and kept.
    fn kept(&self) -> i64 {
        self.t.kept_by_gateway()
    }

    /// Books that agree, whatever was done.
    async fn is_sound(&self) {
        assert_eq!(self.t.trouble().await, Vec::<String>::new());
    }
}

fn version_of(rows: &Rows, id: &str) -> Option<i64> {
    let found =
        rows.values().flat_map(|rows| rows.values()).map(|row| serde_json::from_str::<Value>(row).unwrap());
    found.filter(|row| row["id"] == id).find_map(|row| row["version"].as_i64())
}

/// Units of one line.
fn units(line: impl Display, quantity: i64) -> Value {
    json!([{ "line_id": line.to_string(), "quantity": quantity }])
}
