//! A door with a handful of tools, and a client that speaks plain JSON-RPC.

mod asking;
mod bridging;
mod http;
mod pipes;
mod sessions;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use shop_world::journal::Line;

use crate::*;

pub(super) const KEY: &[u8] = b"a test key of thirty-two bytes..";

/// What the handler saw.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) calls: AtomicUsize,
    pub(super) tokens: Mutex<Vec<Answer>>,
    pub(super) journal: Mutex<Vec<Line>>,
}

pub(super) struct TestHandler(pub Arc<Seen>);

#[async_trait]
impl Handler for TestHandler {
    fn tools(&self) -> Vec<Tool> {
        let text = json!({
            "type": "object", "additionalProperties": false, "required": ["text"],
            "properties": { "text": { "type": "string" }, "times": { "type": "integer", "minimum": 1 } }
        });
        let nothing = json!({ "type": "object", "additionalProperties": false });
        let reading = Hints { read_only: true, idempotent: true, ..Hints::default() };
        vec![
            Tool::new("echo", "Says it again.", text).with_title("Echo").with_hints(reading),
            Tool::new("whoami", "Who you are.", nothing.clone()),
            Tool::new("agree", "Asks for a yes.", nothing.clone()),
            Tool::new("visit", "Sends the person to a page.", nothing.clone()),
            Tool::new("slow", "Goes on after the reply.", nothing),
        ]
    }

    async fn call(&self, call: Call) -> Reply {
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        match call.name.as_str() {
            "echo" => Reply::ok(json!({ "text": call.arguments.get("text") })),
            "whoami" => Reply::ok(json!({
                "subject": call.identity.subject(), "world": call.identity.world(),
                "token": call.identity.extension::<u32>(), "client": call.client.name,
                "generation": format!("{:?}", call.client.generation),
            })),
            "slow" if call.client.polls_tasks => Reply::Task(task(TaskState::Working)),
            "slow" => Reply::ok(json!({ "outcome": "success" })),
            "agree" => {
                let schema = json!({ "type": "object", "properties": { "amount": { "type": "integer" } } });
                let question = Question::form("consent", "Pay 5 €?", schema).unwrap();
                self.ask(&call, question.about(json!({ "nonce": 7 }))).await
            }
            _ => self.ask(&call, Question::url("page", "Open it", "https://shop.example/c/1", "c1")).await,
        }
    }

    fn tasks(&self) -> Option<&dyn Tasks> {
        Some(self)
    }

    fn prompts(&self) -> Vec<Prompt> {
        let values = vec!["Kiel".to_owned(), "Köln".to_owned()];
        let argument =
            PromptArgument { name: "city".into(), description: String::new(), is_required: true, values };
        vec![Prompt {
            name: "weather".into(),
            title: None,
            description: "Asks about the weather.".into(),
            arguments: vec![argument],
            text: "How is it in {city}?".into(),
        }]
    }

    fn resources(&self) -> Vec<Resource> {
        vec![Resource {
            uri: "ui://test/view".into(),
            name: "view".into(),
            title: None,
            description: None,
            mime_type: content::APP_VIEW.into(),
            text: "<p>hello</p>".into(),
            meta: Map::from_iter([("ui".to_owned(), json!({ "csp": {} }))]),
        }]
    }
}

impl TestHandler {
    async fn ask(&self, call: &Call, question: Question) -> Reply {
        match call.ask.ask(question).await {
            Asked::Answered(answer) => {
                self.0.tokens.lock().unwrap().push(answer.clone());
                Reply::ok(
                    json!({ "choice": answer.choice, "content": answer.content, "about": answer.about }),
                )
            }
            Asked::Later(waiting) => Reply::Ask(waiting),
            Asked::Unavailable => Reply::error(json!({ "reason": "consent_required" })),
        }
    }
}

fn task(state: TaskState) -> Task {
    let at = "2026-01-15T12:00:00Z".to_owned();
    Task {
        id: "t1".into(),
        state,
        message: None,
        created_at: at.clone(),
        updated_at: at,
        ttl_ms: None,
        poll_ms: Some(50),
    }
}

#[async_trait]
impl Tasks for TestHandler {
    async fn get(&self, identity: &Identity, id: &str) -> Option<Task> {
        let done = TaskState::Completed(Output { structured: json!({ "paid": true }), ..Output::default() });
        (identity.subject() == "ann" && id == "t1").then(|| task(done))
    }

    async fn answer(&self, identity: &Identity, id: &str, _answers: Map<String, Value>) -> bool {
        identity.subject() == "ann" && id == "t1"
    }

