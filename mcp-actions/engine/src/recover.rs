//! `recover_action`: the safe next move out of an unknown or failed action.

use crate::advance::busy;
use crate::drive::{Driven, told_of};
use crate::engine::{Engine, Live, RETRY_AFTER_MS, adopt, unpatched};
use crate::flow::{Caller, Failure, Flow};
use crate::offers::{Strategy, strategies};
use crate::reason::Reason;
use crate::record::{Closing, EffectState, Event, Record, Status};
use crate::store::{Change, Committed, ConsentWrite};
use crate::verify::Looked;
use crate::view::{Told, View};

#[derive(Clone, Debug, Default)]
pub struct RecoverCall {
    pub action_id: String,
    /// One that was offered; without it, the safe default: look, and retry only if nothing is there.
    pub strategy: Option<String>,
    pub include_schema: bool,
}

impl<C: Caller> Engine<C> {
    #[tracing::instrument(skip_all, fields(action_id = call.action_id))]
    pub async fn recover(&self, ctx: &C, call: RecoverCall) -> View {
        match Box::pin(self.try_recover(ctx, &call)).await {
            Ok(view) => view,
            Err(failure) => self.failed(ctx, &call.action_id, &failure).await,
        }
    }

    async fn try_recover(&self, ctx: &C, call: &RecoverCall) -> Result<View, Failure> {
        let live = self.fetch(ctx, &call.action_id).await?;
        let offered = strategies(&live.record);
        let chosen = match &call.strategy {
            None => offered.iter().copied().find(|strategy| *strategy == Strategy::Retry),
            Some(word) => offered.iter().copied().find(|strategy| strategy.word() == word),
        };
        // Giving up something that merely waits is a decision: it has to be named.
        let must_name = live.record.status == Status::Submitted && live.record.closing.is_none();
        if offered.is_empty() || (chosen.is_none() && (call.strategy.is_some() || must_name)) {
            return Ok(self.not_offered(ctx, &live, "this recovery").await);
        }
        let Live { flow, record } = live;
        let lease = self.claim(ctx, &record.id).await?;
        let recovered = Box::pin(self.recover_leased(ctx, flow, &record.id, chosen)).await;
        self.store.unclaim(ctx, lease).await?;
        let (record, told) = recovered?;
        Ok(self.show(ctx, flow, &record, None, told.with_schema(call.include_schema)).await)
    }

    async fn recover_leased(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        action_id: &str,
        chosen: Option<Strategy>,
    ) -> Result<(Record, Told), Failure> {
        let record = self.reload(ctx, action_id).await?;
        if record.is_reopenable() {
            return self.reopen(ctx, flow, record).await;
        }
        if record.closing.is_some() || chosen == Some(Strategy::Abandon) {
            return self.abandon(ctx, flow, record).await;
        }
        let (record, looked) = self.look(ctx, flow, record).await?;
        match looked {
            Looked::Found => self.verify_leased(ctx, flow, action_id).await,
            Looked::NotSent => self.retried(ctx, flow, record).await,
            Looked::Nothing if chosen == Some(Strategy::Retry) => {
                let record = self.intend_again(ctx, record).await?;
                self.retried(ctx, flow, record).await
            }
            Looked::Differs(message) => Ok((record, Told::failure(Reason::PreconditionFailed, message))),
            Looked::Nothing | Looked::StillUnknown | Looked::Unreachable => {
                let words = "it is still not known what happened, so nothing was sent";
                Ok((record, Told::failure(Reason::OutcomeUnknown, words).retry_after(RETRY_AFTER_MS)))
            }
        }
    }

    async fn retried(&self, ctx: &C, flow: &dyn Flow<C>, record: Record) -> Result<(Record, Told), Failure> {
        let driven = self.drive(ctx, flow, record).await?;
        let Driven { record, busy_ms } = self.settle_answer(ctx, flow, driven).await?;
        let told = told_of(&record, busy_ms);
        Ok((record, told))
    }

    /// After a look that found nothing: the same step, under its original key, is committed to once more.
    async fn intend_again(&self, ctx: &C, old: Record) -> Result<Record, Failure> {
        let mut record = old.clone();
        let Some(step) = record.open_effect().map(|effect| effect.step.clone()) else { return Ok(old) };
        if let Some(effect) = record.open_effect_mut() {
            effect.state = EffectState::Intended;
        }
        record.touch(ctx.world().clock.now());
        record.status = Status::Submitted;
        record.expires_at = None;
        record.wake_at = Some(record.updated_at);
        record.looks = 0;
        let journal = vec![record.effect_entry(Event::EffectIntended, &step, "retry under the original key")];
        self.save(ctx, record, old.version, journal).await.map(|(record, _)| record)
    }

    /// Gives an action up whose effects may have happened.
    async fn abandon(&self, ctx: &C, flow: &dyn Flow<C>, record: Record) -> Result<(Record, Told), Failure> {
        let record = if record.closing.is_some() {
            self.finish_closing(ctx, flow, record).await?
        } else {
            self.close(ctx, flow, record, Closing { status: Status::Canceled, trouble: None }).await?
        };
        let Driven { record, .. } = self.settle_answer(ctx, flow, Driven::still(record)).await?;
        let told = match record.status {
            Status::Canceled | Status::Expired | Status::Failed => Told::success(),
            Status::Incomplete
            | Status::ReadyForConfirmation
            | Status::AwaitingApproval
            | Status::Submitted
            | Status::Unknown
            | Status::Completed => {
                let words = "whether anything is left is not known yet; recover again";
                Told::failure(Reason::OutcomeUnknown, words).retry_after(RETRY_AFTER_MS)
            }
        };
        Ok((record, told))
    }

    /// Opens an action again that was clearly refused and left nothing behind. Its next submission is a new round
    /// with step keys, a consent and a caller's key of its own.
    async fn reopen(&self, ctx: &C, flow: &dyn Flow<C>, old: Record) -> Result<(Record, Told), Failure> {
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        record.round += 1;
        record.effects.clear();
        record.submission = None;
        record.staff_approval = None;
        record.verification = None;
        record.external_id = None;
        record.wake_at = None;
        let refused = record.trouble.take().map(|trouble| trouble.as_recoverable());
        let mut judged = self.judge(ctx, flow, &record, unpatched(&record)).await?;
        adopt(&mut record, flow.nodes(), &judged, now);
        record.touch(now);
        self.hold(ctx, flow, &mut record, &mut judged).await?;
        record.notes.extend(refused);
        let change = Change {
            record: &record,
            expected: Some(old.version),
            journal: vec![record.entry(Event::Reopened, record.node.clone())],
            consent: Some(ConsentWrite::VoidAll),
            key: None,
        };
        match self.store.commit(ctx, change).await? {
            Committed::Done => Ok((record, Told::success())),
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => {
                let record = self.reload(ctx, &old.id).await?;
                self.realign(ctx, flow, &record).await?;
                Ok((record, Told::from(&busy())))
            }
        }
    }
}
