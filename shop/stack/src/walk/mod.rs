//! A walk at random over every operation, with a gateway that fails and a clock that moves.
//!
//! The requests come from the document, the ids from earlier answers, and whether the shop is still whole is asked of
//! its rows and the gateway's own books. `WALK_SEED` walks one walk again, `WALK_STEPS` walks further.

mod dice;
mod draw;
mod memory;
mod moves;
mod place;
mod stories;

use std::collections::BTreeMap;

use chrono::TimeDelta;
use serde_json::{Value, json};
use shop_domain::operations::{self, Class, OPERATIONS, Operation};
use shop_service::principals;
use shop_world::FaultRule;
use twinshop_seed::Demo;

use crate::rest_door::{self, Answer, Door, Sent};
use crate::scheduler::Jobs;
use crate::tools::check_world;
use crate::worlds::OpenWorld;

use dice::Dice;
use draw::{Drawer, Drawn};
use memory::Memory;
use moves::Moves;
use stories::STORIES;

/// Walks of a usual test run.
const SEEDS: [u64; 2] = [1, 12];
const STEPS: usize = 1_000;

/// Steps between two looks at the books.
const LOOK_EVERY: usize = 25;

/// Steps that a failure tells of.
const TOLD: usize = 40;

/// What the gateway does wrong and the shop must survive; the others break the gateway's own books.
const FAULTS: [&str; 10] = [
    "lost_answer:before",
    "lost_answer:after",
    "lost_answer:after",
    "decline",
    "silent_failure",
    "late_success",
    "http_429",
    "http_500:after",
    "http_503",
    "truncated_json",
];

/// Everybody's shop would soon be empty: these are done now and then.
const RARE: [&str; 5] =
    ["deactivate_staff", "anonymize_customer", "block_customer", "merge_customers", "archive_product"];

#[actix_web::test]
async fn whatever_anybody_does_the_books_stay_true() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let steps = number("WALK_STEPS").map_or(STEPS, |steps| usize::try_from(steps).unwrap());
    for seed in number("WALK_SEED").map_or(SEEDS.to_vec(), |seed| vec![seed]) {
        let (worlds, open, jobs, demo) = place::open(seed).await;
        let door = rest_door::open(worlds).await;
        let mut walk = Walk::new(seed, open, jobs, door).await;
        walk.find_the_usual(&demo).await;
        for step in 1..=steps {
            walk.step().await;
            if step % LOOK_EVERY == 0 {
                walk.look().await;
            }
        }
        walk.settle().await;
        walk.is_not_idle();
    }
}

struct Walk {
    seed: u64,
    open: OpenWorld,
    jobs: Jobs,
    door: Door,
    dice: Dice,
    drawer: Drawer,
    memory: Memory,
    moves: Moves,
    /// Token of the administrator, then of everybody.
    admin: String,
    tokens: Vec<(String, String)>,
    told: Vec<String>,
    keys: usize,
    done: BTreeMap<&'static str, usize>,
}

impl Walk {
    async fn new(seed: u64, open: OpenWorld, jobs: Jobs, door: Door) -> Self {
        let tokens = principals::tokens(&open.shop).await.unwrap();
        let admin = tokens.iter().find(|(name, _)| name == "admin").unwrap().1.clone();
        let mut walk = Self {
            seed,
            open,
            jobs,
            door,
            dice: Dice::new(seed),
            drawer: Drawer::new(),
            memory: Memory::default(),
            moves: Moves::new(),
            admin,
            tokens,
            told: Vec::new(),
            keys: 0,
            done: BTreeMap::new(),
        };
        for operation in OPERATIONS.iter().filter(|o| o.method.as_str() == "GET" && !o.names_its_subject()) {
            walk.read(&format!("{}?limit=100", operation.path), None).await;
        }
        for customer in walk.memory.all("cus") {
            for what in ["payment-methods", "addresses"] {
                walk.read(&format!("/v1/customers/{customer}/{what}"), Some(&customer)).await;
            }
        }
        walk
    }

    /// A customer, and what can be sold and shipped to her.
    async fn find_the_usual(&mut self, demo: &Demo) {
        let (store, customer) = (demo.store_id.unwrap().to_string(), demo.customer_id.unwrap().to_string());
        let admin = self.admin.clone();
        let ask = json!({ "store_id": store, "customer_id": customer });
        let cart = self.post("/v1/carts", &admin, None, &ask).await.body["id"].as_str().unwrap().to_owned();
        for variant in self.memory.all("var") {
            let ask = json!({ "variant_id": variant, "quantity": 1 });
            if self.post(&format!("/v1/carts/{cart}/items"), &admin, None, &ask).await.status < 300 {
                self.memory.use_in_stories(&variant);
            }
        }
        for method in self.options(&json!({ "store_id": store, "customer_id": customer })).await {
            self.memory.use_in_stories(&method);
        }
        self.memory.use_in_stories(&store);
        self.memory.use_in_stories(&customer);
    }

