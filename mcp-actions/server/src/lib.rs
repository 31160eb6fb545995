//! The Actions door: seven tools over an engine of stateful flows.
//!
//! It turns the arguments of a tool call into one call of the engine and the engine's view into a result, and puts
//! the consent question to the person where the client can. It must never decide what is offered, never know what a
//! shop is, and never say yes for the person.
//!
//! ```text
//! let actions = Actions::new(engines);
//! let door = mcp_host::Door::new(settings, Arc::new(actions))?;
//! ```
//!
//! | tool | engine call | |
//! |---|---|---|
//! | `search_capabilities` | `search` | reads |
//! | `start_action` | `start` | |
//! | `get_context` | `get`, `get_entity` | reads |
//! | `advance_action` | `advance` | |
//! | `confirm_action` | `confirm`, `answer_consent` | acts |
//! | `verify_action` | `verify` | reads |
//! | `recover_action` | `recover` | acts |
//!
//! Start reading at `tools` (what a model is told), then `calls` (what happens to a call) and `asking` (how the
//! person is asked).

mod answer;
mod asking;
mod calls;
mod desk;
mod schema;
mod tools;

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use mcp_actions_engine::Reason;
use mcp_host::{Call, Handler, Problem, Reply, Tool};
use serde_json::Value;

pub use desk::Desk;

/// What a model should know before its first call.
pub const INSTRUCTIONS: &str = "Begin with search_capabilities, then start_action with everything already known in one \
    patch. Every answer has an outcome, a reason and next_actions: the calls that are possible now, with their \
    arguments; make one of them, and read an empty list as finished. Ask the person only for what missing lists. \
    Amounts are integers in minor units of the currency beside them. Send the version you last saw; after \
    version_conflict decide anew from the view in the answer. Only the person can consent: show them summary, and \
    never answer for them. After confirm_action call verify_action, and report done only at status completed. When the \
    outcome is unknown, verify or recover; never start the same thing again.";

/// The door's handler.
pub struct Actions<D = mcp_actions_flows::Engines> {
    desk: D,
}

impl<D: Desk> Actions<D> {
    pub fn new(desk: D) -> Self {
        Self { desk }
    }
}

#[async_trait]
impl<D: Desk> Handler for Actions<D> {
    fn tools(&self) -> Vec<Tool> {
        tools::all()
    }

    async fn call(&self, call: Call) -> Reply {
        // A yes collected in a form is the only answer a client can bring back by itself.
        let Some(caller) = self.desk.caller(&call.identity, call.client.asks_by_form) else {
            tracing::error!("a caller of this door has no place in a shop");
            return answer::failure(Reason::Internal, "this caller is not known here");
        };
        calls::run(self.desk.engine(), &caller, call).await
    }

    fn refusal(&self, problem: Problem) -> Value {
        answer::refusal(problem)
    }
}
