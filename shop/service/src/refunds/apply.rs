use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use shop_domain::code::ErrorCode;
use shop_domain::ids::RefundId;
use shop_domain::operations::operation;
use shop_domain::payments::Tender;
use shop_domain::refunds::RefundEvent;
use shop_domain::status::{AttemptOutcome, RefundStatus};
use shop_gateway::wire;
use shop_store::entities::{attempts, orders, payments, refunds};

use super::send::waits_to_be_sent;
use super::view::{Batch, View};
use crate::attempts::Answer;
use crate::error::{Error, Result};
use crate::{Ctx, idempotency, ledger};

/// Writes the outcome of a refund's gateway call into the refund, its payment and the ledger.
pub(crate) async fn apply(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    attempt: &attempts::Model,
    answer: &Answer,
) -> Result<()> {
    let id = attempt.refund_id.ok_or_else(|| Error::internal("a refund attempt without a refund"))?;
    let refund = by_id(tx, id).await?;
    let event = match answer {
        Answer::Refund(found) if found.status == wire::RefundStatus::Failed => RefundEvent::Failed,
        Answer::Refund(_) => RefundEvent::Succeeded,
        Answer::Refused(_) | Answer::Fenced => RefundEvent::Failed,
        Answer::NotSent => RefundEvent::NotSent,
        Answer::Unknown | Answer::Payment(_) => RefundEvent::OutcomeLost,
    };
    let Ok(status) = refund.status.after(event) else { return Ok(()) };
    if status == RefundStatus::Succeeded {
        paid(tx, ctx, &refund, Tender::Gateway).await?;
    }
    let version = refund.version + 1;
    let mut row = refund.into_active_model();
    row.status = Set(status);
    row.gateway_ref = Set(attempt.gateway_ref.clone());
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    Ok(())
}

/// The money of a refund has gone back.
pub(super) async fn paid(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    refund: &refunds::Model,
    tender: Tender,
) -> Result<()> {
    let postings = shop_domain::ledger::refund_succeeded(tender, refund.amount_minor)?;
    ledger::post(tx, ctx, &postings, ledger::Refs::refund(refund), "refunded").await?;
    count_on_payment(tx, ctx, refund, refund.amount_minor).await
}

/// A bank sent accepted money back: the customer is owed it again.
pub(super) async fn bounced(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    refund: refunds::Model,
) -> Result<refunds::Model> {
    let status = refund.status.after(RefundEvent::Failed);
    let status = status.map_err(|refusal| Error::internal(refusal.to_string()))?;
    let postings = shop_domain::ledger::refund_failed(Tender::Gateway, refund.amount_minor)?;
    ledger::post(tx, ctx, &postings, ledger::Refs::refund(&refund), "refund_bounced").await?;
    count_on_payment(tx, ctx, &refund, -refund.amount_minor).await?;
    let version = refund.version + 1;
    let mut row = refund.into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}

async fn count_on_payment(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    refund: &refunds::Model,
    by: i64,
) -> Result<()> {
    let id = refund.payment_id.ok_or_else(|| Error::internal("a refund without a payment"))?;
    let payment = payments::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::internal("a payment has vanished"))?;
    let (refunded, version) = (payment.refunded_minor + by, payment.version + 1);
    let mut row = payment.into_active_model();
    row.refunded_minor = Set(refunded);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    Ok(())
}

/// Answers the operation that waits, once the last of its refunds has an outcome.
pub(crate) async fn answer_caller(tx: &impl ConnectionTrait, attempt: &attempts::Model) -> Result<()> {
    let (Some(scope), Some(key)) = (&attempt.caller_scope, &attempt.caller_key) else { return Ok(()) };
    let siblings = attempts::Entity::find()
        .filter(attempts::Column::CallerScope.eq(scope))
        .filter(attempts::Column::CallerKey.eq(key))
        .all(tx)
        .await?;
    if siblings.iter().any(|sibling| sibling.outcome.is_open()) {
        return Ok(());
    }
    for id in siblings.iter().filter_map(|sibling| sibling.refund_id) {
        // A repeat of the call sends it again, so the key stays free for one.
        if waits_to_be_sent(tx, id).await?.is_some() {
            return idempotency::release_for(tx, attempt).await;
        }
    }
    let id = attempt.refund_id.ok_or_else(|| Error::internal("a refund attempt without a refund"))?;
    let refund = by_id(tx, id).await?;
    if scope.ends_with(&format!("/{}", operation("retry_failed_refund").id)) {
        return match attempt.outcome {
            AttemptOutcome::Refused => idempotency::refuse_for(tx, attempt, &declined(attempt)).await,
            AttemptOutcome::Pending
            | AttemptOutcome::Done
            | AttemptOutcome::Unknown
            | AttemptOutcome::NotSent
            | AttemptOutcome::Fenced => idempotency::answer_for(tx, attempt, &View::from(refund)).await,
        };
    }
    let view = batch(tx, refund.batch_id).await?;
    let is_partly_paid = view.refunds.iter().any(|refund| refund.status == RefundStatus::Succeeded);
    if siblings.iter().any(|sibling| sibling.outcome == AttemptOutcome::Refused) && !is_partly_paid {
        return idempotency::refuse_for(tx, attempt, &declined(attempt)).await;
    }
    idempotency::answer_for(tx, attempt, &view).await
}

fn declined(attempt: &attempts::Model) -> Error {
    let why = attempt.detail.as_deref().unwrap_or_default();
    Error::new(ErrorCode::PaymentDeclined, format!("the payment gateway refused: {why}"))
}

async fn by_id(conn: &impl ConnectionTrait, id: RefundId) -> Result<refunds::Model> {
    let row = refunds::Entity::find_by_id(id).one(conn).await?;
    row.ok_or_else(|| Error::internal("a refund has vanished"))
}

/// The answer of a refund operation: all refunds it made, as they stand now.
pub(crate) async fn batch(conn: &impl ConnectionTrait, id: RefundId) -> Result<Batch> {
    let rows = refunds::Entity::find()
        .filter(refunds::Column::BatchId.eq(id))
        .order_by_asc(refunds::Column::Id)
        .all(conn)
        .await?;
    let order_id = rows.first().map(|row| row.order_id);
    let order_id = order_id.ok_or_else(|| Error::internal("a batch without refunds"))?;
    let order = orders::Entity::find_by_id(order_id).one(conn).await?;
    let order = order.ok_or_else(|| Error::internal("an order has vanished"))?;
    Ok(Batch {
        total_minor: rows.iter().map(|row| row.amount_minor).sum(),
        refunds: rows.into_iter().map(View::from).collect(),
        currency: order.currency,
        order_id,
        order_version: order.version,
    })
}
