//! Carrying out what was committed to: one effect after the other, each intent written down before it is tried.

use shop_world::{Moment, Step};

use chrono::{DateTime, TimeDelta, Utc};

use crate::confirm::{OPERATION, intend};
use crate::engine::{APPROVAL_LIFE, Engine, KEY_LIFE, RETRY_AFTER_MS, UNKNOWN_LIFE, effects_of};
use crate::flow::{Caller, Done, Failure, Flow, StepOutcome};
use crate::node::Ends;
use crate::reason::Reason;
use crate::record::{
    Closing, EffectState, Event, Record, StaffApproval, StaffApprovalStatus, Status, Submission,
};
use crate::store::{Change, Committed, KeyRow, KeyWrite};
use crate::view::{Told, View};

/// How far carrying out came.
pub(crate) struct Driven {
    pub(crate) record: Record,
    /// Set when nothing could be sent now, with the time after which it may work.
    pub(crate) busy_ms: Option<u64>,
}

impl Driven {
    pub(crate) fn still(record: Record) -> Self {
        Self { record, busy_ms: None }
    }
}

impl<C: Caller> Engine<C> {
    /// Runs what is committed to until it is done or has to wait. The caller holds the action's lease. A step that
    /// was interrupted is run again under its own key, which gives back what the first run did.
    pub(crate) async fn drive(&self, ctx: &C, flow: &dyn Flow<C>, record: Record) -> Result<Driven, Failure> {
        let effects = effects_of(flow)?;
        let mut record = record;
        loop {
            if record.closing.is_some() {
                return self.finish_closing(ctx, flow, record).await.map(Driven::still);
            }
            let runnable = record.open_effect().filter(|effect| may_run(effect.state));
            let Some(step) = runnable.map(|effect| effect.step.clone()) else {
                return Ok(Driven::still(record));
            };
            let outcome = effects.run(ctx, &step, &record.step_key(&step), &record).await;
            if let StepOutcome::Busy { after_ms } = outcome {
                return self.put_off(ctx, record, after_ms).await;
            }
            let Some(next) = self.recorded(ctx, flow, &record, &step, outcome).await? else {
                return Ok(Driven::still(record));
            };
            record = next;
            let goes_on = record.closing.is_some()
                || record.open_effect().is_some_and(|effect| effect.state == EffectState::Intended);
            if !goes_on {
                return Ok(Driven::still(record));
            }
        }
    }

    /// Nothing was sent: the same step may be tried again later, by the caller or by a runner.
    async fn put_off(&self, ctx: &C, old: Record, after_ms: u64) -> Result<Driven, Failure> {
        let mut record = old.clone();
        record.wake_at = Some(ctx.world().clock.now() + milliseconds(after_ms));
        let (record, _) = self.save(ctx, record, old.version, Vec::new()).await?;
        Ok(Driven { record, busy_ms: Some(after_ms) })
    }

    /// Writes an outcome down, together with the intent of the next effect. `None` when nothing is new.
    async fn recorded(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        old: &Record,
        step: &str,
        outcome: StepOutcome,
    ) -> Result<Option<Record>, Failure> {
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        record.touch(now);
        let detail = take(&mut record, outcome, now);
        if !moved(old, &record) {
            return Ok(None);
        }
        let mut journal = vec![record.effect_entry(Event::EffectRecorded, step, detail)];
        if let Some(next) = self.intend_next(flow, &mut record)? {
            journal.push(record.effect_entry(Event::EffectIntended, next, next));
        }
        ctx.world().crashes.pass(Step::StepRecorded, Moment::Before);
        let (record, _) = self.save(ctx, record, old.version, journal).await?;
        ctx.world().crashes.pass(Step::StepRecorded, Moment::After);
        Ok(Some(record))
    }

