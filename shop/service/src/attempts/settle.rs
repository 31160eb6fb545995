use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::AttemptId;
use shop_domain::status::{AttemptKind, AttemptOutcome};
use shop_gateway::Decline;
use shop_gateway::wire::{self};
use shop_store::entities::attempts;
use shop_world::{Moment, Step};

use super::call::told;
use crate::error::{Error, Result};
use crate::{Ctx, events, idempotency, jobs, orders, payments, refunds};

/// What is known after a call or a look-up.
#[derive(Clone, Debug)]
pub enum Answer {
    Payment(wire::Payment),
    Refund(wire::Refund),
    Refused(Decline),
    /// The call did not leave, or was turned away before it was read.
    NotSent,
    /// The key is a tombstone: it had no effect and will have none.
    Fenced,
    Unknown,
}

impl From<wire::Payment> for Answer {
    fn from(payment: wire::Payment) -> Self {
        Self::Payment(payment)
    }
}

impl From<wire::Refund> for Answer {
    fn from(refund: wire::Refund) -> Self {
        Self::Refund(refund)
    }
}

impl Answer {
    const fn outcome(&self) -> AttemptOutcome {
        match self {
            Self::Payment(_) | Self::Refund(_) => AttemptOutcome::Done,
            Self::Refused(_) => AttemptOutcome::Refused,
            Self::NotSent => AttemptOutcome::NotSent,
            Self::Fenced => AttemptOutcome::Fenced,
            Self::Unknown => AttemptOutcome::Unknown,
        }
    }

    fn gateway_ref(&self) -> Option<String> {
        match self {
            Self::Payment(payment) => Some(payment.id.clone()),
            Self::Refund(refund) => Some(refund.id.clone()),
            Self::Refused(_) | Self::NotSent | Self::Fenced | Self::Unknown => None,
        }
    }

    fn detail(&self) -> Option<String> {
        match self {
            Self::Refused(decline) => Some(format!("{} ({})", decline.message, decline.code)),
            Self::Payment(_) | Self::Refund(_) | Self::NotSent | Self::Fenced | Self::Unknown => None,
        }
    }
}

/// Makes an outcome true, once: attempt, payment or refund, order, ledger, event, the waiting caller's key and the
/// waiting action, in one transaction. Settling a settled attempt changes nothing.
///
/// # Errors
/// The outcome, unless it is a success; it is recorded either way.
pub async fn settle(ctx: &Ctx, id: AttemptId, answer: Answer) -> Result<()> {
    let tx = ctx.begin().await?;
    let attempt = attempts::Entity::find_by_id(id)
        .one(&*tx)
        .await?
        .ok_or_else(|| Error::not_found(format!("attempt {id}")))?;
    if !attempt.outcome.is_open() {
        return told(attempt.outcome, attempt.detail.as_deref());
    }
    let was_unknown = attempt.outcome == AttemptOutcome::Unknown;
    // A repeat that was turned away says nothing about what was sent before it.
    let answer = if was_unknown && matches!(answer, Answer::NotSent) { Answer::Unknown } else { answer };
    let (outcome, detail) = (answer.outcome(), answer.detail());
    let attempt = mark(&*tx, ctx, attempt, &answer).await?;
    // Silence on top of silence changes nothing but the number of look-ups.
    if !(was_unknown && outcome == AttemptOutcome::Unknown) {
        match attempt.kind {
            AttemptKind::Authorize | AttemptKind::Capture | AttemptKind::Void => {
                payments::apply(&*tx, ctx, &attempt, &answer).await?;
            }
            AttemptKind::Refund => refunds::apply(&*tx, ctx, &attempt, &answer).await?,
        }
        orders::refresh(&*tx, ctx, attempt.order_id).await?;
        record_event(&*tx, ctx, &attempt).await?;
    }
    answer_caller(&*tx, ctx, &attempt).await?;
    wake_waiters(&*tx, ctx, &attempt).await?;
    let crashes = &ctx.shop.world.crashes;
    crashes.pass(Step::Settled, Moment::Before);
    tx.commit().await?;
    crashes.pass(Step::Settled, Moment::After);
    told(outcome, detail.as_deref())
}

async fn mark(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    attempt: attempts::Model,
    answer: &Answer,
) -> Result<attempts::Model> {
    let lookups = attempt.lookups + 1;
    let mut row = attempt.into_active_model();
    row.outcome = Set(answer.outcome());
    row.gateway_ref = Set(answer.gateway_ref());
    row.detail = Set(answer.detail());
    row.lookups = Set(lookups);
    row.settled_at = Set((!answer.outcome().is_open()).then(|| ctx.now()));
    Ok(row.update(tx).await?)
}

async fn record_event(tx: &impl ConnectionTrait, ctx: &Ctx, attempt: &attempts::Model) -> Result<()> {
    let kind = format!("{}.{}", attempt.kind, attempt.outcome);
    let subject = attempt.refund_id.map(|id| id.to_string()).or(attempt.payment_id.map(|id| id.to_string()));
    let data =
        json!({ "attempt_id": attempt.id, "amount_minor": attempt.amount_minor, "detail": attempt.detail });
    events::record(tx, ctx, &kind, subject.unwrap_or_default(), Some(attempt.order_id), data).await
}

/// Completes the key of the call that waits for this attempt.
async fn answer_caller(tx: &impl ConnectionTrait, ctx: &Ctx, attempt: &attempts::Model) -> Result<()> {
    match attempt.outcome {
        AttemptOutcome::Unknown | AttemptOutcome::Pending => {
            let due = ctx.now() + jobs::backoff(attempt.lookups);
            jobs::enqueue(tx, &ctx.shop, jobs::Kind::Settle, attempt.id, due).await
        }
        // One call may wait for several refunds.
        AttemptOutcome::Done | AttemptOutcome::Refused | AttemptOutcome::NotSent | AttemptOutcome::Fenced
            if attempt.kind == AttemptKind::Refund =>
        {
            refunds::answer_caller(tx, attempt).await
        }
        AttemptOutcome::Done => match attempt.payment_id {
            Some(payment) => idempotency::answer_for(tx, attempt, &payments::view(tx, payment).await?).await,
            None => Ok(()),
        },
        AttemptOutcome::Refused => {
            let detail =
                format!("the payment gateway refused: {}", attempt.detail.as_deref().unwrap_or_default());
            idempotency::refuse_for(tx, attempt, &Error::new(ErrorCode::PaymentDeclined, detail)).await
        }
        // Nothing happened and nothing will: the key is free again.
        AttemptOutcome::NotSent | AttemptOutcome::Fenced => idempotency::release_for(tx, attempt).await,
    }
}

/// An action that waited for this attempt goes on by itself, also when its caller is gone.
async fn wake_waiters(tx: &impl ConnectionTrait, ctx: &Ctx, attempt: &attempts::Model) -> Result<()> {
    match attempt.action_id {
        Some(action) if !attempt.outcome.is_open() => {
            jobs::enqueue(tx, &ctx.shop, jobs::Kind::ResumeAction, action, ctx.now() + jobs::backoff(1)).await
        }
        Some(_) | None => Ok(()),
    }
}
