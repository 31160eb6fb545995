//! Taking actions on without their caller: after a settled attempt, a decided approval, an event, or a restart.

use crate::drive::Driven;
use crate::engine::Engine;
use crate::flow::{Caller, Failure, Flow};
use crate::reason::Reason;
use crate::record::{Record, Status};
use crate::store::Due;
use crate::verify::Looked;

/// What a runner learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// Somebody else is at work on it.
    Busy,
    /// It was taken on as far as possible and stands here.
    At(Status),
}

impl<C: Caller> Engine<C> {
    /// The actions to call [`Engine::resume`] for now, each as its own principal.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn due(&self, ctx: &C, limit: usize) -> Result<Vec<Due>, Failure> {
        self.store.due(ctx, ctx.world().clock.now(), limit).await
    }

    /// One action of the caller, as it is kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn record(&self, ctx: &C, action_id: &str) -> Result<Option<Record>, Failure> {
        self.store.load(ctx, action_id).await
    }

    /// Takes one action on from what its record says. Safe at any time and any number of times.
    ///
    /// # Errors
    /// `not_found`, or a failure of the store. What was reached until then is kept.
    #[tracing::instrument(skip_all, fields(action_id))]
    pub async fn resume(&self, ctx: &C, action_id: &str) -> Result<Resumed, Failure> {
        let missing = || Failure::new(Reason::NotFound, format!("there is no action {action_id}"));
        self.store.load(ctx, action_id).await?.ok_or_else(missing)?;
        let Some(lease) = self.store.claim(ctx, action_id).await? else { return Ok(Resumed::Busy) };
        let resumed = Box::pin(self.resume_leased(ctx, action_id)).await;
        self.store.unclaim(ctx, lease).await?;
        resumed.map(|record| Resumed::At(record.status))
    }

    async fn resume_leased(&self, ctx: &C, action_id: &str) -> Result<Record, Failure> {
        let record = self.reload(ctx, action_id).await?;
        let flow = self.flow_of(&record)?;
        let driven = if record.closing.is_some() {
            Driven::still(self.finish_closing(ctx, flow, record).await?)
        } else if record.is_overdue(ctx.world().clock.now()) {
            Driven::still(self.expire_leased(ctx, flow, record).await?)
        } else {
            self.take_on(ctx, flow, record).await?
        };
        self.settle_answer(ctx, flow, driven).await.map(|driven| driven.record)
    }

    async fn take_on(&self, ctx: &C, flow: &dyn Flow<C>, record: Record) -> Result<Driven, Failure> {
        match record.status {
            Status::Submitted | Status::AwaitingApproval => self.drive(ctx, flow, record).await,
            Status::Unknown => {
                let (record, looked) = self.look(ctx, flow, record).await?;
                match looked {
                    Looked::Found => self.drive(ctx, flow, record).await,
                    Looked::Nothing
                    | Looked::NotSent
                    | Looked::Differs(_)
                    | Looked::StillUnknown
                    | Looked::Unreachable => Ok(Driven::still(record)),
                }
            }
            Status::Incomplete | Status::ReadyForConfirmation => {
                self.refresh(ctx, flow, record).await.map(|(record, _)| Driven::still(record))
            }
            Status::Completed | Status::Failed | Status::Canceled | Status::Expired => {
                Ok(Driven::still(record))
            }
        }
    }
}
