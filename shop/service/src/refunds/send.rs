use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{AttemptId, OrderId, RefundId};
use shop_domain::operations::Operation;
use shop_domain::status::{AttemptOutcome, RefundStatus};
use shop_store::entities::{attempts as attempt_rows, refunds};

use super::apply::batch;
use super::decide::{submit, submitted};
use super::view::Batch;
use crate::error::{Error, Result};
use crate::start::{StartCall, Write};
use crate::{Ctx, Reply, attempts, idempotency, orders};

/// How a refund operation begins.
pub(super) enum Begin {
    /// New: decide in this transaction.
    Decide(Write),
    /// The same call came before: this is what it came to.
    Done(Reply<Batch>),
}

/// Opens a refund operation. A repeat of a call whose refunds were decided and never reached the gateway sends
/// those again instead of deciding others.
pub(super) async fn begin(ctx: &Ctx, operation: &'static Operation) -> Result<Begin> {
    let tx = match ctx.start_call::<Batch>(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(Begin::Done(reply)),
        StartCall::InFlight(open) => {
            attempts::resolve(ctx, &open).await?;
            let batch_id = batch_of(ctx, &open).await?;
            let view = batch(ctx.read()?, batch_id).await?;
            return Ok(Begin::Done(Reply { view, is_replay: true }));
        }
    };
    let unsent = if ctx.is_rehearsal() { Vec::new() } else { unsent(&*tx, ctx, operation).await? };
    let Some((batch_id, order_id)) = unsent.first().map(|row| (row.batch_id, row.order_id)) else {
        return Ok(Begin::Decide(tx));
    };
    for row in unsent {
        send_again(&*tx, ctx, operation, row).await?;
    }
    finish(tx, ctx, order_id, batch_id).await.map(Begin::Done)
}

/// Ends a refund operation: at once when all of it was paid by rows, else after the gateway was asked.
pub(super) async fn finish(
    tx: Write,
    ctx: &Ctx,
    order_id: OrderId,
    batch_id: RefundId,
) -> Result<Reply<Batch>> {
    orders::refresh(&*tx, ctx, order_id).await?;
    let open = open_attempts(&*tx, batch_id).await?;
    if open.is_empty() || ctx.is_rehearsal() {
        let view = batch(&*tx, batch_id).await?;
        return tx.finish(ctx, order_id, view).await;
    }
    tx.commit_intent(ctx, order_id).await?;
    let mut worst = None;
    for id in open {
        if let Err(error) = attempts::perform(ctx, id).await {
            worst = Some(graver(worst, error));
        }
    }
    let view = batch(ctx.read()?, batch_id).await?;
    let is_partly_paid = view.refunds.iter().any(|refund| refund.status == RefundStatus::Succeeded);
    match worst {
        // What was declined stands in the answer, beside what was paid.
        Some(error) if error.code == ErrorCode::PaymentDeclined && is_partly_paid => Ok(Reply::fresh(view)),
        Some(error) => Err(error),
        None => Ok(Reply::fresh(view)),
    }
}

/// A missing answer matters more than a refusal.
fn graver(known: Option<Error>, other: Error) -> Error {
    match known {
        Some(known) if known.code != ErrorCode::PaymentDeclined => known,
        Some(_) | None => other,
    }
}

/// Sends a refund again: under its own gateway key if that key was never used, else under a new one, since a fenced
/// or refused key will never have an effect.
pub(super) async fn send_again(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &'static Operation,
    row: refunds::Model,
) -> Result<()> {
    let last = last_attempt(tx, row.id).await?;
    let Some(attempt) = last.filter(|attempt| attempt.outcome == AttemptOutcome::NotSent) else {
        return submit(tx, ctx, operation, row).await;
    };
    submitted(tx, ctx, row).await?;
    let key = ctx.call.key.as_ref();
    let mut attempt = attempt.into_active_model();
    attempt.outcome = Set(AttemptOutcome::Pending);
    attempt.settled_at = Set(None);
    attempt.caller_scope = Set(key.map(|_| idempotency::scope(ctx, operation)));
    attempt.caller_key = Set(key.map(|key| key.key.clone()));
    attempt.action_id = Set(ctx.call.action_id);
    attempt.update(tx).await?;
    Ok(())
}

/// Refunds that a call with this key decided and the gateway never took.
async fn unsent(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &'static Operation,
) -> Result<Vec<refunds::Model>> {
    let Some(key) = &ctx.call.key else { return Ok(Vec::new()) };
    let made = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::CallerScope.eq(idempotency::scope(ctx, operation)))
        .filter(attempt_rows::Column::CallerKey.eq(&key.key))
        .filter(attempt_rows::Column::RefundId.is_not_null())
        .all(tx)
        .await?;
    let mut unsent = Vec::new();
    for id in made.into_iter().filter_map(|attempt| attempt.refund_id) {
        let is_known = unsent.iter().any(|known: &refunds::Model| known.id == id);
        if !is_known && let Some(row) = waits_to_be_sent(tx, id).await? {
            unsent.push(row);
        }
    }
    Ok(unsent)
}

/// A refund whose last call to the gateway had no effect and never will have one.
pub(super) async fn waits_to_be_sent(
    tx: &impl ConnectionTrait,
    id: RefundId,
) -> Result<Option<refunds::Model>> {
    let last = last_attempt(tx, id).await?;
    let is_free = last
        .is_some_and(|attempt| matches!(attempt.outcome, AttemptOutcome::NotSent | AttemptOutcome::Fenced));
    if !is_free {
        return Ok(None);
    }
    let row = refunds::Entity::find_by_id(id).one(tx).await?;
    Ok(row.filter(|row| matches!(row.status, RefundStatus::Pending | RefundStatus::Failed)))
}

pub(super) async fn last_attempt(
    tx: &impl ConnectionTrait,
    id: RefundId,
) -> Result<Option<attempt_rows::Model>> {
    let of_it = attempt_rows::Entity::find().filter(attempt_rows::Column::RefundId.eq(id));
    Ok(of_it.order_by_desc(attempt_rows::Column::Id).one(tx).await?)
}

async fn open_attempts(tx: &impl ConnectionTrait, batch_id: RefundId) -> Result<Vec<AttemptId>> {
    let rows = refunds::Entity::find().filter(refunds::Column::BatchId.eq(batch_id)).all(tx).await?;
    let open = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::RefundId.is_in(rows.iter().map(|row| row.id)))
        .filter(attempt_rows::Column::Outcome.eq(AttemptOutcome::Pending))
        .order_by_asc(attempt_rows::Column::Id)
        .all(tx)
        .await?;
    Ok(open.into_iter().map(|attempt| attempt.id).collect())
}

async fn batch_of(ctx: &Ctx, attempts: &[AttemptId]) -> Result<RefundId> {
    let first = attempts.first().ok_or_else(|| Error::internal("a call in flight without an attempt"))?;
    let attempt = attempt_rows::Entity::find_by_id(*first).one(ctx.read()?).await?;
    let refund = attempt.and_then(|attempt| attempt.refund_id);
    let refund = refund.ok_or_else(|| Error::internal("a refund operation without a refund"))?;
    let row = refunds::Entity::find_by_id(refund).one(ctx.read()?).await?;
    row.map(|row| row.batch_id).ok_or_else(|| Error::internal("a refund has vanished"))
}
