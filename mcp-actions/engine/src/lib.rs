//! The engine of the Actions door: it plans, patches, versions, journals, asks for consent, confirms, verifies and
//! recovers.
//!
//! It must never know what a shop is, and never touch a database, a socket or a protocol. A business is a set of
//! [`Flow`]s; rows are a [`Store`]; what callers see is a [`View`].
//!
//! Where to start reading:
//!
//! 1. [`flow`]: what a flow says ([`About`], [`Nodes`], [`Facts`]) and does ([`Effects`]).
//! 2. [`plan`] and [`patch`]: the pure heart. What was said and what is true go in, where the action stands comes
//!    out.
//! 3. [`offers`]: which calls are offered in which state. What is not offered is refused.
//! 4. [`record`] and [`store`]: the whole state of an action, and the one kind of write it goes through.
//! 5. `confirm`, then `drive`: how a purchase is committed to in one write and carried out step by step.
//! 6. `verify`, `recover`, `close`, `resume`: the ways out when an answer got lost or a process died.
//!
//! The four words that must not be mixed up: *consent* is the person's yes to one exact summary, *staff approval*
//! a second person's signature, *confirm* the call that uses both, *submitted* the moment it was committed to.

pub mod about;
mod advance;
mod calibration;
mod close;
mod confirm;
pub mod consent;
mod drive;
mod engine;
pub mod flow;
pub mod node;
pub mod offers;
pub mod parts;
pub mod patch;
pub mod plan;
pub mod reason;
pub mod record;
mod recover;
mod registry;
mod resume;
pub mod schema;
mod search;
mod start;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod verify;
pub mod view;

#[cfg(test)]
mod tests;

pub use about::{About, Verb};
pub use advance::AdvanceCall;
pub use calibration::Calibration;
pub use confirm::{Approval, ConfirmCall};
pub use consent::{Consent, ConsentLevel, ConsentStatus};
pub use engine::{
    APPROVAL_LIFE, ConsentUrl, EVENT_LIFE, Engine, IDLE_LIFE, KEY_LIFE, RETRY_AFTER_MS, Settings,
    UNKNOWN_LIFE,
};
pub use flow::{
    Abandoned, Caller, Done, Effects, Entities, Facts, Failure, Flow, Held, Judgement, LookUp, Opened,
    Opening, Preview, Refusal, StepKey, StepOutcome,
};
pub use node::{Ends, Field, Lapse, Merge, Node, NodeError, Nodes};
pub use parts::Map;
pub use reason::{Outcome, Reason};
pub use record::{Record, Status};
pub use recover::RecoverCall;
pub use registry::{Flows, RegistryError};
pub use resume::Resumed;
pub use search::{Match, NearMiss, SearchCall, SearchView};
pub use start::StartCall;
pub use store::Store;
pub use view::View;
