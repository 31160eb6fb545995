use mcp_actions_engine::parts::Ref;
use mcp_actions_engine::{LookUp, StepOutcome};
use shop_domain::code::ErrorCode;
use shop_domain::ids::CustomerId;
use shop_domain::status::{ApprovalStatus, ExchangeStatus, FulfillmentStatus, RefundStatus, ReturnStatus};
use shop_service::{Ctx, Error, approvals, exchanges, fulfillments, refunds, returns};

use super::look::{done_before, left_behind, look};
use super::{Act, Acted, Deed, Fruit, Kept, Profile};
use crate::steps::{as_shop, outcome};
use crate::wire::reference;

/// Leaves nothing of a deed behind that can be taken back: a request for approval is withdrawn, a refund that was not
/// paid is fenced and given up, a return, exchange or replacement is called off. Money that has gone back, a cancelled
/// order and what was told to a carrier stay; the refs name what was undone.
///
/// # Errors
/// `outcome_unknown` while it is not known whether anything is left.
pub(crate) async fn undo(act: &Act<'_>) -> Result<Vec<Ref>, Error> {
    withdraw(act).await?;
    match act.deed {
        Deed::RefundUnshipped(..)
        | Deed::RefundKept(..)
        | Deed::RefundReturned(..)
        | Deed::RefundShippingFee(..)
        | Deed::RefundShippingDifference(..)
        | Deed::AdjustPrice(..) => give_up_refunds(act).await,
        Deed::Return(..) => call_off_return(act).await,
        Deed::Exchange(..) => call_off_exchange(act).await,
        Deed::Replace(..) => stop_parcel(act).await,
        Deed::Cancel(..)
        | Deed::Inspect(..)
        | Deed::ReportException(..)
        | Deed::ChangeAddress(..)
        | Deed::Redirect(..) => Ok(Vec::new()),
        Deed::Profile(customer, ref deed) => forget(act, customer, deed).await,
    }
}

/// What was added to a profile is removed again; what was changed there has its own way back.
async fn forget(act: &Act<'_>, customer: CustomerId, deed: &Profile) -> Result<Vec<Ref>, Error> {
    match (deed, done_before(act).await?) {
        (Profile::SaveAddress(_), Some(Fruit::Profile(Kept::Address(entry)))) => {
            reverse(act, Deed::Profile(customer, Profile::RemoveAddress(entry.id))).await
        }
        (_, _) => Ok(Vec::new()),
    }
}

/// Undoes a deed by another one, where it was done and still stands. What the shop refuses to take back stays.
///
/// # Errors
/// The service's own, when it is not known whether anything is left.
pub(crate) async fn reverse(act: &Act<'_>, deed: Deed) -> Result<Vec<Ref>, Error> {
    withdraw(act).await?;
    let part = if act.part.is_empty() { "back".to_owned() } else { format!("{}/back", act.part) };
    let why = format!("taking back: {}", act.why);
    let back = Act { part, deed, agreed_minor: None, why, ..*act };
    if let Some(fruit) = done_before(&back).await? {
        return Ok(left_behind(act.caller, &fruit).refs);
    }
    match look(act).await? {
        LookUp::Found(_) => {}
        LookUp::NotFound { .. } | LookUp::Differs { .. } => return Ok(Vec::new()),
        LookUp::StillUnknown => return Err(Error::new(ErrorCode::OutcomeUnknown, "it is not known yet")),
    }
    match back.run().await {
        Ok(Acted::Done(fruit)) => Ok(left_behind(act.caller, &fruit).refs),
        Ok(Acted::Waits(_)) => withdraw(&back).await.map(|()| Vec::new()),
        Err(error) => match outcome(&error) {
            StepOutcome::Refused(_) => Ok(Vec::new()),
            StepOutcome::Done(_)
            | StepOutcome::Busy { .. }
            | StepOutcome::Unknown
            | StepOutcome::AwaitApproval { .. }
            | StepOutcome::AwaitEvent { .. } => Err(error),
        },
    }
}

async fn withdraw(act: &Act<'_>) -> Result<(), Error> {
    let Some(approval) = act.asked().await? else { return Ok(()) };
    if approval.status == ApprovalStatus::Waiting {
        approvals::withdraw(&undoing(act, "withdraw", approval.version), approval.id).await?;
    }
    Ok(())
}

/// Fences what is open, and frees the units and the money of what was not paid.
pub(super) async fn give_up_refunds(act: &Act<'_>) -> Result<Vec<Ref>, Error> {
    let ctx = act.ctx(&act.part, None);
    let Some(seen) = refunds::observe(&ctx, act.deed.operation()).await? else { return Ok(Vec::new()) };
    let mut given_up = Vec::new();
    for refund in seen.batch.refunds {
        // Also a refund that is said to be paid: a bank may have sent it back.
        let refund = refunds::sync(&act.caller.ctx(), refund.id).await?.view;
        match refund.status {
            RefundStatus::Pending | RefundStatus::Failed => {
                let name = format!("give_up/{}", refund.id);
                refunds::cancel(&undoing(act, &name, refund.version), refund.id).await?;
                given_up.push(reference("Refund", refund.id));
            }
            RefundStatus::Submitted | RefundStatus::Unknown => {
                let words = "whether the refund was paid is not known yet";
                return Err(Error::new(ErrorCode::OutcomeUnknown, words));
            }
            RefundStatus::Succeeded | RefundStatus::Cancelled => {}
        }
    }
    Ok(given_up)
}

async fn call_off_return(act: &Act<'_>) -> Result<Vec<Ref>, Error> {
    let made = act.ctx(&act.part, None).answered::<returns::View>(act.deed.operation()).await?;
    let Some(made) = made else { return Ok(Vec::new()) };
    let row = returns::get(&act.caller.ctx(), made.id).await?;
    if matches!(row.status, ReturnStatus::Requested | ReturnStatus::Approved) {
        returns::cancel(&undoing(act, "call_off", row.version), row.id).await?;
    }
    Ok(vec![reference("Return", row.id)])
}

async fn call_off_exchange(act: &Act<'_>) -> Result<Vec<Ref>, Error> {
    let made = act.ctx(&act.part, None).answered::<exchanges::View>(act.deed.operation()).await?;
    let Some(made) = made else { return Ok(Vec::new()) };
    let row = exchanges::get(&act.caller.ctx(), made.id).await?;
    if matches!(row.status, ExchangeStatus::Requested | ExchangeStatus::Approved) {
        exchanges::cancel(&undoing(act, "call_off", row.version), row.id).await?;
    }
    Ok(vec![reference("Exchange", row.id)])
}

/// Parcels are the shop's: it stops its own, whoever asked for it.
async fn stop_parcel(act: &Act<'_>) -> Result<Vec<Ref>, Error> {
    let made = act.ctx(&act.part, None).answered::<fulfillments::View>(act.deed.operation()).await?;
    let Some(made) = made else { return Ok(Vec::new()) };
    let row = fulfillments::get(&act.caller.ctx(), made.id).await?;
    if matches!(row.status, FulfillmentStatus::Allocated | FulfillmentStatus::Labelled) {
        fulfillments::cancel(&as_shop(undoing(act, "call_off", row.version)), row.id).await?;
    }
    Ok(vec![reference("Fulfillment", row.id)])
}

/// A call of the undoing, under a key of its own.
fn undoing(act: &Act<'_>, name: &str, version: i64) -> Ctx {
    let name = if act.part.is_empty() { name.to_owned() } else { format!("{}/{name}", act.part) };
    act.ctx(&name, Some(version))
}
