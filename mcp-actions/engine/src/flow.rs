//! What a flow has to say and do. The engine plans, asks, journals and recovers; the flow knows its business.
//!
//! A flow reads the world once per call ([`Flow::facts`]) and answers everything else from those facts, purely.
//! What changes the world is apart, in [`Effects`].

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shop_world::World;

use crate::about::About;
use crate::node::Nodes;
use crate::parts::{
    Candidate, Choice, EntityRef, Evidence, Map, NextAction, RecoverableError, Ref, Risk, Suggestion,
    ValidationError, Verification,
};
use crate::reason::Reason;
use crate::record::Record;

/// Who calls, and in which world. The engine passes it on to flows and store and asks it nothing else.
pub trait Caller: Send + Sync + 'static {
    fn world(&self) -> &World;
    /// The person whose actions these are, also when an agent calls for them.
    fn principal(&self) -> &str;
    /// Whether software is calling; software can never give the person's consent.
    fn is_agent(&self) -> bool;
    /// Whether the person can be asked through this very connection (the client declared elicitation).
    fn can_be_asked(&self) -> bool;
}

/// Why something could not be answered. Never says how the inside works.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct Failure {
    pub reason: Reason,
    pub message: String,
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), retry_after_ms: None }
    }

    #[must_use]
    pub fn retry_after(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
    }
}

/// A clear no, with the ways on that there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    pub reason: Reason,
    pub message: String,
    pub suggestions: Vec<Suggestion>,
    /// The right doors, when this was the wrong one.
    pub next_actions: Vec<NextAction>,
}

impl Refusal {
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), suggestions: Vec::new(), next_actions: Vec::new() }
    }

    #[must_use]
    pub fn suggesting(mut self, suggestions: Vec<Suggestion>) -> Self {
        self.suggestions = suggestions;
        self
    }

    #[must_use]
    pub fn leading_to(mut self, next_actions: Vec<NextAction>) -> Self {
        self.next_actions = next_actions;
        self
    }

    #[must_use]
    pub fn as_recoverable(&self) -> RecoverableError {
        RecoverableError {
            field: self.suggestions.first().map(|suggestion| suggestion.field.clone()),
            code: self.reason,
            message: self.message.clone(),
            suggestions: self.suggestions.clone(),
        }
    }
}

/// What the caller's words turned out to mean.
#[derive(Clone, Debug)]
pub enum Opened {
    /// One thing, clearly.
    Entity(Opening),
    /// Several things; nobody guesses.
    Candidates(Vec<Candidate>),
    NotFound {
        near_misses: Vec<Candidate>,
    },
    /// One thing that this flow must not touch.
    Refused(Refusal),
}

/// Where an action begins.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// `None` when the thing does not exist yet: an order before checkout.
    pub entity: Option<EntityRef>,
    /// What is known from the start, by field: the lines of the cart.
    pub inputs: Map,
    pub confidence: Option<f64>,
    pub evidence: Vec<Evidence>,
}

/// One business intent, from its words to its verified end.
#[async_trait]
pub trait Flow<C: Caller>: Send + Sync {
    fn about(&self) -> &About;
    fn nodes(&self) -> &Nodes;

    /// Turns a target (an id or words) into the entity, within what the caller may reach: other people's things
    /// look exactly like things that do not exist. What was said along with it may tell what is meant.
    async fn open(&self, ctx: &C, target: Option<&str>, said: &Map) -> Result<Opened, Failure>;

    /// Rewrites what a patch says in other words (an old id, a label) into the values this flow shows. What it does
    /// not know it leaves alone: the judgement says what is wrong with it.
    async fn understand(&self, _ctx: &C, _record: &Record, patch: Map) -> Result<Map, Failure> {
        Ok(patch)
    }

    /// Reads everything the judgement needs, of what `record.given` says by then. The only reading before confirm.
    async fn facts(&self, ctx: &C, record: &Record) -> Result<Box<dyn Facts>, Failure>;

    /// Re-reads the entity after a call, with its `version`, so that claim and state can be compared.
    async fn observe(&self, ctx: &C, record: &Record) -> Result<Option<Map>, Failure>;

    /// What happens after the person's yes; `None` for a flow that only reads.
    fn effects(&self) -> Option<&dyn Effects<C>>;
}

/// What is true right now, read once. Pure: the same facts and inputs always give the same judgement.
pub trait Facts: Send + Sync {
    /// Judges one node. `inputs` holds what earlier nodes settled and what was given for this one.
    fn judge(&self, node: &str, inputs: &Map) -> Judgement;

    /// The values a field may take now, when they can be listed.
    fn options(&self, field: &str, inputs: &Map) -> Option<Vec<Choice>>;

