use mcp_actions_engine::parts::Ref;
use shop_domain::code::ErrorCode;
use shop_domain::status::{ApprovalStatus, ExchangeStatus, FulfillmentStatus, RefundStatus, ReturnStatus};
use shop_service::{Ctx, Door, Error, approvals, exchanges, fulfillments, refunds, returns};

use super::{Act, Deed};
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
        // Also a refund that is said to be paid: the gateway's yes may have been none.
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
        let ctx = undoing(act, "call_off", row.version);
        let system = Ctx::system(ctx.shop.clone()).principal;
        let ctx = Ctx::new(ctx.shop, system, Door::Actions).with_call(ctx.call);
        fulfillments::cancel(&ctx, row.id).await?;
    }
    Ok(vec![reference("Fulfillment", row.id)])
}

/// A call of the undoing, under a key of its own.
fn undoing(act: &Act<'_>, name: &str, version: i64) -> Ctx {
    let name = if act.part.is_empty() { name.to_owned() } else { format!("{}/{name}", act.part) };
    act.ctx(&name, Some(version))
}
