//! `start_action`: from a capability and words to an action that has gone as far as it can.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::consent::hash;
use crate::engine::{Engine, IDLE_LIFE, KEY_LIFE, Live, adopt};
use crate::flow::{Caller, Failure, Flow, Opened, Opening};
use crate::node::{RESOLVE, TARGET};
use crate::offers::Judged;
use crate::parts::{Candidate, Map, NextAction, Tool};
use crate::patch::{self, Patched};
use crate::reason::Reason;
use crate::record::{Event, Record, Status};
use crate::store::{Change, Committed, KeyRow, KeyWrite};
use crate::view::{Told, View};

const OPERATION: &str = "start_action";

#[derive(Clone, Debug, Default)]
pub struct StartCall {
    pub capability: String,
    /// An id or words.
    pub target: Option<String>,
    pub patch: Map,
    pub idempotency_key: Option<String>,
    pub include_schema: bool,
}

impl StartCall {
    fn content(&self) -> String {
        hash(&json!({"capability": self.capability, "target": self.target, "patch": self.patch}))
    }
}

impl<C: Caller> Engine<C> {
    #[tracing::instrument(skip_all, fields(capability = call.capability))]
    pub async fn start(&self, ctx: &C, call: StartCall) -> View {
        match Box::pin(self.try_start(ctx, &call)).await {
            Ok(view) => view,
            Err(failure) => View::lost(Told::from(&failure)),
        }
    }

    async fn try_start(&self, ctx: &C, call: &StartCall) -> Result<View, Failure> {
        if let Some(view) = self.earlier_start(ctx, call).await? {
            return Ok(view);
        }
        let Some(flow) = self.flows.get(&call.capability) else {
            return Ok(self.no_such_capability(&call.capability));
        };
        self.search.started(&ctx.world().name, ctx.principal(), flow.about().name);
        let opened = flow.open(ctx, call.target.as_deref(), &call.patch).await?;
        let (opening, candidates) = match opened {
            Opened::Entity(opening) => (opening, Vec::new()),
            Opened::Candidates(candidates) => (Opening::default(), candidates),
            Opened::NotFound { near_misses } => return Ok(nothing_found(flow, call, near_misses)),
            Opened::Refused(refusal) => {
                let mut view = View::bare(Told::from(&refusal));
                view.capability = Some(flow.about().name.to_owned());
                view.entity = Some(flow.about().entity.to_owned());
                view.recoverable_errors = vec![refusal.as_recoverable()];
                view.next_actions = refusal.next_actions;
                return Ok(view);
            }
        };
        let resolving = !candidates.is_empty();
        if let Err(refused) = patch::check(flow.nodes(), resolving, &call.patch) {
            let mut view = View::bare(Told::failure(Reason::FieldNotAllowed, refused.to_string()));
            view.capability = Some(flow.about().name.to_owned());
            view.allowed_patch = refused.allowed;
            view.next_actions = vec![again(call)];
            return Ok(view);
        }
        let record = new_record(ctx, flow, opening, candidates);
        self.begin(ctx, flow, call, record).await
    }

    /// Judges the first patch, reserves what is needed and writes the action down, with the caller's key.
    async fn begin(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        call: &StartCall,
        mut record: Record,
    ) -> Result<View, Failure> {
        let now = ctx.world().clock.now();
        let patch = flow.understand(ctx, &record, call.patch.clone()).await?;
        let patched = patch::apply(flow.nodes(), &record, &patch);
        let patched = Patched { target: None, ..patched };
        let mut judged = self.judge(ctx, flow, &record, patched).await?;
        if record.is_resolving() {
            record.given.clone_from(&judged.plan.given);
        } else {
            adopt(&mut record, flow.nodes(), &judged, now);
            self.hold(ctx, flow, &mut record, &mut judged).await?;
        }
        let told =
            told_of_patch(call.patch.keys(), &judged, BTreeSet::new()).with_schema(call.include_schema);
        // Showing asks the person, about an action that has to exist; so the answer is stored in a second write.
        let key = call.idempotency_key.as_ref().map(|key| self.start_key(ctx, call, key, &record));
        let journal = vec![record.entry(Event::Started, record.capability.clone())];
        let claim = key.clone().map(KeyWrite::Claim);
        let change = Change { record: &record, expected: None, journal, consent: None, key: claim };
        match self.store.commit(ctx, change).await? {
            Committed::Done => {}
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => {
                if let Some(effects) = flow.effects() {
                    effects.release(ctx, &record).await?;
                }
                let failure = Failure::new(Reason::InProgress, "the same start is under way");
                return match self.earlier_start(ctx, call).await? {
                    Some(view) => Ok(view),
                    None => Err(failure.retry_after(crate::engine::RETRY_AFTER_MS)),
                };
            }
        }
        let view = self.show(ctx, flow, &record, Some(&judged), told).await;
        if let Some(row) = key {
            self.store_answer(ctx, &record, row, &view).await?;
        }
        Ok(view)
    }

    fn start_key(&self, ctx: &C, call: &StartCall, key: &str, record: &Record) -> KeyRow {
        KeyRow {
            principal: ctx.principal().to_owned(),
            operation: OPERATION.to_owned(),
            key: key.to_owned(),
            content: call.content(),
            action_id: record.id.clone(),
            answer: None,
            expires_at: ctx.world().clock.now() + KEY_LIFE,
        }
    }

