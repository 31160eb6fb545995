//! The action view: what start, get, advance, confirm, verify and recover return. Every field of the contract is
//! always there: arrays are present, a scalar that does not apply is `null`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::about::About;
use crate::consent::ConsentView;
use crate::flow::{Failure, Refusal};
use crate::node::{Ends, Nodes, RESOLVE, TARGET};
use crate::offers::{Judged, next_actions, strategies};
use crate::parts::{
    Candidate, Choice, Evidence, Map, NextAction, RecoverableError, Ref, Risk, Tool, ValidationError,
    Verification,
};
use crate::patch::allowed;
use crate::plan::Plan;
use crate::reason::{Outcome, Reason};
use crate::record::{Record, StaffApproval, StaffApprovalStatus, Status};
use crate::schema::patch_schema;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub outcome: Outcome,
    pub reason: Option<Reason>,
    /// The reason in words a person can be told.
    pub message: Option<String>,
    pub retry_after_ms: Option<u64>,
    /// Set when this is the stored answer of an earlier call with the same key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    pub action_id: Option<String>,
    pub capability: Option<String>,
    pub entity: Option<String>,
    pub node: Option<String>,
    pub status: Option<Status>,
    pub version: Option<u64>,
    pub inputs: Vec<Input>,
    pub missing: Vec<String>,
    pub allowed_patch: Vec<String>,
    pub applied: Vec<String>,
    pub pending: Vec<String>,
    pub validation_errors: Vec<ValidationError>,
    pub candidates: Vec<Candidate>,
    pub requires_confirmation: bool,
    pub requires_approval: bool,
    pub summary: Option<Map>,
    pub risk: Option<Risk>,
    pub consent: Option<ConsentView>,
    pub staff_approval: Option<StaffApproval>,
    pub external_id: Option<String>,
    pub verification: Option<Verification>,
    pub recoverable: bool,
    pub observed_state: Option<Map>,
    pub recoverable_errors: Vec<RecoverableError>,
    pub confidence: Option<f64>,
    pub evidence: Vec<Evidence>,
    pub result_refs: Vec<Ref>,
    pub next_actions: Vec<NextAction>,
    pub patch_schema: Option<Value>,
    /// What the person can choose from: `items`, `addresses`, …
    #[serde(flatten)]
    pub context: Map,
}

/// One thing the flow needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    pub field: String,
    pub node: String,
    pub required: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<Choice>>,
    pub description: String,
    /// What is in effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// What a call has to say beside the state.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<Reason>,
    pub(crate) message: Option<String>,
    pub(crate) retry_after_ms: Option<u64>,
    pub(crate) applied: Vec<String>,
    pub(crate) schema: bool,
}

impl Told {
    pub(crate) fn success() -> Self {
        Self {
            outcome: Outcome::Success,
            reason: None,
            message: None,
            retry_after_ms: None,
            applied: Vec::new(),
            schema: false,
        }
    }

    pub(crate) fn failure(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            outcome: reason.outcome(),
            reason: Some(reason),
            message: Some(message.into()),
            ..Self::success()
        }
    }

    pub(crate) fn retry_after(self, ms: u64) -> Self {
        Self { retry_after_ms: Some(ms), ..self }
    }

    pub(crate) fn with_schema(self, schema: bool) -> Self {
        Self { schema, ..self }
    }
}

impl From<&Refusal> for Told {
    fn from(refusal: &Refusal) -> Self {
        Self::failure(refusal.reason, refusal.message.clone())
    }
}

impl From<&Failure> for Told {
    fn from(failure: &Failure) -> Self {
        Self {
            retry_after_ms: failure.retry_after_ms,
            ..Self::failure(failure.reason, failure.message.clone())
        }
    }
}

/// Everything a view is made of.
pub(crate) struct Shown<'a> {
    pub(crate) about: &'a About,
    pub(crate) nodes: &'a Nodes,
    pub(crate) record: &'a Record,
    /// Present while the action is being filled in and its facts could be read.
    pub(crate) judged: Option<&'a Judged>,
    pub(crate) consent: Option<ConsentView>,
    pub(crate) observed: Option<Map>,
    pub(crate) told: Told,
}

impl View {
    /// A failure of whoever serves the engine, where there is no action to show.
    #[must_use]
    pub fn failure(reason: Reason, message: impl Into<String>) -> Self {
        Self::bare(Told::failure(reason, message))
    }

    /// The answer of a call that has no action to show.
    pub(crate) fn bare(told: Told) -> Self {
        Self {
            outcome: told.outcome,
            reason: told.reason,
            message: told.message,
            retry_after_ms: told.retry_after_ms,
            replayed: false,
            action_id: None,
            capability: None,
            entity: None,
            node: None,
            status: None,
            version: None,
            inputs: Vec::new(),
            missing: Vec::new(),
            allowed_patch: Vec::new(),
            applied: told.applied,
            pending: Vec::new(),
            validation_errors: Vec::new(),
            candidates: Vec::new(),
            requires_confirmation: false,
            requires_approval: false,
            summary: None,
            risk: None,
            consent: None,
            staff_approval: None,
            external_id: None,
            verification: None,
            recoverable: false,
            observed_state: None,
            recoverable_errors: Vec::new(),
            confidence: None,
            evidence: Vec::new(),
            result_refs: Vec::new(),
            next_actions: Vec::new(),
            patch_schema: None,
            context: Map::new(),
        }
    }

