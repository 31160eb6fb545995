//! The engine itself: its parts, and what every call has in common.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use shop_world::World;

use crate::calibration::Calibration;
use crate::consent::{Consent, ConsentLevel, digest};
use crate::flow::{Caller, Effects, Entities, Facts, Failure, Flow, Held, Judgement, Preview};
use crate::node::{Ends, Nodes};
use crate::offers::Judged;
use crate::parts::{Choice, Map, Risk, RiskLevel};
use crate::patch::Patched;
use crate::plan::{Plan, plan};
use crate::reason::Reason;
use crate::record::{Entry, Event, Record, Status};
use crate::registry::Flows;
use crate::search::Search;
use crate::store::{Change, Committed, ConsentWrite, KeyRow, KeyWrite, Store};
use crate::view::{Shown, Told, View, settled_node};

/// An action nobody touches is given up after this.
pub const IDLE_LIFE: TimeDelta = TimeDelta::minutes(30);
/// A second person has this long to decide.
pub const APPROVAL_LIFE: TimeDelta = TimeDelta::hours(24);
/// An unknown outcome that cannot be cleared up is abandoned after this.
pub const UNKNOWN_LIFE: TimeDelta = TimeDelta::hours(24);
/// An action that waits for a parcel may wait this long.
pub const EVENT_LIFE: TimeDelta = TimeDelta::days(30);
/// A key a caller supplied is remembered this long.
pub const KEY_LIFE: TimeDelta = TimeDelta::hours(24);
/// When a call that cannot be answered yet is worth repeating.
pub const RETRY_AFTER_MS: u64 = 1_000;

/// The page where the person decides on a consent of a world.
pub type ConsentUrl = Arc<dyn Fn(&World, &Consent) -> String + Send + Sync>;

/// What is fixed for all worlds an engine serves.
#[derive(Clone)]
pub struct Settings {
    pub consent: ConsentLevel,
    /// Where the person finds the page of a consent of a world.
    pub consent_url: ConsentUrl,
    /// Shared by all engines of this process.
    pub calibration: Arc<Calibration>,
}

/// The Actions door below its protocol. It keeps no state of its own but search statistics: any engine over the
/// same store can serve the next call, and one engine can serve any number of worlds.
pub struct Engine<C: Caller> {
    pub(crate) flows: Flows<C>,
    pub(crate) store: Arc<dyn Store<C>>,
    pub(crate) entities: Arc<dyn Entities<C>>,
    pub(crate) settings: Settings,
    pub(crate) search: Search,
}

/// A record together with its flow.
pub(crate) struct Live<'e, C: Caller> {
    pub(crate) flow: &'e dyn Flow<C>,
    pub(crate) record: Record,
}

impl<C: Caller> Engine<C> {
    #[must_use]
    pub fn new(
        flows: Flows<C>,
        store: Arc<dyn Store<C>>,
        entities: Arc<dyn Entities<C>>,
        settings: Settings,
    ) -> Self {
        let search = Search::new(flows.abouts(), settings.calibration.clone());
        Self { flows, store, entities, settings, search }
    }

    #[must_use]
    pub fn flows(&self) -> &Flows<C> {
        &self.flows
    }

