use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use shop_domain::ids::OrderId;
use shop_domain::payments::Tender;
use shop_domain::refunds::RefundEvent;
use shop_domain::status::RefundStatus;
use shop_gateway::wire;
use shop_store::entities::{attempts, orders, payments, refunds};

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
    let refund = refunds::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::internal("a refund has vanished"))?;
    let event = match answer {
        Answer::Refund(found) if found.status == wire::RefundStatus::Failed => RefundEvent::Failed,
        Answer::Refund(_) => RefundEvent::Succeeded,
        Answer::Refused(_) | Answer::Fenced => RefundEvent::Failed,
        Answer::NotSent => RefundEvent::NotSent,
        Answer::Unknown | Answer::Payment(_) => RefundEvent::OutcomeLost,
    };
    let Ok(status) = refund.status.after(event) else { return Ok(()) };
    if status == RefundStatus::Succeeded {
        pay(tx, ctx, &refund).await?;
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

/// The money of a refund through the gateway has gone back.
async fn pay(tx: &impl ConnectionTrait, ctx: &Ctx, refund: &refunds::Model) -> Result<()> {
    let id = refund.payment_id.ok_or_else(|| Error::internal("a gateway refund without a payment"))?;
    let payment = payments::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::internal("a payment has vanished"))?;
    let postings = shop_domain::ledger::refund_succeeded(Tender::Gateway, refund.amount_minor)?;
    ledger::post(tx, ctx, &postings, ledger::Refs::refund(refund), "refunded").await?;
    let (refunded, version) = (payment.refunded_minor + refund.amount_minor, payment.version + 1);
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
    let ids = siblings.iter().filter_map(|sibling| sibling.refund_id);
    let rows = refunds::Entity::find()
        .filter(refunds::Column::Id.is_in(ids))
        .order_by_asc(refunds::Column::Id)
        .all(tx)
        .await?;
    idempotency::answer_for(tx, attempt, &batch(tx, attempt.order_id, rows).await?).await
}

/// The answer of a refund operation.
pub(crate) async fn batch(
    conn: &impl ConnectionTrait,
    order_id: OrderId,
    rows: Vec<refunds::Model>,
) -> Result<Batch> {
    let order = orders::Entity::find_by_id(order_id)
        .one(conn)
        .await?
        .ok_or_else(|| Error::internal("an order has vanished"))?;
    Ok(Batch {
        total_minor: rows.iter().map(|row| row.amount_minor).sum(),
        refunds: rows.into_iter().map(View::from).collect(),
        currency: order.currency,
        order_id,
        order_version: order.version,
    })
}