    /// After an effect is done, commits to the next one; after the last, the action stands as submitted.
    pub(crate) fn intend_next(
        &self,
        flow: &dyn Flow<C>,
        record: &mut Record,
    ) -> Result<Option<&'static str>, Failure> {
        if record.open_effect().is_some() || record.closing.is_some() {
            return Ok(None);
        }
        record.status = Status::Submitted;
        record.expires_at = None;
        if let Ends::Confirm { submitted, .. } = flow.nodes().ends() {
            record.node = submitted.to_owned();
        }
        let next = effects_of(flow)?.steps(record).get(record.effects.len()).copied();
        record.effects.extend(next.map(intend));
        record.wake_at = (next.is_some() || record.is_unanswered()).then_some(record.updated_at);
        Ok(next)
    }

    /// Stores the answer that every repetition of the confirm gets, once there is one that can not change.
    pub(crate) async fn settle_answer(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        driven: Driven,
    ) -> Result<Driven, Failure> {
        let old = &driven.record;
        let Some(submission) = old.submission.as_ref().filter(|submission| !submission.answered) else {
            return Ok(driven);
        };
        if !(old.is_carried_out() || is_given_up(old.status)) || old.closing.is_some() {
            return Ok(driven);
        }
        let mut record = old.clone();
        let mut row = KeyRow {
            principal: record.principal.clone(),
            operation: OPERATION.to_owned(),
            key: submission.key.clone(),
            content: submission.content.clone(),
            action_id: record.id.clone(),
            answer: None,
            expires_at: ctx.world().clock.now() + KEY_LIFE,
        };
        record.submission = Some(Submission { answered: true, ..submission.clone() });
        record.wake_at = None;
        let told = told_of(&record, None);
        row.answer = serde_json::to_value(self.show(ctx, flow, &record, None, told).await).ok();
        let change = Change {
            record: &record,
            expected: Some(old.version),
            journal: vec![record.entry(Event::Answered, "")],
            consent: None,
            key: Some(KeyWrite::Answer(row)),
        };
        ctx.world().crashes.pass(Step::ActionAnswered, Moment::Before);
        let committed = self.store.commit(ctx, change).await?;
        ctx.world().crashes.pass(Step::ActionAnswered, Moment::After);
        match committed {
            Committed::Done => Ok(Driven::still(record)),
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => {
                Ok(Driven::still(self.reload(ctx, &record.id).await?))
            }
        }
    }

    /// What a confirm answers, given how far it came.
    pub(crate) async fn answer(&self, ctx: &C, flow: &dyn Flow<C>, driven: Driven, schema: bool) -> View {
        let told = told_of(&driven.record, driven.busy_ms).with_schema(schema);
        self.show(ctx, flow, &driven.record, None, told).await
    }
}

/// Reads from a record how the confirm behind it went.
pub(crate) fn told_of(record: &Record, busy_ms: Option<u64>) -> Told {
    let retry = |reason, words: &str, ms| Told::failure(reason, words).retry_after(ms);
    if let Some(ms) = busy_ms {
        return retry(Reason::UpstreamUnavailable, "nothing was sent yet; the same call may be repeated", ms);
    }
    match record.status {
        Status::Unknown => retry(
            Reason::OutcomeUnknown,
            "the answer got lost and it may have happened: look, do not submit again",
            RETRY_AFTER_MS,
        ),
        Status::AwaitingApproval => retry(
            Reason::ApprovalPending,
            "a second person has to sign this off; it then goes on by itself",
            RETRY_AFTER_MS,
        ),
        Status::Submitted => match record.open_effect().map(|effect| effect.state) {
            Some(EffectState::Intended) => retry(Reason::InProgress, "this is under way", RETRY_AFTER_MS),
            Some(
                EffectState::Done
                | EffectState::Refused
                | EffectState::Unknown
                | EffectState::NotFound
                | EffectState::Differs
                | EffectState::AwaitingApproval
                | EffectState::AwaitingEvent,
            )
            | None => Told::success(),
        },
        Status::Failed | Status::Expired => record.trouble.as_ref().map_or_else(Told::success, Told::from),
        Status::Canceled => {
            Told::failure(Reason::PreconditionFailed, "the action was given up; nothing is left of it")
        }
        Status::Incomplete | Status::ReadyForConfirmation | Status::Completed => Told::success(),
    }
}

