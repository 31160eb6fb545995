//! `confirm_action`: the only door that spends the person's consent.
//!
//! The order is fixed: stored answer by key, then whether confirming is offered, then the version, then the facts
//! once more, then the consent. Only after all of it is the purchase committed to, in one write.

use serde::Deserialize;
use serde_json::json;
use shop_world::{Moment, Step};

use crate::advance::busy;
use crate::consent::{ConsentLevel, ConsentStatus, Standing, hash, new_consent, standing};
use crate::drive::Driven;
use crate::engine::{Engine, KEY_LIFE, Live, effects_of};
use crate::flow::{Caller, Failure, Flow};
use crate::node::Ends;
use crate::offers::may_confirm;
use crate::reason::Reason;
use crate::record::{Effect, EffectState, Event, Record, Status, Submission};
use crate::start::replay;
use crate::store::{Change, Committed, ConsentWrite, KeyRow, KeyWrite};
use crate::verify::Looked;
use crate::view::{Told, View};

pub(crate) const OPERATION: &str = "confirm_action";

#[derive(Clone, Debug)]
pub struct ConfirmCall {
    pub action_id: String,
    pub approval: Approval,
    pub idempotency_key: String,
    pub version: Option<u64>,
    pub include_schema: bool,
}

/// The person's word, as the agent passes it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    Approved,
    Rejected,
}

impl Approval {
    const fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }
}

impl ConfirmCall {
    /// The version is a precondition of the call, not part of what it does.
    fn content(&self) -> String {
        hash(&json!({"action_id": self.action_id, "approval": self.approval.word()}))
    }
}

impl<C: Caller> Engine<C> {
    #[tracing::instrument(skip_all, fields(action_id = call.action_id))]
    pub async fn confirm(&self, ctx: &C, call: ConfirmCall) -> View {
        match Box::pin(self.try_confirm(ctx, &call)).await {
            Ok(view) => view,
            Err(failure) => self.failed(ctx, &call.action_id, &failure).await,
        }
    }

    async fn try_confirm(&self, ctx: &C, call: &ConfirmCall) -> Result<View, Failure> {
        let live = self.fetch(ctx, &call.action_id).await?;
        if call.idempotency_key.trim().is_empty() {
            let words = "confirm_action needs an idempotency_key: one new key per intent to confirm";
            return Err(Failure::new(Reason::IdempotencyKeyRequired, words));
        }
        if let Some(row) = self.store.key(ctx, OPERATION, &call.idempotency_key).await? {
            return self.repeat(ctx, live, call, &row).await;
        }
        if !may_confirm(&live.record, None) {
            return Ok(self.not_offered(ctx, &live, "confirm_action").await);
        }
        if call.version.is_some_and(|version| version != live.record.version) {
            return Ok(self.conflict(ctx, &live).await);
        }
        match call.approval {
            Approval::Approved => self.approve(ctx, live, call).await,
            Approval::Rejected => self.reject(ctx, live, call).await,
        }
    }

    /// The same key again: the stored answer, or whatever became of the first call since.
    async fn repeat(
        &self,
        ctx: &C,
        live: Live<'_, C>,
        call: &ConfirmCall,
        row: &KeyRow,
    ) -> Result<View, Failure> {
        if row.content != call.content() {
            let words = "this key was used to confirm something else; use a new key for a new intent";
            return Err(Failure::new(Reason::IdempotencyConflict, words));
        }
        if let Some(view) = row.answer.as_ref().and_then(replay) {
            return Ok(view);
        }
        let Live { flow, record } = live;
        let lease = self.claim(ctx, &record.id).await?;
        let carried = Box::pin(self.carry_on(ctx, flow, record)).await;
        self.store.unclaim(ctx, lease).await?;
        let driven = carried?;
        Ok(self.answer(ctx, flow, driven, call.include_schema).await)
    }

