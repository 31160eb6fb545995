use mcp_actions_engine::{Record, StepKey, StepOutcome};
use shop_domain::code::ErrorCode;
use shop_domain::ids::ApprovalId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::ApprovalStatus;
use shop_service::{Ctx, Error, approvals};

use super::look::left_behind;
use super::undo::give_up_refunds;
use super::{Deed, Fruit};
use crate::caller::Caller;
use crate::steps::part;

/// A deed as a part of a step.
pub(crate) struct Act<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) record: &'a Record,
    pub(crate) key: &'a StepKey,
    /// Tells deeds of one step apart; empty when it is the only one.
    pub(crate) part: String,
    pub(crate) deed: Deed,
    /// What the person agreed to, in minor units, where it moves money.
    pub(crate) agreed_minor: Option<i64>,
    /// What a second person is told, where one must agree.
    pub(crate) why: String,
}

/// How far it came.
pub(crate) enum Acted {
    Done(Fruit),
    /// A second person decides first.
    Waits(ApprovalId),
}

impl Act<'_> {
    /// Does it, once per key. Where a second person must agree, they are asked for exactly this deed, and it is done
    /// under their approval when it runs again.
    ///
    /// # Errors
    /// The service's own; `approval_rejected` when the second person said no.
    pub(crate) async fn run(&self) -> Result<Acted, Error> {
        let ctx = self.ctx(&self.part, Some(self.deed.version(&self.caller.ctx()).await?));
        match self.deed.run(&ctx).await {
            Err(error) if error.code == ErrorCode::ApprovalPending => {}
            done => return done.map(Acted::Done),
        }
        let id = self.ask().await?;
        let approval = approvals::get(&self.caller.ctx(), id).await?;
        match approval.status {
            ApprovalStatus::Waiting => Ok(Acted::Waits(id)),
            ApprovalStatus::Approved => {
                let mut ctx = ctx;
                ctx.call.approval_id = Some(id);
                self.deed.run(&ctx).await.map(Acted::Done)
            }
            ApprovalStatus::Rejected
            | ApprovalStatus::Withdrawn
            | ApprovalStatus::Expired
            | ApprovalStatus::Used => Err(Error::new(
                ErrorCode::ApprovalRejected,
                match approval.decision_note {
                    Some(note) => format!("the second person said no: {note}"),
                    None => format!("the approval that was asked for is {}", approval.status),
                },
            )),
        }
    }

    /// Asks for the approval; the same one however often it runs.
    async fn ask(&self) -> Result<ApprovalId, Error> {
        let request = approvals::Request {
            operation: self.deed.operation().id.to_owned(),
            subject: self.deed.subject(),
            input: self.deed.input(),
            reason: self.why.chars().take(limits::REASON_CHARS_MAX / 4).collect(),
            action_id: self.record.id.parse().ok(),
        };
        Ok(approvals::request(&self.ctx(&approval_part(&self.part), None), request).await?.view.id)
    }

    /// The approval this deed asked for, if it did.
    pub(super) async fn asked(&self) -> Result<Option<approvals::View>, Error> {
        let ctx = self.ctx(&approval_part(&self.part), None);
        let asked = ctx.answered::<approvals::View>(operation("request_approval")).await?;
        let Some(asked) = asked else { return Ok(None) };
        approvals::get(&self.caller.ctx(), asked.id).await.map(Some)
    }

    pub(super) fn ctx(&self, part_name: &str, version: Option<i64>) -> Ctx {
        let ctx = part(self.caller, self.record, self.key, part_name, version);
        match self.agreed_minor {
            Some(minor) => ctx.agreeing_on(minor),
            None => ctx,
        }
    }
}

fn approval_part(name: &str) -> String {
    if name.is_empty() { "approval".to_owned() } else { format!("{name}/approval") }
}

/// A step that is one deed.
///
/// # Errors
/// The service's own. A refund that the gateway declined is given up first: its money can then go back another way.
pub(crate) async fn as_step(act: &Act<'_>) -> Result<StepOutcome, Error> {
    match act.run().await {
        Ok(Acted::Done(fruit)) => Ok(StepOutcome::Done(left_behind(act.caller, &fruit))),
        Ok(Acted::Waits(id)) => Ok(StepOutcome::AwaitApproval { id: id.to_string() }),
        Err(error) if error.code == ErrorCode::PaymentDeclined && act.deed.is_refund() => {
            give_up_refunds(act).await?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}