    /// The blocks a person chooses from: `items`, `addresses`, …
    fn context(&self, inputs: &Map) -> Map;

    /// What exactly will happen. Asked only when every node is valid; equal inputs must give equal summaries.
    fn preview(&self, inputs: &Map) -> Preview;
}

/// What the facts say about one node.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// Fine; with what the server chose where nothing was given.
    Valid {
        derived: Map,
    },
    /// These fields are needed too, although they are optional in general.
    Missing(Vec<String>),
    Invalid(Vec<ValidationError>),
    /// Nothing is wrong and nothing is missing, but the time has not come: a parcel is still on its way.
    Waiting {
        message: String,
    },
    /// This branch of the flow does not ask for it.
    Skipped,
}

impl Judgement {
    /// Fine, and nothing was chosen for the caller.
    #[must_use]
    pub fn valid() -> Self {
        Self::Valid { derived: Map::new() }
    }
}

/// What the person says yes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    pub summary: Map,
    pub risk: Risk,
    /// Whether a second person with authority has to sign it off.
    pub staff_approval: bool,
}

/// The key of one effect of one action. The same step of the same round always has the same key, so running it
/// again returns what the first run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepKey(String);

impl StepKey {
    #[must_use]
    pub fn new(action_id: &str, step: &str, round: u32) -> Self {
        Self(format!("{action_id}/{step}/{round}"))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a flow does once it may. Every method is safe to repeat.
#[async_trait]
pub trait Effects<C: Caller>: Send + Sync {
    /// Sets what is reserved for this action to exactly what its inputs need. Called whenever the confirm node is
    /// reached or its inputs change; the newest `record.version` wins.
    async fn hold(&self, ctx: &C, record: &Record) -> Result<Held, Failure>;

    /// Gives back everything [`Effects::hold`] took.
    async fn release(&self, ctx: &C, record: &Record) -> Result<(), Failure>;

    /// The effects of this action, in order. Depends on nothing but the inputs and the entity.
    fn steps(&self, record: &Record) -> Vec<&'static str>;

    /// Makes one effect happen, once per key.
    async fn run(&self, ctx: &C, step: &str, key: &StepKey, record: &Record) -> StepOutcome;

    /// Asks whether the effect of a key happened. Never sends it.
    async fn look_up(&self, ctx: &C, step: &str, key: &StepKey, record: &Record) -> LookUp;

    /// Leaves nothing behind: fences every key of this round, undoes what happened or turns up, withdraws what
    /// waits for approval.
    async fn abandon(&self, ctx: &C, record: &Record) -> Abandoned;
}

#[derive(Clone, Debug, PartialEq)]
pub enum Held {
    Kept,
    /// It cannot be reserved, field by field.
    Refused(Vec<ValidationError>),
}

/// What an effect left behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Done {
    pub refs: Vec<Ref>,
    /// The outside system's id.
    pub external_id: Option<String>,
    pub verification: Option<Verification>,
    /// Whatever later steps need to know.
    pub value: Value,
}

/// What we know after trying. `Unknown` is not an error: the effect may have happened.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    Done(Done),
    /// A clear no; this step changed nothing.
    Refused(Refusal),
    /// Nothing was sent; the same key may be used again.
    Busy {
        after_ms: u64,
    },
    Unknown,
    /// A second person decides first. The same step is run again once they have.
    AwaitApproval {
        id: String,
    },
    /// Something outside has to happen first. The same step is run again once it has.
    AwaitEvent {
        node: String,
        message: String,
    },
}

/// What the outside system says about a key.
#[derive(Clone, Debug, PartialEq)]
pub enum LookUp {
    Found(Done),
    /// Something happened, but not what was agreed: another amount, a part of it.
    Differs {
        verification: Verification,
        message: String,
    },
    NotFound {
        observed_at: DateTime<Utc>,
        source: String,
    },
    StillUnknown,
}

/// How giving up went.
#[derive(Clone, Debug, PartialEq)]
pub enum Abandoned {
    /// Nothing is left; the refs name what undid it (a void, a refund).
    Clean { refs: Vec<Ref> },
    /// Whether anything is left is not known yet.
    Unknown,
}

/// The business objects themselves, for `get_context` and for words in a search.
#[async_trait]
pub trait Entities<C: Caller>: Send + Sync {
    /// What the words may mean, best first, within what the caller may reach.
    async fn find(&self, ctx: &C, words: &str) -> Result<Vec<Candidate>, Failure>;

    /// The whole business view of one entity: a JSON object that has its own `next_actions`.
    async fn view(&self, ctx: &C, entity: &str, reference: &str) -> Result<Map, Failure>;
}