    /// Takes an unanswered confirm on from wherever it was interrupted. An unknown outcome is only looked up.
    async fn carry_on(&self, ctx: &C, flow: &dyn Flow<C>, record: Record) -> Result<Driven, Failure> {
        let record = self.reload(ctx, &record.id).await?;
        let driven = match record.status {
            Status::Unknown if record.closing.is_none() => {
                let (record, looked) = self.look(ctx, flow, record).await?;
                match looked {
                    Looked::Found => self.drive(ctx, flow, record).await?,
                    Looked::Nothing
                    | Looked::NotSent
                    | Looked::Differs(_)
                    | Looked::StillUnknown
                    | Looked::Unreachable => Driven::still(record),
                }
            }
            Status::Submitted | Status::AwaitingApproval => self.drive(ctx, flow, record).await?,
            Status::Incomplete
            | Status::ReadyForConfirmation
            | Status::Unknown
            | Status::Completed
            | Status::Failed
            | Status::Canceled
            | Status::Expired => Driven::still(record),
        };
        self.settle_answer(ctx, flow, driven).await
    }

    /// The person said no: the consent is void and everything stays filled in.
    async fn reject(&self, ctx: &C, live: Live<'_, C>, call: &ConfirmCall) -> Result<View, Failure> {
        let Live { flow, record: old } = live;
        let mut record = old.clone();
        record.touch(ctx.world().clock.now());
        let key = confirm_key(ctx, call);
        let change = Change {
            record: &record,
            expected: Some(old.version),
            journal: vec![record.entry(Event::ConsentRefused, "the person said no")],
            consent: Some(ConsentWrite::VoidAll),
            key: Some(KeyWrite::Claim(key.clone())),
        };
        match self.store.commit(ctx, change).await? {
            Committed::Done => {
                let told = Told::success().with_schema(call.include_schema);
                let view = self.show(ctx, flow, &record, None, told).await;
                self.store_answer(ctx, &record, key, &view).await?;
                Ok(view)
            }
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => {
                let record = self.reload(ctx, &record.id).await?;
                Ok(self.conflict(ctx, &Live { flow, record }).await)
            }
        }
    }

    async fn approve(&self, ctx: &C, live: Live<'_, C>, call: &ConfirmCall) -> Result<View, Failure> {
        let Live { flow, record: old } = live;
        let (record, judged) = self.refresh(ctx, flow, old.clone()).await?;
        if !may_confirm(&record, Some(&judged.plan)) {
            let told = match judged.plan.errors.first() {
                Some(error) => Told::failure(error.code, error.message.clone()),
                None => Told::failure(
                    Reason::PreconditionFailed,
                    "not everything is settled any more; see missing",
                ),
            };
            return Ok(self
                .show(ctx, flow, &record, Some(&judged), told.with_schema(call.include_schema))
                .await);
        }
        if record.digest != old.digest {
            let words = "the summary has changed since it was shown; the person has to agree to the new one";
            let told = Told::failure(Reason::ConsentStale, words).with_schema(call.include_schema);
            return Ok(self.show(ctx, flow, &record, Some(&judged), told).await);
        }
        let consent = match self.usable_consent(ctx, &record).await? {
            Ok(consent) => consent,
            Err(told) => {
                let told = told.with_schema(call.include_schema);
                return Ok(self.show(ctx, flow, &record, Some(&judged), told).await);
            }
        };
        let lease = self.claim(ctx, &record.id).await?;
        let driven = Box::pin(self.submit(ctx, flow, record, call, consent)).await;
        self.store.unclaim(ctx, lease).await?;
        match driven? {
            Ok(driven) => Ok(self.answer(ctx, flow, driven, call.include_schema).await),
            Err(lost) => self.lost_the_race(ctx, flow, &old, call, lost).await,
        }
    }

    /// The consent this confirm may spend, or what to tell the caller instead. A refusal spends nothing.
    async fn usable_consent(
        &self,
        ctx: &C,
        record: &Record,
    ) -> Result<Result<(String, ConsentWrite), Told>, Failure> {
        let now = ctx.world().clock.now();
        let digest = record.digest.clone().unwrap_or_default();
        if self.consent_level(ctx) == ConsentLevel::Agent || !self.flow_needs_consent(record) {
            let mut consent = new_consent(ctx, record, &digest, ConsentStatus::Spent);
            consent.decided_by = Some(ctx.principal().to_owned());
            return Ok(Ok((consent.id.clone(), ConsentWrite::Spent(Box::new(consent)))));
        }
        let consents = self.store.consents(ctx, &record.id).await?;
        Ok(match standing(&consents, &digest, now) {
            Standing::Granted { consent_id: id } => Ok((id.clone(), ConsentWrite::Spend { id, now })),
            Standing::Open => Err(Told::failure(
                Reason::ConsentRequired,
                "the person has not agreed to this summary yet; ask them, then confirm again with the same key",
            )
            .retry_after(crate::engine::RETRY_AFTER_MS)),
            Standing::Stale => Err(Told::failure(
                Reason::ConsentStale,
                "the person agreed to an earlier summary; they have to agree to this one",
            )),
            Standing::Rejected => Err(Told::failure(Reason::ApprovalRejected, "the person said no to this summary")),
        })
    }

