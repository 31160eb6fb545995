//! `advance_action` and `get_context`: filling an action in, giving it up, looking at it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::engine::{Engine, Live, adopt, void_if_changed};
use crate::flow::{Caller, Failure, Flow, Opened};
use crate::node::TARGET;
use crate::offers::{may_cancel, may_patch};
use crate::parts::{Map, ValidationError};
use crate::patch::{self, Patched};
use crate::reason::Reason;
use crate::record::{Closing, Event, Record, Status};
use crate::start::told_of_patch;
use crate::store::{Change, Committed, Lease};
use crate::view::{Told, View};

/// How often, and after which pause, a call tries to get hold of an action that somebody else is at work on. The
/// process's own look at an unknown outcome takes a few milliseconds, and nobody should be sent away for that.
const CLAIM_TRIES_MAX: u32 = 20;
const CLAIM_PAUSE: Duration = Duration::from_millis(50);

#[derive(Clone, Debug, Default)]
pub struct AdvanceCall {
    pub action_id: String,
    pub version: u64,
    pub patch: Map,
    pub cancel: bool,
    pub include_schema: bool,
}

impl<C: Caller> Engine<C> {
    /// The action as it stands, with the schema of a patch. Always legal.
    pub async fn get(&self, ctx: &C, action_id: &str) -> View {
        match Box::pin(self.try_get(ctx, action_id)).await {
            Ok(view) => view,
            Err(failure) => self.failed(ctx, action_id, &failure).await,
        }
    }

    async fn try_get(&self, ctx: &C, action_id: &str) -> Result<View, Failure> {
        let Live { flow, record } = self.fetch(ctx, action_id).await?;
        let told = Told::success().with_schema(true);
        if !may_patch(&record) {
            return Ok(self.show(ctx, flow, &record, None, told).await);
        }
        let (record, judged) = self.refresh(ctx, flow, record).await?;
        Ok(self.show(ctx, flow, &record, Some(&judged), told).await)
    }

    #[tracing::instrument(skip_all, fields(action_id = call.action_id))]
    pub async fn advance(&self, ctx: &C, call: AdvanceCall) -> View {
        match Box::pin(self.try_advance(ctx, &call)).await {
            Ok(view) => view,
            Err(failure) => self.failed(ctx, &call.action_id, &failure).await,
        }
    }

    async fn try_advance(&self, ctx: &C, call: &AdvanceCall) -> Result<View, Failure> {
        let live = self.fetch(ctx, &call.action_id).await?;
        let offered = if call.cancel { may_cancel(&live.record) } else { may_patch(&live.record) };
        if !offered {
            return Ok(self.not_offered(ctx, &live, "advance_action").await);
        }
        if call.version != live.record.version {
            return Ok(self.conflict(ctx, &live).await);
        }
        if call.cancel {
            return self.cancel(ctx, live).await;
        }
        let Live { flow, record } = &live;
        if let Err(refused) = patch::check(flow.nodes(), record.is_resolving(), &call.patch) {
            let told = Told::failure(Reason::FieldNotAllowed, refused.to_string());
            return Ok(self.show(ctx, *flow, record, None, told.with_schema(call.include_schema)).await);
        }
        if call.patch.is_empty() {
            let words = "the patch is empty: name at least one field of allowed_patch, or cancel";
            let told = Told::failure(Reason::ValidationFailed, words);
            return Ok(self.show(ctx, *flow, record, None, told.with_schema(call.include_schema)).await);
        }
        self.patch(ctx, live, call).await
    }