    /// How a single thing would be shipped to where stories ship to.
    async fn options(&mut self, ask: &Value) -> Vec<String> {
        let admin = self.admin.clone();
        let cart = self.post("/v1/carts", &admin, None, ask).await.body["id"].as_str().unwrap().to_owned();
        self.memory.is_telling = true;
        for id in ["add_cart_item", "set_cart_shipping_address"] {
            while !self.call(operations::find(id).unwrap()).await {}
        }
        self.memory.is_telling = false;
        let token = self.admin.clone();
        let path = format!("/v1/carts/{cart}/shipping-options");
        let sent = Sent { method: "GET", path: &path, token: &token, key: None, version: None, body: None };
        let answer = rest_door::send(&self.door, sent).await;
        let text = |rate: &Value| rate["shipping_method_id"].as_str().unwrap().to_owned();
        answer.body["items"].as_array().unwrap().iter().map(text).collect()
    }

    /// One call of somebody, now and then with a fault at the gateway, and now and then time goes by.
    async fn step(&mut self) {
        let plan = match self.dice.below(4) {
            0 => vec![format!("{}*1", self.dice.pick(&FAULTS)).parse::<FaultRule>().unwrap()],
            _ => Vec::new(),
        };
        if let Some(rule) = plan.first() {
            self.told.push(format!("  the gateway: {}", rule.fault));
        }
        self.open.shop.world.faults.put(plan);
        if self.dice.one_in(10) {
            self.tell().await;
        } else {
            let operation = self.operation();
            self.call(operation).await;
        }
        if self.dice.one_in(5) {
            let minutes = *self.dice.pick(&[1, 1, 20, 120, 1_440, 10_080]);
            self.advance(minutes).await;
        }
    }

    /// A stretch of an order's life, so that there is something to go wrong with.
    async fn tell(&mut self) {
        let story = STORIES[self.dice.below(STORIES.len())];
        for id in story {
            // It begins with something new, or with anything that is there.
            self.memory.is_telling = *id != story[0] || id.starts_with("create_");
            if self.dice.one_in(15) {
                break;
            }
            if !self.call(operations::find(id).unwrap()).await {
                break;
            }
        }
        self.memory.is_telling = false;
    }