    /// Loads an action of the caller. One that nobody touched in time expires here, if no runner was faster.
    pub(crate) async fn fetch(&self, ctx: &C, action_id: &str) -> Result<Live<'_, C>, Failure> {
        let missing = || Failure::new(Reason::NotFound, format!("there is no action {action_id}"));
        let record = self.store.load(ctx, action_id).await?.ok_or_else(missing)?;
        let flow = self.flow_of(&record)?;
        let waits = record.status.is_open() || record.status == Status::AwaitingApproval;
        if waits && record.is_overdue(ctx.world().clock.now()) {
            let record = Box::pin(self.expire(ctx, flow, record)).await?;
            return Ok(Live { flow, record });
        }
        Ok(Live { flow, record })
    }

    /// Loads the record again after somebody else changed it.
    pub(crate) async fn reload(&self, ctx: &C, action_id: &str) -> Result<Record, Failure> {
        let gone = || Failure::new(Reason::Internal, "the action disappeared while it was being changed");
        self.store.load(ctx, action_id).await?.ok_or_else(gone)
    }

    pub(crate) fn flow_of(&self, record: &Record) -> Result<&dyn Flow<C>, Failure> {
        let unknown =
            || Failure::new(Reason::Internal, "this action belongs to a capability that is not installed");
        self.flows.get(&record.capability).ok_or_else(unknown)
    }

    pub(crate) fn flow_needs_consent(&self, record: &Record) -> bool {
        self.flows.get(&record.capability).is_none_or(|flow| flow.about().requires_approval)
    }

    /// Reads the facts and judges what was given.
    pub(crate) async fn judge(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: &Record,
        patched: Patched,
    ) -> Result<Judged, Failure> {
        if record.is_resolving() {
            return Ok(Judged { facts: Box::new(NoFacts), plan: Plan::resolving(patched) });
        }
        let asked = Record { given: patched.given.clone(), ..record.clone() };
        let facts = flow.facts(ctx, &asked).await?;
        let plan = plan(flow.nodes(), facts.as_ref(), patched, &record.inputs);
        Ok(Judged { facts, plan })
    }

    /// Judges an action as it stands.
    pub(crate) async fn judge_again(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: &Record,
    ) -> Result<Judged, Failure> {
        self.judge(ctx, flow, record, unpatched(record)).await
    }

    /// Reserves what the confirm node needs; where that is refused, the action stays before it.
    pub(crate) async fn hold(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: &mut Record,
        judged: &mut Judged,
    ) -> Result<(), Failure> {
        let (Status::ReadyForConfirmation, Some(effects)) = (record.status, flow.effects()) else {
            return Ok(());
        };
        match effects.hold(ctx, record).await? {
            Held::Kept => {}
            Held::Refused(errors) => {
                judged.plan.refuse(flow.nodes(), errors);
                adopt(record, flow.nodes(), judged, ctx.world().clock.now());
            }
        }
        Ok(())
    }

    /// After losing a race, puts what is reserved back in line with the change that won.
    pub(crate) async fn realign(&self, ctx: &C, flow: &dyn Flow<C>, record: &Record) -> Result<(), Failure> {
        let Some(effects) = flow.effects() else { return Ok(()) };
        match record.status {
            Status::ReadyForConfirmation => effects.hold(ctx, record).await.map(|_| ()),
            Status::Canceled | Status::Expired | Status::Failed => effects.release(ctx, record).await,
            Status::Incomplete
            | Status::AwaitingApproval
            | Status::Submitted
            | Status::Unknown
            | Status::Completed => Ok(()),
        }
    }

    /// Judges the action again and, where the world has moved on, writes down where it stands now.
    pub(crate) async fn refresh(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: Record,
    ) -> Result<(Record, Judged), Failure> {
        let mut judged = self.judge_again(ctx, flow, &record).await?;
        if record.is_resolving() {
            return Ok((record, judged));
        }
        let now = ctx.world().clock.now();
        let mut fresh = record.clone();
        adopt(&mut fresh, flow.nodes(), &judged, now);
        if stands_alike(&record, &fresh) {
            return Ok((record, judged));
        }
        fresh.touch(now);
        self.hold(ctx, flow, &mut fresh, &mut judged).await?;
        let journal = vec![fresh.entry(Event::Refreshed, fresh.node.clone())];
        let consent = void_if_changed(&record, &fresh);
        let change = Change { record: &fresh, expected: Some(record.version), journal, consent, key: None };
        match self.store.commit(ctx, change).await? {
            Committed::Done => Ok((fresh, judged)),
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => {
                let winner = self.reload(ctx, &record.id).await?;
                self.realign(ctx, flow, &winner).await?;
                let judged = self.judge_again(ctx, flow, &winner).await?;
                Ok((winner, judged))
            }
        }
    }

    /// Writes a change that only the holder of the lease makes; somebody else's change wins and is returned.
    pub(crate) async fn save(
        &self,
        ctx: &C,
        record: Record,
        expected: u64,
        journal: Vec<Entry>,
    ) -> Result<(Record, Committed), Failure> {
        let change = Change { record: &record, expected: Some(expected), journal, consent: None, key: None };
        match self.store.commit(ctx, change).await? {
            Committed::Done => Ok((record, Committed::Done)),
            lost @ (Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable) => {
                Ok((self.reload(ctx, &record.id).await?, lost))
            }
        }
    }

    /// Stores the answer of a call whose key was claimed. If somebody changed the action meanwhile, a repetition
    /// shows it as it then stands.
    pub(crate) async fn store_answer(
        &self,
        ctx: &C,
        record: &Record,
        row: KeyRow,
        view: &View,
    ) -> Result<(), Failure> {
        let key = Some(KeyWrite::Answer(KeyRow { answer: serde_json::to_value(view).ok(), ..row }));
        let expected = Some(record.version);
        let change = Change { record, expected, journal: Vec::new(), consent: None, key };
        self.store.commit(ctx, change).await.map(|_| ())
    }

    /// The view of an action, its entity re-read. Where the facts are not at hand they are read, without writing.
    pub(crate) async fn show(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: &Record,
        judged: Option<&Judged>,
        told: Told,
    ) -> View {
        let wanted = judged.is_none() && (record.status.is_open() || is_reading(flow.nodes(), record));
        let read = if wanted { self.judge_again(ctx, flow, record).await.map(Some) } else { Ok(None) };
        let observed = flow.observe(ctx, record).await;
        let consent = self.consent_view(ctx, record).await;
        let failed = [read.as_ref().err(), observed.as_ref().err(), consent.as_ref().err()];
        // A success whose postcondition could not be re-read is not one.
        let told = match failed.into_iter().flatten().next() {
            Some(failure) if told.reason.is_none() => Told { schema: told.schema, ..Told::from(failure) },
            Some(_) | None => told,
        };
        let read = read.ok().flatten();
        let observed = observed.ok().flatten().map(|state| stamp(state, ctx.world().clock.now()));
        View::of(Shown {
            about: flow.about(),
            nodes: flow.nodes(),
            record,
            judged: judged.or(read.as_ref()),
            consent: consent.ok().flatten(),
            observed,
            told,
        })
    }

    /// The answer to a call that is not offered now: nothing changed, and here is where the action stands.
    pub(crate) async fn not_offered(&self, ctx: &C, live: &Live<'_, C>, what: &str) -> View {
        let told = if live.record.status == Status::Expired {
            Told::failure(Reason::ActionExpired, "this action has expired; start a new one")
        } else {
            let words = format!("{what} is not offered now; see next_actions");
            Told::failure(Reason::ActionNotAllowed, words)
        };
        self.show(ctx, live.flow, &live.record, None, told).await
    }

    /// The answer to a failure, with the action where there is one to show.
    pub(crate) async fn failed(&self, ctx: &C, action_id: &str, failure: &Failure) -> View {
        if failure.reason == Reason::Internal {
            tracing::error!(action_id, message = failure.message, "an action call failed");
        }
        let told = Told::from(failure);
        let found = self.store.load(ctx, action_id).await.ok().flatten();
        match found.as_ref().map(|record| (record, self.flow_of(record))) {
            Some((record, Ok(flow))) => self.show(ctx, flow, record, None, told).await,
            Some((_, Err(_))) | None => View::lost(told),
        }
    }
}

