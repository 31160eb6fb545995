//! From the arguments of a call to the engine, and back.

use mcp_actions_engine::parts::{Map, Tool as Name};
use mcp_actions_engine::{
    AdvanceCall, Approval, Caller, ConfirmCall, Engine, Outcome, Reason, RecoverCall, SearchCall, StartCall,
};
use mcp_host::{Call, Reply};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{answer, asking, tools};

/// What may be asked for beside the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Extra {
    PatchSchema,
}

#[derive(Debug, Deserialize)]
struct Search {
    query: String,
    about: Option<String>,
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct Start {
    capability: String,
    target: Option<String>,
    #[serde(default)]
    patch: Map,
    idempotency_key: Option<String>,
    #[serde(default)]
    include: Vec<Extra>,
}

#[derive(Debug, Deserialize)]
struct Get {
    action_id: Option<String>,
    entity: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Advance {
    action_id: String,
    version: u64,
    #[serde(default)]
    patch: Map,
    #[serde(default)]
    cancel: bool,
    #[serde(default)]
    include: Vec<Extra>,
}

#[derive(Debug, Deserialize)]
struct Confirm {
    action_id: String,
    approval: Approval,
    idempotency_key: String,
    version: Option<u64>,
    #[serde(default)]
    include: Vec<Extra>,
}

#[derive(Debug, Deserialize)]
struct Verify {
    action_id: String,
    #[serde(default)]
    include: Vec<Extra>,
}

#[derive(Debug, Deserialize)]
struct Recover {
    action_id: String,
    strategy: Option<String>,
    #[serde(default)]
    include: Vec<Extra>,
}

/// Answers one call whose arguments fit the tool's schema.
pub(crate) async fn run<C: Caller>(engine: &Engine<C>, caller: &C, mut call: Call) -> Reply {
    let arguments = Value::Object(std::mem::take(&mut call.arguments));
    let answered = match tools::named(&call.name) {
        Some(Name::SearchCapabilities) => search(engine, caller, arguments).await,
        Some(Name::StartAction) => start(engine, caller, arguments).await,
        Some(Name::GetContext) => get(engine, caller, arguments).await,
        Some(Name::AdvanceAction) => advance(engine, caller, arguments).await,
        Some(Name::ConfirmAction) => confirm(engine, caller, &call, arguments).await,
        Some(Name::VerifyAction) => verify(engine, caller, arguments).await,
        Some(Name::RecoverAction) => recover(engine, caller, arguments).await,
        None => Ok(answer::failure(Reason::Internal, "this tool is not served here")),
    };
    answered.unwrap_or_else(|unread| {
        answer::failure(Reason::ValidationFailed, format!("the arguments could not be read: {unread}"))
    })
}

async fn search<C: Caller>(engine: &Engine<C>, caller: &C, arguments: Value) -> serde_json::Result<Reply> {
    let Search { query, about, limit } = read(arguments)?;
    let found = engine.search(caller, SearchCall { query, about, limit }).await;
    Ok(answer::reply(found.outcome, &found))
}

async fn start<C: Caller>(engine: &Engine<C>, caller: &C, arguments: Value) -> serde_json::Result<Reply> {
    let Start { capability, target, patch, idempotency_key, include } = read(arguments)?;
    let include_schema = wants_schema(&include);
    let start = StartCall { capability, target, patch, idempotency_key, include_schema };
    Ok(answer::view(&engine.start(caller, start).await))
}

async fn get<C: Caller>(engine: &Engine<C>, caller: &C, arguments: Value) -> serde_json::Result<Reply> {
    let Get { action_id, entity, reference } = read(arguments)?;
    Ok(match (action_id, entity, reference) {
        (Some(action_id), None, None) => answer::view(&engine.get(caller, &action_id).await),
        (None, Some(entity), Some(reference)) => {
            let view = engine.get_entity(caller, &entity, &reference).await;
            answer::reply(outcome_of(&view), &view)
        }
        (Some(_), _, _) | (None, _, _) => {
            let words = "get_context reads either an action (action_id) or an object (entity and ref, both)";
            answer::failure(Reason::ValidationFailed, words)
        }
    })
}

async fn advance<C: Caller>(engine: &Engine<C>, caller: &C, arguments: Value) -> serde_json::Result<Reply> {
    let Advance { action_id, version, patch, cancel, include } = read(arguments)?;
    let include_schema = wants_schema(&include);
    let advance = AdvanceCall { action_id, version, patch, cancel, include_schema };
    Ok(answer::view(&engine.advance(caller, advance).await))
}

async fn confirm<C: Caller>(
    engine: &Engine<C>,
    caller: &C,
    call: &Call,
    arguments: Value,
) -> serde_json::Result<Reply> {
    let Confirm { action_id, approval, idempotency_key, version, include } = read(arguments)?;
    let include_schema = wants_schema(&include);
    let confirm = ConfirmCall { action_id, approval, idempotency_key, version, include_schema };
    Ok(asking::confirm(engine, caller, call, confirm).await)
}

async fn verify<C: Caller>(engine: &Engine<C>, caller: &C, arguments: Value) -> serde_json::Result<Reply> {
    let Verify { action_id, include } = read(arguments)?;
    Ok(answer::view(&engine.verify(caller, &action_id, wants_schema(&include)).await))
}

async fn recover<C: Caller>(engine: &Engine<C>, caller: &C, arguments: Value) -> serde_json::Result<Reply> {
    let Recover { action_id, strategy, include } = read(arguments)?;
    let include_schema = wants_schema(&include);
    Ok(answer::view(&engine.recover(caller, RecoverCall { action_id, strategy, include_schema }).await))
}

fn read<T: DeserializeOwned>(arguments: Value) -> serde_json::Result<T> {
    serde_json::from_value(arguments)
}

fn wants_schema(include: &[Extra]) -> bool {
    include.contains(&Extra::PatchSchema)
}

/// A business object's view says itself how the call ended.
fn outcome_of(view: &Map) -> Outcome {
    let outcome = view.get("outcome").cloned().map(serde_json::from_value);
    match outcome {
        Some(Ok(outcome)) => outcome,
        Some(Err(_)) | None => Outcome::TerminalFailure,
    }
}
