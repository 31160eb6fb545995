//! `verify_action`: asking the outside system what really happened. It starts nothing; what it finds lets go on
//! what the person's yes had already committed to.

use chrono::TimeDelta;

use crate::drive::{Driven, take_done, take_finding, told_of};
use crate::engine::{Engine, Live, RETRY_AFTER_MS, UNKNOWN_LIFE, effects_of};
use crate::flow::{Caller, Failure, Flow, LookUp};
use crate::node::DONE;
use crate::offers::may_verify;
use crate::parts::Verification;
use crate::reason::Reason;
use crate::record::{EffectState, Event, Record, Status};
use crate::view::{Told, View};

const BACK_OFF_FIRST: TimeDelta = TimeDelta::seconds(5);
const BACK_OFF_DOUBLINGS_MAX: u32 = 7;

/// What looking outside taught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// Everything that was tried so far happened as agreed.
    Found,
    /// An effect was looked for and is not there.
    Nothing,
    /// The same, and it was not claimed to be: it is simply still to be done.
    NotSent,
    /// Something else happened than was agreed.
    Differs(String),
    StillUnknown,
    /// What was done before could not be looked at just now; nothing is in doubt because of that.
    Unreachable,
}

/// How long a runner waits before it looks again.
pub(crate) fn back_off(looks: u32) -> TimeDelta {
    BACK_OFF_FIRST * 2_i32.pow(looks.min(BACK_OFF_DOUBLINGS_MAX))
}

impl<C: Caller> Engine<C> {
    #[tracing::instrument(skip_all, fields(action_id))]
    pub async fn verify(&self, ctx: &C, action_id: &str, include_schema: bool) -> View {
        match Box::pin(self.try_verify(ctx, action_id)).await {
            Ok((flow, record, told)) => {
                self.show(ctx, flow, &record, None, told.with_schema(include_schema)).await
            }
            Err(Ended::View(view)) => *view,
            Err(Ended::Failure(failure)) => self.failed(ctx, action_id, &failure).await,
        }
    }

    async fn try_verify(&self, ctx: &C, action_id: &str) -> Result<(&dyn Flow<C>, Record, Told), Ended> {
        let live = self.fetch(ctx, action_id).await?;
        if !may_verify(&live.record) {
            return Err(Ended::View(Box::new(self.not_offered(ctx, &live, "verify_action").await)));
        }
        let Live { flow, record } = live;
        let lease = self.claim(ctx, &record.id).await?;
        let verified = Box::pin(self.verify_leased(ctx, flow, &record.id)).await;
        self.store.unclaim(ctx, lease).await?;
        let (record, told) = verified?;
        Ok((flow, record, told))
    }

    /// Looks, and carries on what was found to be under way until there is nothing more to find.
    pub(crate) async fn verify_leased(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        action_id: &str,
    ) -> Result<(Record, Told), Failure> {
        let mut record = self.reload(ctx, action_id).await?;
        loop {
            if !may_verify(&record) || record.open_effect().is_some_and(|effect| waits(effect.state)) {
                let told = told_of(&record, None);
                return Ok((record, told));
            }
            let (seen, looked) = self.look(ctx, flow, record).await?;
            match looked {
                Looked::Found if seen.closing.is_some() => return Ok((seen, lost_track())),
                Looked::Found if seen.open_effect().is_none() => {
                    return self.complete(ctx, flow, seen).await.map(|record| (record, Told::success()));
                }
                Looked::Found => {}
                Looked::Unreachable => {
                    let told =
                        Told::failure(Reason::UpstreamUnavailable, "the outside system cannot be asked now");
                    return Ok((seen, told.retry_after(RETRY_AFTER_MS)));
                }
                Looked::NotSent => {
                    let told = Told::failure(Reason::InProgress, "it was not sent yet; recover takes it on");
                    return Ok((seen, told.retry_after(RETRY_AFTER_MS)));
                }
                Looked::Nothing | Looked::StillUnknown => return Ok((seen, lost_track())),
                Looked::Differs(message) => {
                    return Ok((seen, Told::failure(Reason::PreconditionFailed, message)));
                }
            }
            let driven = self.drive(ctx, flow, seen).await?;
            if !driven.record.is_carried_out() {
                let Driven { record, busy_ms } = self.settle_answer(ctx, flow, driven).await?;
                let told = told_of(&record, busy_ms);
                return Ok((record, told));
            }
            record = driven.record;
        }
    }