    async fn cancel(&self, identity: &Identity, id: &str) -> bool {
        identity.subject() == "ann" && id == "t1"
    }
}

/// `ann` and `bob` have tokens of their names; without one a caller on this machine is `guest`.
pub(super) struct Names;

#[async_trait]
impl Authenticate for Names {
    async fn authenticate(&self, credentials: Credentials<'_>) -> Result<Identity, AuthError> {
        let world = credentials.world.unwrap_or("main");
        if world == "nowhere" {
            return Err(AuthError::UnknownWorld(world.to_owned()));
        }
        match credentials.bearer {
            Some(name @ ("ann" | "bob")) => Ok(Identity::new(name, world, 1_u32)),
            Some("reader") => Err(AuthError::Scope("shop.write".to_owned())),
            Some(_) => Err(AuthError::Invalid),
            None if credentials.peer_is_loopback => Ok(Identity::new("guest", world, 2_u32)),
            None => Err(AuthError::Missing),
        }
    }
}

pub(super) fn door(seen: &Arc<Seen>) -> Door {
    let mut settings = Settings::new("test", "test-server", KEY.to_vec());
    settings.instructions = Some("Call echo.".to_owned());
    let journal = Arc::clone(seen);
    settings.journal = Some(Arc::new(move |_identity, line| journal.journal.lock().unwrap().push(line)));
    Door::new(settings, Arc::new(TestHandler(Arc::clone(seen)))).unwrap()
}

/// A running server.
pub(super) struct Served {
    pub(super) url: String,
    pub(super) seen: Arc<Seen>,
    handle: ServerHandle,
}

impl Served {
    pub(super) async fn start() -> Self {
        Self::with(|_settings| {}).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut HttpSettings)) -> Self {
        let seen = Arc::new(Seen::default());
        let mut settings = HttpSettings::new(Arc::new(Names));
        change(&mut settings);
        let http = door(&seen).http(settings).unwrap();
        let server = HttpServer::new(move || App::new().configure(|app| http.configure(app)))
            .workers(1)
            .tcp_nodelay(true)
            .disable_signals()
            .bind(("127.0.0.1", 0))
            .unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, seen, handle }
    }

    pub(super) fn calls(&self) -> usize {
        self.seen.calls.load(Ordering::SeqCst)
    }

    pub(super) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

/// One HTTP reply.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) text: String,
}

impl Got {
    /// The last JSON message of the body, be it one document or a stream of events.
    pub(super) fn message(&self) -> Value {
        let last = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .rfind(|data| !data.trim().is_empty());
        serde_json::from_str(last.unwrap_or(&self.text)).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

pub(super) async fn post(url: &str, headers: &[(&str, &str)], body: &Value) -> Got {
    let client = http_client(Duration::from_secs(20)).unwrap();
    let mut request = client
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(body.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    Got { status, headers, text: response.text().await.unwrap() }
}

pub(super) fn initialize(capabilities: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "old-client", "version": "1" }
        }
    })
}

/// Opens a session of the older generation and gives its id.
pub(super) async fn open_session(url: &str, token: &str, capabilities: Value) -> String {
    let authorization = format!("Bearer {token}");
    let opened = post(url, &[("authorization", &authorization)], &initialize(capabilities)).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let session = opened.header("mcp-session-id").to_owned();
    let headers = [("authorization", authorization.as_str()), ("mcp-session-id", &session)];
    let noted =
        post(url, &headers, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    assert_eq!(noted.status, 202, "{noted:?}");
    session
}

pub(super) fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

pub(super) fn call(name: &str, arguments: Value) -> Value {
    request("tools/call", json!({ "name": name, "arguments": arguments }))
}

/// A request of the stateless generation, as `token`, with everything it must carry.
pub(super) async fn post_stateless(url: &str, token: &str, mut body: Value, capabilities: Value) -> Got {
    let method = body["method"].as_str().unwrap().to_owned();
    let params = body["params"].as_object_mut().unwrap();
    let name = params.get("name").or(params.get("taskId")).or(params.get("uri"));
    let name = name.and_then(Value::as_str).unwrap_or("").to_owned();
    params.insert("_meta".to_owned(), stateless_meta(capabilities));
    let authorization = format!("Bearer {token}");
    let mut headers = vec![
        ("authorization", authorization.as_str()),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", &method),
    ];
    if !name.is_empty() {
        headers.push(("mcp-name", &name));
    }
    post(url, &headers, &body).await
}

pub(super) fn stateless_meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "new-client", "version": "2" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}
