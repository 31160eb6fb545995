use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::RefundId;
use shop_domain::ledger::Posting;
use shop_domain::operations::operation;
use shop_domain::refunds::RefundEvent;
use shop_domain::status::{AttemptOutcome, RefundStatus};
use shop_gateway::{Lookup, wire};
use shop_store::entities::{attempts as attempt_rows, refunds, returns};

use super::apply::bounced;
use super::decide::{DECIDED, unclaim};
use super::read::find;
use super::send::{last_attempt, send_again};
use super::view::View;
use crate::error::{Error, Result};
use crate::jobs::{Next, backoff};
use crate::start::{Start, StartCall};
use crate::{Ctx, Reply, attempts, events, ledger, orders};

/// Gives up a refund that the gateway has not taken; its units and money can be refunded anew.
///
/// # Errors
/// When it was paid or may have been: only a look-up leads out of `unknown`.
pub async fn cancel(ctx: &Ctx, id: RefundId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("cancel_pending_refund")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = row.status.after(RefundEvent::Cancelled).map_err(|_| not_ready(&row, "given up"))?;
    let order = orders::find(ctx, &*tx, row.order_id).await?;
    unclaim(&*tx, &order, &row).await?;
    let decided = ledger::of_refund(&*tx, id, DECIDED).await?;
    let reversed: Vec<Posting> =
        decided.into_iter().map(|posting| Posting { minor: -posting.minor, ..posting }).collect();
    ledger::post(&*tx, ctx, &reversed, ledger::Refs::refund(&row), "refund_cancelled").await?;
    open_return_again(&*tx, ctx, &row).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "amount_minor": row.amount_minor });
    events::record(&*tx, ctx, "refund.cancelled", id, Some(row.order_id), data).await?;
    orders::refresh(&*tx, ctx, row.order_id).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Sends the same refund again, never a second one: under its own gateway key, or, where that key will never have an