    /// Looks every effect of this round up, in order, and writes down what is new. Sends nothing.
    pub(crate) async fn look(
        &self,
        ctx: &C,
        flow: &dyn Flow<C>,
        old: Record,
    ) -> Result<(Record, Looked), Failure> {
        let now = ctx.world().clock.now();
        let mut record = old.clone();
        let mut looked = Looked::Found;
        for (index, effect) in old.effects.iter().enumerate() {
            let step = &effect.step;
            let found = effects_of(flow)?.look_up(ctx, step, &record.step_key(step), &record).await;
            looked = note(&mut record, index, found);
            if looked != Looked::Found {
                break;
            }
        }
        match looked {
            Looked::Found => {
                self.intend_next(flow, &mut record)?;
            }
            Looked::NotSent | Looked::Unreachable => {}
            Looked::Nothing | Looked::Differs(_) | Looked::StillUnknown => {
                record.status = Status::Unknown;
                record.expires_at.get_or_insert(now + UNKNOWN_LIFE);
                record.wake_at = Some(now + back_off(record.looks));
                record.looks = record.looks.saturating_add(1);
            }
        }
        if record == old {
            return Ok((record, looked));
        }
        // Looking in vain moves only the runner's clock: no change a caller can see, so no new version.
        let visible = record.status != old.status
            || record.effects != old.effects
            || record.verification.as_ref().map(|v| &v.status)
                != old.verification.as_ref().map(|v| &v.status);
        if visible {
            record.touch(now);
        }
        let journal = vec![record.entry(Event::LookedUp, word(&looked))];
        let (record, _) = self.save(ctx, record, old.version, journal).await?;
        Ok((record, looked))
    }

    async fn complete(&self, ctx: &C, flow: &dyn Flow<C>, old: Record) -> Result<Record, Failure> {
        let driven = self.settle_answer(ctx, flow, Driven::still(old)).await?;
        let old = driven.record;
        let mut record = old.clone();
        record.touch(ctx.world().clock.now());
        record.status = Status::Completed;
        record.node = DONE.to_owned();
        record.expires_at = None;
        record.wake_at = None;
        let journal = vec![record.entry(Event::Completed, "verified outside")];
        self.save(ctx, record, old.version, journal).await.map(|(record, _)| record)
    }
}

/// Why a verification ended early.
enum Ended {
    View(Box<View>),
    Failure(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Whether an effect waits for a person or an event; there is nothing outside to look for yet.
fn waits(state: EffectState) -> bool {
    match state {
        EffectState::AwaitingApproval | EffectState::AwaitingEvent => true,
        EffectState::Intended
        | EffectState::Done
        | EffectState::Refused
        | EffectState::Unknown
        | EffectState::NotFound
        | EffectState::Differs => false,
    }
}

/// Takes one finding into the record. An effect that was claimed to be done and is not there is not done.
fn note(record: &mut Record, index: usize, found: LookUp) -> Looked {
    let Some(before) = record.effects.get(index).map(|effect| effect.state) else { return Looked::Found };
    let (state, looked) = match found {
        LookUp::Found(done) if before == EffectState::Done => {
            take_finding(record, &done);
            return Looked::Found;
        }
        LookUp::Found(done) => {
            take_done(record, done);
            return Looked::Found;
        }
        LookUp::StillUnknown if before == EffectState::Done => return Looked::Unreachable,
        LookUp::StillUnknown => (EffectState::Unknown, Looked::StillUnknown),
        LookUp::NotFound { .. } if before == EffectState::Intended => return Looked::NotSent,
        LookUp::NotFound { observed_at, source } => {
            let status = "not_found".to_owned();
            record.verification =
                Some(Verification { status, amount: None, currency: None, observed_at, source });
            (EffectState::NotFound, Looked::Nothing)
        }
        LookUp::Differs { verification, message } => {
            record.verification = Some(verification);
            (EffectState::Differs, Looked::Differs(message))
        }
    };
    if let Some(effect) = record.effects.get_mut(index) {
        effect.state = state;
    }
    looked
}

fn lost_track() -> Told {
    let words = "it is still not known what happened; look again, or recover";
    Told::failure(Reason::OutcomeUnknown, words).retry_after(RETRY_AFTER_MS)
}

const fn word(looked: &Looked) -> &'static str {
    match looked {
        Looked::Found => "found",
        Looked::Nothing => "not found",
        Looked::NotSent => "not sent yet",
        Looked::Unreachable => "could not be asked",
        Looked::Differs(_) => "something else was found",
        Looked::StillUnknown => "still unknown",
    }
}
