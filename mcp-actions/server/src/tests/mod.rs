//! The door over the engine's expense office, spoken to in JSON-RPC over a pipe.

mod catalogue;
mod consent;
mod refusals;
mod shop;
mod tools;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jsonschema::Validator;
use mcp_actions_engine::testing::MemoryStore;
use mcp_actions_engine::testing::expense::{self, Clerk, Office};
use mcp_actions_engine::{ConsentLevel, Engine};
use mcp_host::{Door, Identity, Settings};
use serde_json::{Value, json};
use shop_world::World;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

use crate::{Actions, Desk, INSTRUCTIONS};

/// What no answer may ever hold: secrets, the inside of the program, the inside of the database.
const NEVER: &[&str] =
    &["ptk_", "::", ".rs:", "SELECT ", "INSERT ", "sqlx", "sea_orm", "panicked", "Fixture"];

struct Fixture {
    engine: Engine<Clerk>,
}

impl Desk for Fixture {
    type Caller = Clerk;

    fn engine(&self) -> &Engine<Clerk> {
        &self.engine
    }

    fn caller(&self, identity: &Identity, can_be_asked: bool) -> Option<Clerk> {
        let clerk = identity.extension::<Clerk>()?;
        Some(Clerk { can_be_asked, ..clerk.clone() })
    }
}

fn door<D: Desk>(actions: Actions<D>) -> Door {
    let mut settings = Settings::new("mcp_actions", "test", b"a test key of thirty-two bytes..".to_vec());
    settings.instructions = Some(INSTRUCTIONS.to_owned());
    Door::new(settings, Arc::new(actions)).unwrap()
}

/// An office behind a door.
struct Shop {
    world: Arc<World>,
    office: Arc<Office>,
    door: Door,
}

impl Shop {
    fn new(level: ConsentLevel) -> Self {
        let world = World::for_tests();
        let office = Arc::new(Office::default());
        let engine = expense::engine(&office, Arc::new(MemoryStore::default()), level).unwrap();
        let door = door(Actions::new(Fixture { engine }));
        Self { world, office, door }
    }

    /// A client of an agent that works for somebody.
    async fn client(&self, name: &str, capabilities: Value) -> Client {
        let identity = Identity::new(name, "test", Clerk::new(&self.world, name));
        Client::open(&self.door, identity, capabilities).await
    }
}

/// One structured result, checked against the tool's own output schema.
struct Got {
    body: Value,
    is_error: bool,
}

impl Got {
    fn text(&self, name: &str) -> &str {
        self.body[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }

    fn offers(&self, tool: &str) -> bool {
        self.body["next_actions"].as_array().unwrap().iter().any(|next| next["tool"] == tool)
    }
}

struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    instructions: String,
    tools: Vec<Value>,
    outputs: HashMap<String, Validator>,
}

impl Client {
    fn connect(door: &Door, identity: Identity) -> Self {
        let (ours, theirs) = tokio::io::duplex(1024 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let door = door.clone();
        tokio::spawn(async move { door.serve(reader, writer, identity).await });
        let (reader, writer) = tokio::io::split(ours);
        let lines = BufReader::new(reader).lines();
        Self { lines, writer, instructions: String::new(), tools: Vec::new(), outputs: HashMap::new() }
    }

    /// A client of the generation without sessions: it begins with any call, knowing the tools from elsewhere.
    fn stateless(door: &Door, identity: Identity, other: &Self) -> Self {
        let mut client = Self::connect(door, identity);
        client.know(other.tools.clone());
        client
    }

    fn know(&mut self, tools: Vec<Value>) {
        let output = |tool: &Value| {
            let validator = jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
            (tool["name"].as_str().unwrap().to_owned(), validator)
        };
        self.outputs = tools.iter().map(output).collect();
        self.tools = tools;
    }

    async fn open(door: &Door, identity: Identity, capabilities: Value) -> Self {
        let mut client = Self::connect(door, identity);
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" }
        });
        let opened = client.request("initialize", hello).await;
        client.instructions = opened["result"]["instructions"].as_str().unwrap().to_owned();
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        let listed = client.request("tools/list", json!({})).await;
        client.know(listed["result"]["tools"].as_array().unwrap().clone());
        client
    }

    async fn send(&mut self, message: &Value) {
        self.writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.lines.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().unwrap()).unwrap()
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).await;
        self.read().await
    }

    async fn call(&mut self, name: &str, arguments: Value) -> Got {
        let answer = self.request("tools/call", json!({ "name": name, "arguments": arguments })).await;
        self.checked(name, &answer)
    }

    /// A call in which the person is asked and answers.
    async fn call_answering(&mut self, name: &str, arguments: Value, person: Value) -> (Value, Got) {
        let asked = self.request("tools/call", json!({ "name": name, "arguments": arguments })).await;
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        self.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": person })).await;
        let answer = self.read().await;
        (asked["params"].clone(), self.checked(name, &answer))
    }

    fn checked(&self, name: &str, answer: &Value) -> Got {
        let result = &answer["result"];
        let body = result["structuredContent"].clone();
        assert!(body.is_object(), "{answer}");
        let written = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(written).unwrap(), body, "the text says the same");
        let problems: Vec<String> =
            self.outputs[name].iter_errors(&body).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?} in {body}");
        for word in NEVER {
            assert!(!written.contains(word), "{name} says {word:?}: {written}");
        }
        let is_error = result["isError"] == true;
        assert_eq!(is_error, body["outcome"] == "terminal_failure", "{body}");
        Got { body, is_error }
    }

    /// An action at its confirm node.
    async fn ready(&mut self) -> Got {
        let patch = json!({ "account_id": "office", "reason": "fair" });
        let ready =
            self.call("start_action", json!({ "capability": "claim_expenses", "patch": patch })).await;
        assert_eq!(ready.text("status"), "ready_for_confirmation");
        ready
    }

    async fn confirm(&mut self, view: &Got, key: &str) -> Got {
        self.call("confirm_action", confirming(view, key)).await
    }
}

fn confirming(view: &Got, key: &str) -> Value {
    json!({ "action_id": view.text("action_id"), "approval": "approved", "idempotency_key": key })
}