    /// The answer of a call that reached no action: it says where to begin.
    pub(crate) fn lost(told: Told) -> Self {
        let search = NextAction::new(Tool::SearchCapabilities, "Find what can be done, and start there");
        Self { next_actions: vec![search], ..Self::bare(told) }
    }

    pub(crate) fn of(shown: Shown<'_>) -> Self {
        let Shown { about, nodes, record, judged, consent, observed, told } = shown;
        let plan = judged.map(|judged| &judged.plan);
        let live = judged.map(|judged| (judged.facts.as_ref(), &judged.plan));
        let at_confirm = record.status == Status::ReadyForConfirmation;
        let wants_schema = told.schema;
        Self {
            action_id: Some(record.id.clone()),
            capability: Some(record.capability.clone()),
            entity: Some(about.entity.to_owned()),
            node: Some(record.node.clone()),
            status: Some(record.status),
            version: Some(record.version),
            inputs: inputs(nodes, record, judged),
            missing: plan.map(|plan| plan.missing.clone()).unwrap_or_default(),
            allowed_patch: allowed_patch(nodes, record, plan),
            pending: plan.map(|plan| plan.pending.clone()).unwrap_or_default(),
            validation_errors: plan.map(|plan| plan.errors.clone()).unwrap_or_default(),
            candidates: record.candidates.clone(),
            requires_confirmation: at_confirm,
            requires_approval: at_confirm && about.requires_approval,
            summary: record.preview.as_ref().map(|preview| preview.summary.clone()),
            risk: record.preview.as_ref().map(|preview| preview.risk.clone()),
            consent,
            staff_approval: staff_approval(record),
            external_id: record.external_id.clone(),
            verification: record.verification.clone(),
            recoverable: !strategies(record).is_empty(),
            observed_state: observed,
            recoverable_errors: recoverable_errors(record, plan),
            confidence: record.confidence,
            evidence: record.evidence.clone(),
            result_refs: result_refs(record),
            next_actions: next_actions(about, record, plan),
            patch_schema: wants_schema.then(|| patch_schema(nodes, record, live)),
            context: live.map(|(facts, plan)| facts.context(&plan.inputs)).unwrap_or_default(),
            ..Self::bare(told)
        }
    }
}

/// Nothing once nothing can be filled in any more: a model reads every word of it.
fn inputs(nodes: &Nodes, record: &Record, judged: Option<&Judged>) -> Vec<Input> {
    let mut inputs = Vec::new();
    if record.is_resolving() {
        inputs.push(target_input(record));
    } else if judged.is_none() {
        return inputs;
    }
    for node in nodes.list() {
        if judged.is_some_and(|judged| judged.plan.skipped.contains(node.key)) {
            continue;
        }
        for field in node.fields {
            inputs.push(Input {
                field: field.path.to_owned(),
                node: node.key.to_owned(),
                required: field.required,
                depends_on: field.depends_on.iter().map(|&name| name.to_owned()).collect(),
                options: judged.and_then(|judged| judged.facts.options(field.name, &judged.plan.inputs)),
                description: field.description.to_owned(),
                value: record.inputs.get(field.name).cloned(),
            });
        }
    }
    inputs
}

fn target_input(record: &Record) -> Input {
    let choice =
        |candidate: &Candidate| Choice { value: candidate.id.clone().into(), label: candidate.label.clone() };
    Input {
        field: TARGET.to_owned(),
        node: RESOLVE.to_owned(),
        required: true,
        depends_on: Vec::new(),
        options: Some(record.candidates.iter().map(choice).collect()),
        description: "The id of the candidate that is meant.".to_owned(),
        value: None,
    }
}

fn allowed_patch(nodes: &Nodes, record: &Record, plan: Option<&Plan>) -> Vec<String> {
    if !record.status.is_open() || record.closing.is_some() {
        return Vec::new();
    }
    let skipped = |path: &String| {
        let owner = nodes.list().iter().find(|node| node.fields.iter().any(|field| field.path == path));
        owner.is_some_and(|node| plan.is_some_and(|plan| plan.skipped.contains(node.key)))
    };
    allowed(nodes, record.is_resolving()).into_iter().filter(|path| !skipped(path)).collect()
}

fn staff_approval(record: &Record) -> Option<StaffApproval> {
    let required = record.preview.as_ref().is_some_and(|preview| preview.staff_approval);
    record.staff_approval.clone().or_else(|| {
        required.then_some(StaffApproval { required, id: None, status: StaffApprovalStatus::NotRequested })
    })
}

/// What the last change dropped, what the facts dropped since, and what made the action fail.
fn recoverable_errors(record: &Record, plan: Option<&Plan>) -> Vec<RecoverableError> {
    let mut errors = record.notes.clone();
    let since = plan.map(|plan| plan.notes.as_slice()).unwrap_or_default();
    errors.extend(since.iter().filter(|note| !record.notes.contains(note)).cloned());
    errors.extend(record.trouble.as_ref().map(Refusal::as_recoverable));
    errors
}

fn result_refs(record: &Record) -> Vec<Ref> {
    let entity = record.entity.as_ref().map(crate::parts::EntityRef::as_ref);
    let others = record.refs.iter().filter(|other| Some(*other) != entity.as_ref()).cloned();
    entity.iter().cloned().chain(others).collect()
}

/// The node an action stands at once all its inputs are settled.
pub(crate) fn settled_node(nodes: &Nodes) -> (&'static str, Status) {
    match nodes.ends() {
        Ends::View => (crate::node::DONE, Status::Completed),
        Ends::Confirm { node, .. } => (node, Status::ReadyForConfirmation),
    }
}