/// effect, under a new one.
///
/// # Errors
/// When it was paid or given up; `outcome_unknown` when the gateway does not answer this time either.
pub async fn retry(ctx: &Ctx, id: RefundId) -> Result<Reply<View>> {
    let operation = operation("retry_failed_refund");
    let tx = match ctx.start_call(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(reply),
        StartCall::InFlight(open) => {
            attempts::resolve(ctx, &open).await?;
            return Ok(Reply { view: find(ctx, ctx.read()?, id).await?.into(), is_replay: true });
        }
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    match row.status {
        RefundStatus::Pending | RefundStatus::Failed => {}
        RefundStatus::Submitted | RefundStatus::Unknown => {
            let open = last_attempt(&*tx, id).await?.filter(|attempt| attempt.outcome.is_open());
            let open = open.ok_or_else(|| not_ready(&row, "sent again"))?;
            // Its own key answers the call that made it; under that key there is no second effect.
            drop(tx);
            attempts::resend(ctx, open.id).await?;
            return Ok(Reply::fresh(find(ctx, ctx.read()?, id).await?.into()));
        }
        RefundStatus::Succeeded | RefundStatus::Cancelled => return Err(not_ready(&row, "sent again")),
    }
    let order_id = row.order_id;
    send_again(&*tx, ctx, operation, row).await?;
    let attempt = last_attempt(&*tx, id).await?.filter(|attempt| attempt.outcome.is_open());
    let attempt = attempt.ok_or_else(|| Error::internal("a refund was sent without an attempt"))?;
    orders::refresh(&*tx, ctx, order_id).await?;
    tx.commit_intent(ctx, id).await?;
    attempts::perform(ctx, attempt.id).await?;
    Ok(Reply::fresh(find(ctx, ctx.read()?, id).await?.into()))
}

/// Asks the gateway what became of a refund. A call that never had an effect is fenced; a refund that a bank sent
/// back later is found out.
///
/// # Errors
/// When the gateway cannot be reached either.
pub async fn sync(ctx: &Ctx, id: RefundId) -> Result<Reply<View>> {
    ctx.may(operation("sync_refund_status"))?;
    find(ctx, ctx.read()?, id).await?;
    let open = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::RefundId.eq(id))
        .filter(attempt_rows::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
        .all(ctx.read()?)
        .await?;
    for attempt in open {
        match attempts::abandon(ctx, attempt.id).await {
            Err(error)
                if matches!(
                    error.code,
                    ErrorCode::OutcomeUnknown | ErrorCode::InProgress | ErrorCode::Internal
                ) =>
            {
                return Err(error);
            }
            // A refusal or a fenced key is an answer: the refund says so.
            Ok(()) | Err(_) => {}
        }
    }
    let row = find(ctx, ctx.read()?, id).await?;
    let row = if has_bounced(ctx, &row).await? == Some(true) { notice_bounce(ctx, row).await? } else { row };
    Ok(Reply::fresh(row.into()))
}

/// The job of a refund of which the gateway says that a bank has sent it back.
///
/// # Errors
/// When the database does not answer.
pub async fn watch(ctx: &Ctx, id: RefundId) -> Result<Next> {
    let Some(row) = refunds::Entity::find_by_id(id).one(ctx.read()?).await? else { return Ok(Next::Done) };
    match has_bounced(ctx, &row).await? {
        Some(true) => notice_bounce(ctx, row).await.map(|_| Next::Done),
        Some(false) => Ok(Next::Done),
        None => Ok(Next::Again(ctx.now() + backoff(4))),
    }
}

/// Whether money that a bank accepted was sent back days later; `None` when the gateway does not say.
async fn has_bounced(ctx: &Ctx, row: &refunds::Model) -> Result<Option<bool>> {
    let (RefundStatus::Succeeded, Some(gateway_ref)) = (row.status, &row.gateway_ref) else {
        return Ok(Some(false));
    };
    Ok(match ctx.gateway()?.lookup_refund(gateway_ref).await {
        Lookup::Found(found) => Some(found.status == wire::RefundStatus::Failed),
        Lookup::NotFound | Lookup::Unavailable => None,
    })
}

async fn notice_bounce(ctx: &Ctx, row: refunds::Model) -> Result<refunds::Model> {
    let tx = ctx.begin().await?;
    // Somebody else may have noticed it meanwhile.
    let row = find(ctx, &*tx, row.id).await?;
    if row.status != RefundStatus::Succeeded {
        return Ok(row);
    }
    let row = bounced(&*tx, ctx, row).await?;
    let data = json!({ "amount_minor": row.amount_minor });
    events::record(&*tx, ctx, "refund.bounced", row.id, Some(row.order_id), data).await?;
    orders::refresh(&*tx, ctx, row.order_id).await?;
    tx.commit().await?;
    Ok(row)
}

/// The units of a return are unpaid again.
async fn open_return_again(tx: &impl ConnectionTrait, ctx: &Ctx, refund: &refunds::Model) -> Result<()> {
    let Some(id) = refund.return_id else { return Ok(()) };
    let Some(row) = returns::Entity::find_by_id(id).one(tx).await? else { return Ok(()) };
    let (mut lines, version) = (row.lines.clone(), row.version + 1);
    for claimed in &refund.lines.0 {
        let of_line = lines.0.iter_mut().filter(|line| line.line_id == claimed.line_id);
        let mut left = claimed.quantity;
        for line in of_line {
            let unpaid = left.min(line.refunded);
            line.refunded -= unpaid;
            left -= unpaid;
        }
    }
    let mut row = row.into_active_model();
    row.lines = Set(lines);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    Ok(())
}

fn not_ready(row: &refunds::Model, what: &str) -> Error {
    let (id, status) = (row.id, row.status);
    let advice = match status {
        RefundStatus::Submitted | RefundStatus::Unknown => "; ask with sync_refund_status first",
        RefundStatus::Pending | RefundStatus::Succeeded | RefundStatus::Failed | RefundStatus::Cancelled => {
            ""
        }
    };
    Error::precondition("refund_not_ready", format!("refund {id} is {status} and cannot be {what}{advice}"))
}
