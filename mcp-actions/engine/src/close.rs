//! Giving an action up: nothing stays reserved, and nothing it did or may have done is left behind.
//!
//! What is being given up is written down first. If the process dies, the next one finishes.

use crate::drive::milliseconds;
use crate::engine::{Engine, RETRY_AFTER_MS, UNKNOWN_LIFE};
use crate::flow::{Abandoned, Caller, Failure, Flow, Refusal};
use crate::reason::Reason;
use crate::record::{Closing, EffectState, Event, Record, Status};
use crate::store::Committed;

impl<C: Caller> Engine<C> {
    /// Decides that the action ends like this, then makes it so. The caller holds the lease. If somebody else
    /// changed the action first, their record is returned.
    pub(crate) async fn close(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        old: Record,
        closing: Closing,
    ) -> Result<Record, Failure> {
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        record.touch(now);
        if record.submission.is_none() {
            // Nothing was done yet, so giving back what is reserved is all that is left.
            record.status = closing.status;
        }
        record.closing = Some(closing);
        record.wake_at = Some(now);
        let journal = vec![record.entry(Event::Closing, record.node.clone())];
        let (record, committed) = self.save(ctx, record, old.version, journal).await?;
        match committed {
            Committed::Done => self.finish_closing(ctx, flow, record).await,
            Committed::Stale | Committed::KeyTaken | Committed::ConsentUnusable => Ok(record),
        }
    }

    /// Undoes and releases; while it is not known whether anything is left, the outcome stays unknown.
    pub(crate) async fn finish_closing(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        old: Record,
    ) -> Result<Record, Failure> {
        let Some(closing) = old.closing.clone() else { return Ok(old) };
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        if let Some(effects) = flow.effects() {
            let refused = record.effects.iter().all(|effect| effect.state == EffectState::Refused);
            let abandoned = match refused {
                true => Abandoned::Clean { refs: Vec::new() },
                false => effects.abandon(ctx, &record).await,
            };
            match abandoned {
                Abandoned::Clean { refs } => record.add_refs(&refs),
                Abandoned::Unknown => return self.leave_unknown(ctx, old).await,
            }
            effects.release(ctx, &record).await?;
        }
        if record.status != closing.status {
            record.touch(now);
        }
        record.status = closing.status;
        record.trouble = closing.trouble;
        record.closing = None;
        record.expires_at = None;
        record.wake_at = record.submission.as_ref().filter(|submission| !submission.answered).map(|_| now);
        let journal = vec![record.entry(Event::Closed, record.status.word())];
        self.save(ctx, record, old.version, journal).await.map(|(record, _)| record)
    }

    async fn leave_unknown(&self, ctx: &C, old: Record) -> Result<Record, Failure> {
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        if record.status != Status::Unknown {
            record.touch(now);
        }
        record.status = Status::Unknown;
        record.expires_at = Some(now + UNKNOWN_LIFE);
        record.wake_at = Some(now + crate::verify::back_off(record.looks).max(milliseconds(RETRY_AFTER_MS)));
        record.looks = record.looks.saturating_add(1);
        let journal = vec![record.entry(Event::LookedUp, "whether anything is left is not known")];
        self.save(ctx, record, old.version, journal).await.map(|(record, _)| record)
    }

    /// Ends an action whose time is over. An unknown outcome never ends silently: it is abandoned.
    pub(crate) async fn expire(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: Record,
    ) -> Result<Record, Failure> {
        let Some(lease) = self.store.claim(ctx, &record.id).await? else { return Ok(record) };
        let expired = self.expire_leased(ctx, flow, record).await;
        self.store.unclaim(ctx, lease).await?;
        expired
    }

    pub(crate) async fn expire_leased(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        record: Record,
    ) -> Result<Record, Failure> {
        if record.closing.is_some() {
            return self.finish_closing(ctx, flow, record).await;
        }
        let trouble = Refusal::new(Reason::ActionExpired, "nobody went on with it in time");
        let closing = Closing { status: Status::Expired, trouble: Some(trouble) };
        self.close(ctx, flow, record, closing).await
    }
}
