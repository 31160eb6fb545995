//! Where actions, their journals, consents and callers' keys are kept. The engine names what it needs; it has no
//! notion of tables.
//!
//! Everything an action goes through is one kind of write, [`Store::commit`]: a compare-and-set on (id, version)
//! that takes the journal lines, the consent and the caller's key along in the same transaction, or does nothing.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::consent::Consent;
use crate::flow::{Caller, Failure};
use crate::record::{Entry, Record};

/// One transaction.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    pub record: &'a Record,
    /// The version the stored record must have; `None` when the action is new.
    pub expected: Option<u64>,
    pub journal: Vec<Entry>,
    pub consent: Option<ConsentWrite>,
    pub key: Option<KeyWrite>,
}

/// What happens to consents along with a change.
#[derive(Clone, Debug, PartialEq)]
pub enum ConsentWrite {
    /// Every pending or granted consent of this action is void from now on.
    VoidAll,
    /// This consent is used up. Refused unless it is granted and has not expired.
    Spend { id: String, now: DateTime<Utc> },
    /// A consent that was given by the confirm call itself.
    Spent(Box<Consent>),
}

/// What happens to the caller's key along with a change.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyWrite {
    /// The key is used now. Refused when a live row of the same principal, operation and key exists.
    Claim(KeyRow),
    /// The answer that every repetition gets.
    Answer(KeyRow),
}

/// A key a caller supplied, bound to what it was supplied with. Scoped to (principal, operation, key).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyRow {
    pub principal: String,
    pub operation: String,
    pub key: String,
    /// A hash of the arguments.
    pub content: String,
    pub action_id: String,
    /// `None` while the first call is still under way.
    pub answer: Option<Value>,
    pub expires_at: DateTime<Utc>,
}

/// How a commit ended. Anything but `Done` changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    Done,
    /// Somebody else changed the record first.
    Stale,
    /// The caller's key is in use.
    KeyTaken,
    /// The consent is not granted, or no longer.
    ConsentUnusable,
}

/// The right to run effects of one action. It ends by itself, in real time, when its owner dies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub action_id: String,
    pub token: String,
}

/// An action a runner should call `resume` for, as its principal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    pub action_id: String,
    pub principal: String,
}

#[async_trait]
pub trait Store<C: Caller>: Send + Sync {
    /// One action of the caller's principal; other people's ids answer like ids that do not exist.
    async fn load(&self, ctx: &C, action_id: &str) -> Result<Option<Record>, Failure>;

    async fn commit(&self, ctx: &C, change: Change<'_>) -> Result<Committed, Failure>;

    /// A live key row of the caller's principal.
    async fn key(&self, ctx: &C, operation: &str, key: &str) -> Result<Option<KeyRow>, Failure>;

    async fn journal(&self, ctx: &C, action_id: &str) -> Result<Vec<Entry>, Failure>;

    /// All consents of an action, oldest first.
    async fn consents(&self, ctx: &C, action_id: &str) -> Result<Vec<Consent>, Failure>;

    /// One consent of the caller's principal.
    async fn consent(&self, ctx: &C, consent_id: &str) -> Result<Option<Consent>, Failure>;

    /// Writes down that the person is asked, unless they already are: a row for the same action and digest that
    /// is pending or granted and has not expired is returned instead.
    async fn ask_consent(&self, ctx: &C, consent: Consent) -> Result<Consent, Failure>;

    /// Moves a pending consent to what `consent` says; false when it was not pending any more.
    async fn decide_consent(&self, ctx: &C, consent: &Consent) -> Result<bool, Failure>;

    /// Takes the action's lease; `None` while somebody else holds it.
    async fn claim(&self, ctx: &C, action_id: &str) -> Result<Option<Lease>, Failure>;

    async fn unclaim(&self, ctx: &C, lease: Lease) -> Result<(), Failure>;

    /// Actions of anybody whose [`Record::due_at`] has come, ordered by (due, id).
    async fn due(&self, ctx: &C, now: DateTime<Utc>, limit: usize) -> Result<Vec<Due>, Failure>;
}
