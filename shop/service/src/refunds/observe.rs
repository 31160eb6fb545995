use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::ids::{PaymentId, RefundId};
use shop_domain::operations::Operation;
use shop_domain::status::{AttemptOutcome, RefundStatus};
use shop_store::entities::{attempts as attempt_rows, refunds};

use super::apply::batch;
use super::view::{Batch, View};
use crate::attempts::{self, Sought};
use crate::error::Result;
use crate::payments::{self, Truth};
use crate::{Ctx, idempotency};

/// What a refund operation came to, beside what is so.
#[derive(Clone, Debug)]
pub struct Observation {
    /// What the shop believes.
    pub batch: Batch,
    /// What really went back, in minor units; absent while the gateway does not answer.
    pub paid_minor: Option<i64>,
}

/// Looks at the refunds that the call with this context's key made; `None` when it made none. A call to the gateway
/// whose answer was missing is settled when the gateway knows it; nothing is sent and nothing is fenced.
///
/// # Errors
/// When somebody is calling the gateway for them right now, or the database does not answer.
pub async fn observe(ctx: &Ctx, operation: &'static Operation) -> Result<Option<Observation>> {
    ctx.may(operation)?;
    let Some(batch_id) = made(ctx, operation).await? else { return Ok(None) };
    let is_heard = seek(ctx, batch_id).await?;
    let batch = batch(ctx.read()?, batch_id).await?;
    let mut paid_minor = is_heard.then_some(0);
    for refund in batch.refunds.iter().filter(|refund| refund.status == RefundStatus::Succeeded) {
        let went_back = went_back(ctx, refund).await?;
        paid_minor = paid_minor.zip(went_back).map(|(sum, minor)| sum + minor);
    }
    Ok(Some(Observation { batch, paid_minor }))
}

async fn made(ctx: &Ctx, operation: &'static Operation) -> Result<Option<RefundId>> {
    if let Some(answer) = idempotency::answered::<Batch>(ctx.read()?, ctx, operation).await.ok().flatten() {
        return Ok(answer.refunds.first().map(|refund| refund.batch_id));
    }
    let Some(key) = &ctx.call.key else { return Ok(None) };
    let attempt = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::CallerScope.eq(idempotency::scope(ctx, operation)))
        .filter(attempt_rows::Column::CallerKey.eq(&key.key))
        .filter(attempt_rows::Column::RefundId.is_not_null())
        .one(ctx.read()?)
        .await?;
    let Some(id) = attempt.and_then(|attempt| attempt.refund_id) else { return Ok(None) };
    let row = refunds::Entity::find_by_id(id).one(ctx.read()?).await?;
    Ok(row.map(|row| row.batch_id))
}

/// Whether the gateway had something to say about every open call.
async fn seek(ctx: &Ctx, batch_id: RefundId) -> Result<bool> {
    let rows = refunds::Entity::find().filter(refunds::Column::BatchId.eq(batch_id)).all(ctx.read()?).await?;
    let open = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::RefundId.is_in(rows.iter().map(|row| row.id)))
        .filter(attempt_rows::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
        .all(ctx.read()?)
        .await?;
    for attempt in open {
        match attempts::seek(ctx, attempt.id).await? {
            Sought::Settled | Sought::Absent => {}
            Sought::Silent => return Ok(false),
        }
    }
    Ok(true)
}

/// What really went back of a refund that the shop takes for paid.
async fn went_back(ctx: &Ctx, refund: &View) -> Result<Option<i64>> {
    let (Some(_), Some(payment)) = (&refund.gateway_ref, refund.payment_id) else {
        return Ok(Some(refund.amount_minor));
    };
    Ok(match payments::observe(ctx, payment).await?.truth {
        Truth::Gateway { refunded_minor, .. } => {
            let more = refunded_minor - through_gateway(ctx, payment).await?;
            Some((refund.amount_minor + more).max(0))
        }
        Truth::Own => Some(refund.amount_minor),
        Truth::Absent => Some(0),
        Truth::Silent => None,
    })
}

/// What the shop believes to have given back of a payment through the gateway.
async fn through_gateway(ctx: &Ctx, payment: PaymentId) -> Result<i64> {
    let rows = refunds::Entity::find()
        .filter(refunds::Column::PaymentId.eq(payment))
        .filter(refunds::Column::Status.eq(RefundStatus::Succeeded))
        .filter(refunds::Column::GatewayRef.is_not_null())
        .all(ctx.read()?)
        .await?;
    Ok(rows.iter().map(|row| row.amount_minor).sum())
}