    async fn patch(&self, ctx: &C, live: Live<'_, C>, call: &AdvanceCall) -> Result<View, Failure> {
        let Live { flow, record: old } = live;
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        let patch = flow.understand(ctx, &record, call.patch.clone()).await?;
        let mut patched = patch::apply(flow.nodes(), &record, &patch);
        if let Some(target) = patched.target.take()
            && let Err(error) = self.resolve(ctx, flow, &mut record, &mut patched, &target).await?
        {
            return Ok(self.unresolved(ctx, flow, &old, error, call).await);
        }
        let mut judged = self.judge(ctx, flow, &record, patched).await?;
        if record.is_resolving() {
            record.given.clone_from(&judged.plan.given);
        } else {
            adopt(&mut record, flow.nodes(), &judged, now);
        }
        record.touch(now);
        self.hold(ctx, flow, &mut record, &mut judged).await?;
        let journal =
            vec![record.entry(Event::Patched, call.patch.keys().cloned().collect::<Vec<_>>().join(", "))];
        let consent = void_if_changed(&old, &record);
        let change = Change { record: &record, expected: Some(old.version), journal, consent, key: None };
        match self.store.commit(ctx, change).await? {
            Committed::Done => {}
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => {
                let record = self.reload(ctx, &old.id).await?;
                self.realign(ctx, flow, &record).await?;
                return Ok(self.conflict(ctx, &Live { flow, record }).await);
            }
        }
        let told =
            told_of_patch(call.patch.keys(), &judged, pending_in(&old)).with_schema(call.include_schema);
        Ok(self.show(ctx, flow, &record, Some(&judged), told).await)
    }

    /// Takes the entity the caller picked; what was said before is laid over what the entity brings along.
    async fn resolve(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: &mut Record,
        patched: &mut Patched,
        target: &str,
    ) -> Result<Result<(), ValidationError>, Failure> {
        let refuse = |code, message: &str| Ok(Err(ValidationError::new(TARGET, code, message)));
        match flow.open(ctx, Some(target), &patched.given).await? {
            Opened::Entity(opening) => {
                record.entity = opening.entity;
                record.confidence = opening.confidence;
                record.evidence = opening.evidence;
                record.candidates.clear();
                record.node = flow.nodes().first().to_owned();
                for (name, value) in opening.inputs {
                    patched.given.entry(name).or_insert(value);
                }
                Ok(Ok(()))
            }
            Opened::Candidates(candidates) => {
                record.candidates = candidates;
                Ok(Ok(()))
            }
            Opened::NotFound { .. } => {
                refuse(Reason::NotFound, "no such candidate: use the id of one that is listed")
            }
            Opened::Refused(refusal) => refuse(refusal.reason, &refusal.message),
        }
    }

    /// A target that cannot be taken refuses the patch; nothing changes.
    async fn unresolved(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: &Record,
        error: ValidationError,
        call: &AdvanceCall,
    ) -> View {
        let told = Told::failure(error.code, error.message.clone()).with_schema(call.include_schema);
        let mut view = self.show(ctx, flow, record, None, told).await;
        view.validation_errors.push(error);
        view
    }

    async fn cancel(&self, ctx: &C, live: Live<'_, C>) -> Result<View, Failure> {
        let Live { flow, record } = live;
        let closing = Closing { status: Status::Canceled, trouble: None };
        let lease = self.claim(ctx, &record.id).await?;
        let closed = Box::pin(self.close(ctx, flow, record, closing)).await;
        self.store.unclaim(ctx, lease).await?;
        let record = closed?;
        if record.status == Status::Canceled {
            return Ok(self.show(ctx, flow, &record, None, Told::success()).await);
        }
        let live = Live { flow, record };
        Ok(self.conflict(ctx, &live).await)
    }

    /// Takes an action to work on it, after whoever is at work on it this moment.
    pub(crate) async fn claim(&self, ctx: &C, action_id: &str) -> Result<Lease, Failure> {
        for _ in 0..CLAIM_TRIES_MAX {
            if let Some(lease) = self.store.claim(ctx, action_id).await? {
                return Ok(lease);
            }
            tokio::time::sleep(CLAIM_PAUSE).await;
        }
        Err(busy())
    }

    pub(crate) async fn conflict(&self, ctx: &C, live: &Live<'_, C>) -> View {
        let words =
            format!("the action is at version {} now; decide anew from this view", live.record.version);
        self.show(ctx, live.flow, &live.record, None, Told::failure(Reason::VersionConflict, words)).await
    }
}

/// What was said before and had not taken effect yet.
fn pending_in(record: &Record) -> BTreeSet<String> {
    record.given.keys().filter(|name| !record.inputs.contains_key(*name)).cloned().collect()
}

/// Somebody else is at work on this very action.
pub(crate) fn busy() -> Failure {
    let failure = Failure::new(Reason::InProgress, "this action is being worked on; ask again shortly");
    failure.retry_after(crate::engine::RETRY_AFTER_MS)
}