/// Whether running the step again is safe without looking first.
fn may_run(state: EffectState) -> bool {
    match state {
        EffectState::Intended | EffectState::AwaitingApproval | EffectState::AwaitingEvent => true,
        EffectState::Done
        | EffectState::Refused
        | EffectState::Unknown
        | EffectState::NotFound
        | EffectState::Differs => false,
    }
}

fn is_given_up(status: Status) -> bool {
    match status {
        Status::Failed | Status::Canceled | Status::Expired => true,
        Status::Incomplete
        | Status::ReadyForConfirmation
        | Status::AwaitingApproval
        | Status::Submitted
        | Status::Unknown
        | Status::Completed => false,
    }
}

/// Lets an outcome take effect on the record's open effect; says in a word what it was.
fn take(record: &mut Record, outcome: StepOutcome, now: DateTime<Utc>) -> &'static str {
    record.wake_at = None;
    match outcome {
        StepOutcome::Done(done) => {
            take_done(record, done);
            "done"
        }
        StepOutcome::Refused(refusal) => {
            set_state(record, EffectState::Refused);
            if refusal.reason == Reason::ApprovalRejected {
                decide_staff(record, StaffApprovalStatus::Rejected);
            }
            record.closing = Some(Closing { status: Status::Failed, trouble: Some(refusal) });
            record.wake_at = Some(now);
            "refused"
        }
        StepOutcome::Unknown => {
            set_state(record, EffectState::Unknown);
            record.status = Status::Unknown;
            record.expires_at = Some(now + UNKNOWN_LIFE);
            record.wake_at = Some(now + crate::verify::back_off(0));
            "unknown"
        }
        StepOutcome::AwaitApproval { id } => {
            set_state(record, EffectState::AwaitingApproval);
            record.status = Status::AwaitingApproval;
            record.expires_at.get_or_insert(now + APPROVAL_LIFE);
            let status = StaffApprovalStatus::Pending;
            record.staff_approval = Some(StaffApproval { required: true, id: Some(id), status });
            "awaits approval"
        }
        StepOutcome::AwaitEvent { node, message: _ } => {
            set_state(record, EffectState::AwaitingEvent);
            record.status = Status::Submitted;
            record.node = node;
            "awaits an event"
        }
        // The caller put it off: nothing was sent.
        StepOutcome::Busy { after_ms: _ } => "busy",
    }
}

/// The open effect happened.
pub(crate) fn take_done(record: &mut Record, done: Done) {
    decide_staff(record, StaffApprovalStatus::Approved);
    take_finding(record, &done);
    if let Some(effect) = record.open_effect_mut() {
        effect.state = EffectState::Done;
        effect.done = Some(done);
    }
}

/// What an effect, or a look at it, says about the action as a whole.
pub(crate) fn take_finding(record: &mut Record, done: &Done) {
    record.add_refs(&done.refs);
    record.looks = 0;
    if done.external_id.is_some() {
        record.external_id.clone_from(&done.external_id);
    }
    if done.verification.is_some() {
        record.verification.clone_from(&done.verification);
    }
}

fn set_state(record: &mut Record, state: EffectState) {
    if let Some(effect) = record.open_effect_mut() {
        effect.state = state;
    }
}

fn decide_staff(record: &mut Record, status: StaffApprovalStatus) {
    if let Some(approval) = &mut record.staff_approval {
        approval.status = status;
    }
}

/// Whether an outcome told anything new: waiting once more is no change.
fn moved(old: &Record, new: &Record) -> bool {
    old.status != new.status
        || old.effects != new.effects
        || old.closing != new.closing
        || old.node != new.node
}

pub(crate) fn milliseconds(ms: u64) -> TimeDelta {
    TimeDelta::milliseconds(i64::try_from(ms).unwrap_or(i64::MAX / 2))
}