    fn operation(&mut self) -> &'static Operation {
        loop {
            let operation = self.dice.pick(&OPERATIONS);
            let weight = match operation.class {
                Class::R => 12,
                Class::W => 3,
                Class::D => 2,
                Class::M => 1,
            };
            let is_due = self.drawer.knows(operation) && self.dice.one_in(weight);
            if is_due && (!RARE.contains(&operation.id) || self.dice.one_in(20)) {
                return operation;
            }
        }
    }

    /// One call; whether it did what it says.
    async fn call(&mut self, operation: &'static Operation) -> bool {
        let mut drawn = self.drawer.path(&mut self.dice, &self.memory, operation);
        let mut version = None;
        if let Some(subject) = drawn.subject.clone() {
            let about = drawn.about.last().map(String::as_str);
            version = self.read(&subject, about).await.or(about.and_then(|id| self.memory.version(id)));
        }
        if !self.memory.is_telling && self.dice.one_in(15) {
            version = version.map(|version| version - 1).filter(|_| self.dice.one_in(2));
        }
        drawn.body = self.drawer.body(&mut self.dice, &self.memory, operation, &drawn.about);
        let (name, token) = match self.memory.is_telling || !self.dice.one_in(3) {
            true => ("admin".to_owned(), self.admin.clone()),
            false => self.dice.pick(&self.tokens).clone(),
        };
        if !self.dice.one_in(25) {
            self.keys += 1;
        }
        let key = operation.class.writes().then(|| format!("walk-{}", self.keys));
        let sent = Sent {
            method: operation.method.as_str(),
            path: &drawn.path,
            token: &token,
            key,
            version,
            body: drawn.body.as_ref(),
        };
        let line = format!(
            "{name}: {} {} {:?} {}",
            operation.id,
            drawn.path,
            version,
            drawn.body.as_ref().map(Value::to_string).unwrap_or_default()
        );
        self.told.push(line);
        let answer = rest_door::send(&self.door, sent).await;
        let code = answer.body["code"].as_str().unwrap_or_default();
        let detail = answer.body["detail"].as_str().unwrap_or_default();
        self.told.push(format!("    {} {code} {detail}", answer.status));
        let about = drawn.about.last().cloned();
        self.take_in(&answer, about.as_deref());
        if answer.status < 300 {
            *self.done.entry(operation.id).or_default() += 1;
        }
        if code == "approval_required" && self.dice.one_in(2) {
            return self.sign(operation, drawn, &token, version).await;
        }
        if let (Some((_, words)), Some(mut body)) = (detail.split_once("the reason is one of "), drawn.body) {
            let words: Vec<&str> = words.split(", ").filter(|word| !word.contains(' ')).collect();
            body["reason"] = json!(words[self.dice.below(words.len())]);
            return self.post(&drawn.path, &token, version, &body).await.status < 300;
        }
        answer.status < 300
    }

    /// Lets a second person sign an operation, and does it.
    async fn sign(
        &mut self,
        operation: &'static Operation,
        drawn: Drawn,
        token: &str,
        version: Option<i64>,
    ) -> bool {
        let Some(mut body) = drawn.body.filter(Value::is_object) else { return false };
        body.as_object_mut().unwrap().remove("approval_id");
        let ask = json!({
            "operation": operation.id, "subject": drawn.about.first(), "input": body, "reason": "walked",
        });
        let asked = self.post("/v1/approvals", token, None, &ask).await;
        let Some(id) = asked.body["id"].as_str() else { return false };
        let signer = self.dice.pick(&self.tokens).1.clone();
        let path = format!("/v1/approvals/{id}/approve");
        self.post(&path, &signer, asked.body["version"].as_i64(), &json!({})).await;
        body["approval_id"] = json!(id);
        let is_done = self.post(&drawn.path, token, version, &body).await.status < 300;
        if is_done {
            *self.done.entry(operation.id).or_default() += 1;
        }
        is_done
    }

    async fn post(&mut self, path: &str, token: &str, version: Option<i64>, body: &Value) -> Answer {
        self.keys += 1;
        let key = Some(format!("walk-{}", self.keys));
        let answer =
            rest_door::send(&self.door, Sent { method: "POST", path, token, key, version, body: Some(body) })
                .await;
        self.told.push(format!(
            "  {path} {body}: {} {} {}",
            answer.status, answer.body["code"], answer.body["detail"]
        ));
        self.take_in(&answer, None);
        answer
    }

    /// Reads something as the administrator; its version, where it has one.
    async fn read(&mut self, path: &str, about: Option<&str>) -> Option<i64> {
        let token = self.admin.clone();
        let sent = Sent { method: "GET", path, token: &token, key: None, version: None, body: None };
        let answer = rest_door::send(&self.door, sent).await;
        self.take_in(&answer, about);
        answer.body["version"].as_i64()
    }

    fn take_in(&mut self, answer: &Answer, about: Option<&str>) {
        if answer.status == 500 || answer.body["code"] == "internal" {
            self.fail(&["an internal error".to_owned()]);
        }
        if answer.status >= 300 || answer.is_replay {
            return;
        }
        self.memory.learn(&answer.body, about);
        let illegal = self.moves.illegal(&answer.body);
        if !illegal.is_empty() {
            self.fail(&illegal);
        }
    }

    async fn advance(&mut self, minutes: i64) {
        self.told.push(format!("  {minutes} minutes go by"));
        self.open.shop.world.clock.advance(TimeDelta::minutes(minutes));
        self.jobs.drain(&self.open).await.unwrap();
    }

    /// Whether every invariant holds.
    async fn look(&self) {
        let account = self.open.account.as_ref().unwrap();
        let findings = check_world(&self.open.shop, account).await.unwrap();
        if !findings.is_empty() {
            self.fail(&findings);
        }
    }

    /// Lets everything come to its end with a gateway that works: then nothing is unknown any more.
    async fn settle(&mut self) {
        self.open.shop.world.faults.put(Vec::new());
        for _ in 0..20 {
            self.advance(30).await;
        }
        self.look().await;
        self.read("/v1/reports/payment-reconciliation", None).await;
    }

    /// A walk on which everything was refused has seen nothing.
    fn is_not_idle(&self) {
        for id in ["authorize_payment", "capture_payment", "cancel_order", "mark_fulfillment_delivered"] {
            assert!(self.done.contains_key(id), "walk {} never came to {id}", self.seed);
        }
        assert!(self.done.len() > 100, "walk {} did no more than {:?}", self.seed, self.done);
    }

    fn fail(&self, findings: &[String]) -> ! {
        let told = self.told[self.told.len().saturating_sub(TOLD)..].join("\n");
        panic!("WALK_SEED={}, after\n{told}\n{}", self.seed, findings.join("\n"));
    }
}