    /// Commits to the purchase in one write: status, consent, key and the intent of the first effect. Then acts.
    async fn submit(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        ready: Record,
        call: &ConfirmCall,
        (consent_id, consent): (String, ConsentWrite),
    ) -> Result<Result<Driven, Committed>, Failure> {
        let world = ctx.world();
        let mut record = ready.clone();
        let submission = Submission {
            digest: record.digest.clone().unwrap_or_default(),
            level: self.consent_level(ctx),
            consent_id,
            token: format!("ptk_{}", world.ids.next("ptk").to_string().to_lowercase()),
            key: call.idempotency_key.clone(),
            content: call.content(),
            answered: false,
        };
        record.submission = Some(submission);
        record.touch(world.clock.now());
        let first = effects_of(flow)?.steps(&record).first().copied();
        commit_to(&mut record, flow, first);
        let mut journal = vec![record.entry(Event::Submitted, "consent spent")];
        journal.extend(first.map(|step| record.effect_entry(Event::EffectIntended, step, step)));
        let change = Change {
            record: &record,
            expected: Some(ready.version),
            journal,
            consent: Some(consent),
            key: Some(KeyWrite::Claim(confirm_key(ctx, call))),
        };
        world.crashes.pass(Step::ActionSubmitted, Moment::Before);
        let committed = self.store.commit(ctx, change).await?;
        world.crashes.pass(Step::ActionSubmitted, Moment::After);
        match committed {
            Committed::Done => {}
            lost @ (Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable) => {
                return Ok(Err(lost));
            }
        }
        let driven = self.drive(ctx, flow, record).await?;
        self.settle_answer(ctx, flow, driven).await.map(Ok)
    }

    /// Somebody was faster. Nothing of this call happened; the answer shows what did.
    async fn lost_the_race(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        old: &Record,
        call: &ConfirmCall,
        lost: Committed,
    ) -> Result<View, Failure> {
        let record = self.reload(ctx, &old.id).await?;
        let live = Live { flow, record };
        match lost {
            Committed::KeyTaken => Err(busy()),
            Committed::ConsentUnusable => {
                let told = Told::failure(Reason::ConsentStale, "this consent cannot be used any more");
                Ok(self.show(ctx, flow, &live.record, None, told.with_schema(call.include_schema)).await)
            }
            Committed::Stale | Committed::Done if may_confirm(&live.record, None) => {
                Ok(self.conflict(ctx, &live).await)
            }
            Committed::Stale | Committed::Done => Ok(self.not_offered(ctx, &live, "confirm_action").await),
        }
    }
}

/// Puts a record where its first effect is written down and nothing is done yet.
fn commit_to<C: Caller>(record: &mut Record, flow: &dyn Flow<C>, first: Option<&'static str>) {
    record.status = Status::Submitted;
    if let Ends::Confirm { submitted, .. } = flow.nodes().ends() {
        record.node = submitted.to_owned();
    }
    record.effects = first.map(intend).into_iter().collect();
    record.expires_at = None;
    record.wake_at = Some(record.updated_at);
}

/// An effect that is committed to.
pub(crate) fn intend(step: &str) -> Effect {
    Effect { step: step.to_owned(), state: EffectState::Intended, done: None }
}

fn confirm_key<C: Caller>(ctx: &C, call: &ConfirmCall) -> KeyRow {
    KeyRow {
        principal: ctx.principal().to_owned(),
        operation: OPERATION.to_owned(),
        key: call.idempotency_key.clone(),
        content: call.content(),
        action_id: call.action_id.clone(),
        answer: None,
        expires_at: ctx.world().clock.now() + KEY_LIFE,
    }
}
