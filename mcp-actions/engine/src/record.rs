//! The whole state of one action. With its id and version, any process can serve the next call.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::consent::ConsentLevel;
use crate::flow::{Done, Preview, Refusal, StepKey};
use crate::node::RESOLVE;
use crate::parts::{Candidate, EntityRef, Evidence, Map, RecoverableError, Ref, Verification};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Incomplete,
    ReadyForConfirmation,
    AwaitingApproval,
    Submitted,
    Unknown,
    Completed,
    Failed,
    Canceled,
    Expired,
}

impl Status {
    /// The word on the wire and in rows.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::ReadyForConfirmation => "ready_for_confirmation",
            Self::AwaitingApproval => "awaiting_approval",
            Self::Submitted => "submitted",
            Self::Unknown => "unknown",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
        }
    }

    /// Whether inputs may still change.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::Incomplete | Self::ReadyForConfirmation => true,
            Self::AwaitingApproval
            | Self::Submitted
            | Self::Unknown
            | Self::Completed
            | Self::Failed
            | Self::Canceled
            | Self::Expired => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    pub id: String,
    pub capability: String,
    pub principal: String,
    pub version: u64,
    pub status: Status,
    pub node: String,
    pub entity: Option<EntityRef>,
    /// What the target may mean, while the action stands at `RESOLVE`.
    pub candidates: Vec<Candidate>,
    /// Everything the caller said so far, by field, whether or not it could take effect.
    pub given: Map,
    /// What is in effect: accepted values and what the server chose for the rest.
    pub inputs: Map,
    /// Optional fields the caller has to answer anew.
    pub reopened: BTreeSet<String>,
    /// What the last change dropped or put back, and why.
    pub notes: Vec<RecoverableError>,
    /// What the person is asked to agree to, and the digest a consent is bound to.
    pub preview: Option<Preview>,
    pub digest: Option<String>,
    pub submission: Option<Submission>,
    /// Counts submissions: a second one, after a clear refusal, has step keys of its own.
    pub round: u32,
    /// The effects of this round: each is written down before it is tried.
    pub effects: Vec<Effect>,
    pub staff_approval: Option<StaffApproval>,
    /// Set while an action is being given up; it ends in this state once nothing is left behind.
    pub closing: Option<Closing>,
    /// Why it failed or expired.
    pub trouble: Option<Refusal>,
    pub verification: Option<Verification>,
    pub external_id: Option<String>,
    pub refs: Vec<Ref>,
    pub confidence: Option<f64>,
    pub evidence: Vec<Evidence>,
    /// How often in a row looking outside taught nothing.
    pub looks: u32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    /// When a runner should take the action on by itself.
    pub wake_at: Option<DateTime<Utc>>,
}

/// The moment the purchase was committed to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    pub digest: String,
    pub level: ConsentLevel,
    pub consent_id: String,
    /// Single use, bound to the digest, for the gateway call; never shown to a caller.
    pub token: String,
    /// The caller's key, and whether its answer is stored.
    pub key: String,
    pub content: String,
    pub answered: bool,
}

/// One effect: intent first, outcome later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    pub step: String,
    pub state: EffectState,
    pub done: Option<Done>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectState {
    /// Committed to; perhaps running, perhaps interrupted.
    Intended,
    Done,
    Refused,
    Unknown,
    /// Looked for and not found.
    NotFound,
    /// Something happened, but not what was agreed.
    Differs,
    AwaitingApproval,
    AwaitingEvent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffApproval {
    pub required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub status: StaffApprovalStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StaffApprovalStatus {
    NotRequested,
    Pending,
    Approved,
    Rejected,
}

/// How an action that is being given up will end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    pub status: Status,
    pub trouble: Option<Refusal>,
}

/// One line of an action's journal: how it got where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub at: DateTime<Utc>,
    pub version: u64,
    pub event: Event,
    /// The step key, where the line is about an effect.
    pub key: Option<String>,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Started,
    Patched,
    Refreshed,
    ConsentRefused,
    Submitted,
    EffectIntended,
    EffectRecorded,
    LookedUp,
    Reopened,
    Closing,
    Closed,
    Completed,
    Answered,
}

impl Record {
    /// Counts an accepted change.
    pub fn touch(&mut self, now: DateTime<Utc>) {
        self.version += 1;
        self.updated_at = now;
    }

    #[must_use]
    pub fn entry(&self, event: Event, detail: impl Into<String>) -> Entry {
        Entry { at: self.updated_at, version: self.version, event, key: None, detail: detail.into() }
    }

    #[must_use]
    pub fn effect_entry(&self, event: Event, step: &str, detail: impl Into<String>) -> Entry {
        let key = self.step_key(step).as_str().to_owned();
        Entry { key: Some(key), ..self.entry(event, detail) }
    }

    #[must_use]
    pub fn step_key(&self, step: &str) -> StepKey {
        StepKey::new(&self.id, step, self.round)
    }

    /// Whether the action still waits for its caller to say which entity was meant.
    #[must_use]
    pub fn is_resolving(&self) -> bool {
        self.node == RESOLVE
    }

    /// The first effect that was committed to and is not known to be done.
    #[must_use]
    pub fn open_effect(&self) -> Option<&Effect> {
        self.effects.iter().find(|effect| effect.state != EffectState::Done)
    }

    pub(crate) fn open_effect_mut(&mut self) -> Option<&mut Effect> {
        self.effects.iter_mut().find(|effect| effect.state != EffectState::Done)
    }

    /// Whether the confirm that submitted this action has no stored answer yet.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        self.submission.as_ref().is_some_and(|submission| !submission.answered)
    }

    /// What an earlier effect of this round left behind.
    #[must_use]
    pub fn done(&self, step: &str) -> Option<&Done> {
        self.effects.iter().find(|effect| effect.step == step)?.done.as_ref()
    }

    /// Whether everything the person agreed to was carried out, as far as this side knows.
    #[must_use]
    pub fn is_carried_out(&self) -> bool {
        self.submission.is_some() && self.effects.iter().all(|effect| effect.state == EffectState::Done)
    }

    /// Whether nothing outside can have changed yet.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.effects.iter().all(|effect| match effect.state {
            EffectState::Refused | EffectState::AwaitingApproval => true,
            EffectState::Intended
            | EffectState::Done
            | EffectState::Unknown
            | EffectState::NotFound
            | EffectState::Differs
            | EffectState::AwaitingEvent => false,
        })
    }

    /// Whether a clear refusal can be answered with other inputs.
    #[must_use]
    pub fn is_reopenable(&self) -> bool {
        self.status == Status::Failed
            && self.closing.is_none()
            && self.trouble.as_ref().is_some_and(|trouble| trouble.reason.is_mendable())
    }

    #[must_use]
    pub fn is_overdue(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// When a runner has to look at this action: one indexed column for a store.
    #[must_use]
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        match (self.wake_at, self.expires_at) {
            (Some(wake), Some(expiry)) => Some(wake.min(expiry)),
            (wake, expiry) => wake.or(expiry),
        }
    }

    /// Adds typed ids, each once.
    pub fn add_refs(&mut self, refs: &[Ref]) {
        for new in refs {
            if !self.refs.contains(new) {
                self.refs.push(new.clone());
            }
        }
    }
}