    /// The answer of an earlier start with the same key.
    async fn earlier_start(&self, ctx: &C, call: &StartCall) -> Result<Option<View>, Failure> {
        let Some(key) = &call.idempotency_key else { return Ok(None) };
        let Some(row) = self.store.key(ctx, OPERATION, key).await? else { return Ok(None) };
        if row.content != call.content() {
            let words = "this key was used for another start; use a new key for a new intent";
            return Err(Failure::new(Reason::IdempotencyConflict, words));
        }
        if let Some(view) = row.answer.as_ref().and_then(replay) {
            return Ok(Some(view));
        }
        let Live { flow, record } = self.fetch(ctx, &row.action_id).await?;
        let mut view =
            self.show(ctx, flow, &record, None, Told::success().with_schema(call.include_schema)).await;
        view.replayed = true;
        Ok(Some(view))
    }

    fn no_such_capability(&self, name: &str) -> View {
        let told = Told::failure(Reason::NotFound, format!("there is no capability {name}"));
        let mut view = View::bare(told);
        let near = self.search.nearest(name);
        let start = |near: &str| {
            NextAction::new(Tool::StartAction, format!("Start {near} instead")).with("capability", near)
        };
        view.next_actions = near.iter().map(|near| start(near)).collect();
        let search = NextAction::new(Tool::SearchCapabilities, "Search by what the person wants");
        view.next_actions.push(search.with("query", name));
        view
    }
}

/// The stored answer, marked as one.
pub(crate) fn replay(answer: &Value) -> Option<View> {
    let view: View = serde_json::from_value(answer.clone()).ok()?;
    Some(View { replayed: true, ..view })
}

/// What a patch came to, in the words of the contract.
pub(crate) fn told_of_patch<'p>(
    named: impl Iterator<Item = &'p String>,
    judged: &Judged,
    was_pending: BTreeSet<String>,
) -> Told {
    let plan = &judged.plan;
    let mut touched: Vec<String> = named.cloned().collect();
    touched.extend(was_pending.into_iter().filter(|field| !touched.contains(field)).collect::<Vec<_>>());
    // A value taken back is applied as well.
    let resolving = plan.node.as_deref() == Some(RESOLVE);
    let took_effect = |field: &String| match field.as_str() {
        TARGET => !resolving,
        _ => plan.has_accepted(field) || !plan.given.contains_key(field),
    };
    let dropped = |field: &String| plan.notes.iter().any(|note| note.field.as_ref() == Some(field));
    let applied: Vec<String> =
        touched.into_iter().filter(|field| took_effect(field) && !dropped(field)).collect();
    match plan.errors.as_slice() {
        [] => Told { applied, ..Told::success() },
        [first, rest @ ..] => {
            let same = rest.iter().all(|error| error.code == first.code);
            let reason = if same { first.code } else { Reason::ValidationFailed };
            Told { applied, ..Told::failure(reason, first.message.clone()) }
        }
    }
}

fn new_record<C: Caller>(
    ctx: &C,
    flow: &dyn Flow<C>,
    opening: Opening,
    candidates: Vec<Candidate>,
) -> Record {
    let now = ctx.world().clock.now();
    let resolving = !candidates.is_empty();
    Record {
        id: format!("act_{}", ctx.world().ids.next("act").to_string().to_lowercase()),
        capability: flow.about().name.to_owned(),
        principal: ctx.principal().to_owned(),
        version: 1,
        status: Status::Incomplete,
        node: if resolving { RESOLVE.to_owned() } else { flow.nodes().first().to_owned() },
        entity: opening.entity,
        candidates,
        given: opening.inputs,
        inputs: Map::new(),
        reopened: BTreeSet::new(),
        notes: Vec::new(),
        preview: None,
        digest: None,
        submission: None,
        round: 1,
        effects: Vec::new(),
        staff_approval: None,
        closing: None,
        trouble: None,
        verification: None,
        external_id: None,
        refs: Vec::new(),
        confidence: opening.confidence,
        evidence: opening.evidence,
        looks: 0,
        created_at: now,
        updated_at: now,
        expires_at: Some(now + IDLE_LIFE),
        wake_at: None,
    }
}

fn nothing_found<C: Caller>(flow: &dyn Flow<C>, call: &StartCall, near_misses: Vec<Candidate>) -> View {
    let words = call.target.as_deref().unwrap_or("this caller");
    let told = Told::failure(Reason::NotFound, format!("nothing was found for {words}"));
    let mut view = View::bare(told);
    view.capability = Some(flow.about().name.to_owned());
    view.entity = Some(flow.about().entity.to_owned());
    let start = |near: &Candidate| {
        let next = NextAction::new(Tool::StartAction, format!("Start with {}", near.label));
        next.with("capability", flow.about().name).with("target", near.id.clone())
    };
    view.next_actions = near_misses.iter().map(start).collect();
    let search = NextAction::new(Tool::SearchCapabilities, "Search with other words");
    view.next_actions.push(search.with("query", words));
    view.candidates = near_misses;
    view
}

fn again(call: &StartCall) -> NextAction {
    let next = NextAction::new(Tool::StartAction, "Start with only the fields of allowed_patch");
    next.with("capability", call.capability.clone())
}