/// What is known about an entity before it is known which one is meant.
struct NoFacts;

impl Facts for NoFacts {
    fn judge(&self, _node: &str, _inputs: &Map) -> Judgement {
        Judgement::Missing(Vec::new())
    }

    fn options(&self, _field: &str, _inputs: &Map) -> Option<Vec<Choice>> {
        None
    }

    fn context(&self, _inputs: &Map) -> Map {
        Map::new()
    }

    fn preview(&self, _inputs: &Map) -> Preview {
        let risk = Risk { level: RiskLevel::Low, factors: Vec::new() };
        Preview { summary: Map::new(), risk, staff_approval: false }
    }
}

/// The effects of a flow that has submitted something, so it has some.
pub(crate) fn effects_of<C: Caller>(flow: &dyn Flow<C>) -> Result<&dyn Effects<C>, Failure> {
    flow.effects().ok_or_else(|| Failure::new(Reason::Internal, "a read-only capability was asked to act"))
}

/// The patch that changes nothing.
pub(crate) fn unpatched(record: &Record) -> Patched {
    Patched {
        given: record.given.clone(),
        reopened: record.reopened.clone(),
        fresh: BTreeSet::new(),
        target: None,
    }
}

/// Moves a record to where its plan says it stands.
pub(crate) fn adopt(record: &mut Record, nodes: &Nodes, judged: &Judged, now: DateTime<Utc>) {
    let plan = &judged.plan;
    record.given.clone_from(&plan.given);
    record.inputs.clone_from(&plan.inputs);
    record.reopened.clone_from(&plan.reopened);
    record.notes.clone_from(&plan.notes);
    let life = if plan.waiting.is_some() { EVENT_LIFE } else { IDLE_LIFE };
    record.expires_at = Some(now + life);
    if let Some(node) = &plan.node {
        record.node.clone_from(node);
        record.status = Status::Incomplete;
        record.preview = None;
        record.digest = None;
        return;
    }
    let (node, status) = settled_node(nodes);
    record.node = node.to_owned();
    record.status = status;
    let preview = judged.facts.preview(&record.inputs);
    record.digest = (status == Status::ReadyForConfirmation).then(|| digest(&preview.summary));
    record.preview = Some(preview);
    if status == Status::Completed {
        record.expires_at = None;
    }
}

/// Whether nothing that a caller can see has changed.
fn stands_alike(old: &Record, new: &Record) -> bool {
    let same_place = old.status == new.status && old.node == new.node;
    let same_inputs = old.given == new.given && old.inputs == new.inputs && old.reopened == new.reopened;
    same_place && same_inputs && old.digest == new.digest
}

/// A consent is void as soon as anything in the summary changes.
pub(crate) fn void_if_changed(old: &Record, new: &Record) -> Option<ConsentWrite> {
    (old.digest.is_some() && old.digest != new.digest).then_some(ConsentWrite::VoidAll)
}

/// Whether the action is one that answers with what it read.
fn is_reading(nodes: &Nodes, record: &Record) -> bool {
    matches!(nodes.ends(), Ends::View) && record.status == Status::Completed
}

fn stamp(mut state: Map, now: DateTime<Utc>) -> Map {
    state
        .entry("observed_at")
        .or_insert_with(|| now.to_rfc3339_opts(chrono::SecondsFormat::Micros, true).into());
    state
}
