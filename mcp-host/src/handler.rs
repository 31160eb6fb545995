//! What a door must bring: its tools and the function that answers a call.

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::ask::{Asker, Question, Waiting};
use crate::content::{Prompt, Resource};
use crate::identity::Identity;
use crate::problem::Problem;
use crate::tool::Tool;

/// A door's own part. The lists are read once, at the start, and served in the order given.
#[async_trait]
pub trait Handler: Send + Sync + 'static {
    fn tools(&self) -> Vec<Tool>;

    /// Answers one call whose arguments are valid against the tool's input schema. A call that asks the person may
    /// be entered again from the top with the answer, so nothing may be done before the question that must not be
    /// done twice.
    async fn call(&self, call: Call) -> Reply;

    /// How a refusal made by the door looks in this handler's results, so that it fits the output schemas.
    fn refusal(&self, problem: Problem) -> Value {
        problem.into()
    }

    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// Calls that go on after their reply, for clients with the Tasks extension.
    fn tasks(&self) -> Option<&dyn Tasks> {
        None
    }
}

/// The three methods of the Tasks extension. Another principal's task answers like one that does not exist.
#[async_trait]
pub trait Tasks: Send + Sync {
    async fn get(&self, identity: &Identity, id: &str) -> Option<Task>;

    /// Answers to the questions of [`TaskState::Asking`], by key; `false` when there is no such task.
    async fn answer(&self, identity: &Identity, id: &str, answers: Map<String, Value>) -> bool;

    /// Asks the task to stop; `false` when there is no such task.
    async fn cancel(&self, identity: &Identity, id: &str) -> bool;
}

/// One call of a tool.
#[derive(Debug)]
pub struct Call {
    pub name: String,
    pub arguments: Map<String, Value>,
    pub identity: Identity,
    pub client: Client,
    pub ask: Asker,
}

/// How the client speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// Up to 2025-11-25: `initialize`, a session, questions in the middle of a call.
    Sessions,
    /// From 2026-07-28: every request stands alone; a question ends the call, which comes again with the answer.
    #[default]
    Stateless,
}

/// What is known about the client software, and what it can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    pub name: Option<String>,
    pub version: Option<String>,
    pub protocol: String,
    pub generation: Generation,
    /// It can show the person a form.
    pub asks_by_form: bool,
    /// It can send the person to a page.
    pub asks_by_url: bool,
    /// It shows MCP App views.
    pub shows_apps: bool,
    /// It declared the Tasks extension.
    pub polls_tasks: bool,
}

/// How a call ends.
#[derive(Debug)]
pub enum Reply {
    Done(Output),
    /// The person must answer first: [`crate::Asked::Later`] handed this out.
    Ask(Waiting),
    /// The work goes on; only for a client with `polls_tasks`.
    Task(Task),
}

impl Reply {
    #[must_use]
    pub fn ok(structured: Value) -> Self {
        Self::Done(Output { structured, ..Output::default() })
    }

    #[must_use]
    pub fn error(structured: Value) -> Self {
        Self::Done(Output { structured, is_error: true, ..Output::default() })
    }
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    pub structured: Value,
    pub is_error: bool,
    /// The text block beside the structured content; its JSON when absent.
    pub text: Option<String>,
    pub links: Vec<Link>,
    /// `_meta` of the result.
    pub meta: Map<String, Value>,
}

/// A pointer to something a person can open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub uri: String,
    pub name: String,
    pub description: Option<String>,
}

/// One task as its owner sees it.
#[derive(Clone, Debug)]
pub struct Task {
    pub id: String,
    pub state: TaskState,
    pub message: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// How long it can be asked for; without end when absent.
    pub ttl_ms: Option<u64>,
    /// How often it makes sense to ask.
    pub poll_ms: Option<u64>,
}

/// Where a task stands.
#[derive(Clone, Debug)]
pub enum TaskState {
    Working,
    Asking(Vec<Question>),
    Completed(Output),
    Failed(String),
    Cancelled,
}
