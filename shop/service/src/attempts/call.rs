use std::sync::Arc;

use sea_orm::EntityTrait;
use shop_domain::code::ErrorCode;
use shop_domain::ids::AttemptId;
use shop_domain::limits;
use shop_domain::status::{AttemptKind, AttemptOutcome};
use shop_gateway::wire::{Authorize, CreateRefund, KeyResult};
use shop_gateway::{Lookup, Outcome};
use shop_store::entities::{attempts, payments};
use shop_world::{Moment, Step};

use super::settle::{Answer, settle};
use crate::error::{Error, Result};
use crate::{Ctx, idempotency};

/// Calls the gateway for a committed attempt and settles the outcome.
///
/// # Errors
/// When the gateway refused, was busy, or its answer is missing: the outcome is then recorded all the same.
pub async fn perform(ctx: &Ctx, id: AttemptId) -> Result<()> {
    let _calling = ctx.shop.calling(id).ok_or_else(idempotency::in_flight)?;
    let (attempt, payment) = load(ctx, id).await?;
    if !attempt.outcome.is_open() {
        return told(attempt.outcome, attempt.detail.as_deref());
    }
    let crashes = &ctx.shop.world.crashes;
    crashes.pass(Step::GatewayCalled, Moment::Before);
    let said = call(ctx, &attempt, &payment).await?;
    crashes.pass(Step::GatewayCalled, Moment::After);
    let answer = confirmed(ctx, &attempt.gateway_key, said).await?;
    settle(ctx, id, answer).await
}

/// Sends an attempt again under its own gateway key, which cannot have a second effect.
///
/// # Errors
/// As [`perform`].
pub async fn resend(ctx: &Ctx, id: AttemptId) -> Result<()> {
    match look_up(ctx, id).await {
        Err(error) if error.code == ErrorCode::OutcomeUnknown => perform(ctx, id).await,
        known => known,
    }
}

/// Asks what happened under an attempt's key and settles it if the answer is clear. Sends nothing.
///
/// # Errors
/// `outcome_unknown` when nothing was found: without a fence that is not final.
pub async fn look_up(ctx: &Ctx, id: AttemptId) -> Result<()> {
    seek(ctx, id).await?;
    let (attempt, _) = load(ctx, id).await?;
    told(attempt.outcome, attempt.detail.as_deref())
}

/// What a look-up taught about an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Its outcome is known.
    Settled,
    /// The gateway has nothing under its key; without a fence that is not final.
    Absent,
    /// The gateway did not answer.
    Silent,
}

/// The same, for whoever has to tell "nothing there" from "no answer".
///
/// # Errors
/// When somebody is calling the gateway for it right now, or the database does not answer.
pub async fn seek(ctx: &Ctx, id: AttemptId) -> Result<Sought> {
    let _calling = ctx.shop.calling(id).ok_or_else(idempotency::in_flight)?;
    let (attempt, _) = load(ctx, id).await?;
    if !attempt.outcome.is_open() {
        return Ok(Sought::Settled);
    }
    let (answer, sought) = match ctx.gateway()?.lookup_key(&attempt.gateway_key).await {
        Lookup::Found(record) => (Answer::from(record.result), Sought::Settled),
        Lookup::NotFound => (Answer::Unknown, Sought::Absent),
        Lookup::Unavailable => (Answer::Unknown, Sought::Silent),
    };
    let settled = settle(ctx, id, answer).await;
    let (after, _) = load(ctx, id).await?;
    match settled {
        // The error is the outcome, which is written down by now.
        Ok(()) | Err(_) if after.lookups > attempt.lookups => Ok(sought),
        Ok(()) => Ok(sought),
        Err(error) => Err(error),
    }
}

/// Makes an outcome final: what a look-up finds counts; a key with nothing under it is fenced, so that nothing can
/// happen under it any more.
///
/// # Errors
/// `outcome_unknown` only while the gateway cannot be reached; else the outcome.
pub async fn abandon(ctx: &Ctx, id: AttemptId) -> Result<()> {
    let _calling = ctx.shop.calling(id).ok_or_else(idempotency::in_flight)?;
    let (attempt, _) = load(ctx, id).await?;
    if !attempt.outcome.is_open() {
        return told(attempt.outcome, attempt.detail.as_deref());
    }
    let answer = match ctx.gateway()?.fence(&attempt.gateway_key).await {
        Outcome::Done(record) => Answer::from(record.result),
        Outcome::Refused(_) | Outcome::Busy { .. } | Outcome::Unknown => Answer::Unknown,
    };
    settle(ctx, id, answer).await
}

/// What a repeat of a call under its own key does while the first one has no answer: it never sends again. A
/// look-up finds the effect, or a fence makes sure there is none and the call may start anew.
///
/// # Errors
/// The outcome, unless it is a success.
pub async fn resolve(ctx: &Ctx, ids: &[AttemptId]) -> Result<()> {
    for id in ids {
        abandon(ctx, *id).await?;
    }
    Ok(())
}

async fn load(ctx: &Ctx, id: AttemptId) -> Result<(attempts::Model, payments::Model)> {
    let conn = ctx.read()?;
    let attempt = attempts::Entity::find_by_id(id)
        .one(conn)
        .await?
        .ok_or_else(|| Error::not_found(format!("attempt {id}")))?;
    let payment_id = attempt.payment_id.ok_or_else(|| Error::internal("an attempt without a payment"))?;
    let payment = payments::Entity::find_by_id(payment_id).one(conn).await?;
    Ok((attempt, payment.ok_or_else(|| Error::internal("a payment has vanished"))?))
}

async fn call(ctx: &Ctx, attempt: &attempts::Model, payment: &payments::Model) -> Result<Answer> {
    let gateway = Arc::clone(&ctx.shop);
    let gateway = &gateway.gateway;
    ctx.gateway()?;
    let key = attempt.gateway_key.as_str();
    let charge = payment.charge_id.as_deref().unwrap_or_default();
    let answer = match attempt.kind {
        AttemptKind::Authorize => {
            let input = Authorize {
                amount_minor: attempt.amount_minor,
                currency: payment.currency.to_string(),
                instrument: payment.token.clone().unwrap_or_default(),
                reference: payment.id.to_string(),
            };
            Answer::from(gateway.authorize(key, &input).await)
        }
        AttemptKind::Capture => Answer::from(gateway.capture(key, charge, attempt.amount_minor).await),
        AttemptKind::Void => Answer::from(gateway.void(key, charge).await),
        AttemptKind::Refund => {
            let reference = attempt.refund_id.map(|id| id.to_string()).unwrap_or_default();
            let input =
                CreateRefund { payment: charge.to_owned(), amount_minor: attempt.amount_minor, reference };
            Answer::from(gateway.refund(key, &input).await)
        }
    };
    Ok(answer)
}

/// An answer counts once a look-up confirms it: a gateway may say yes and do nothing, or no to what it did.
async fn confirmed(ctx: &Ctx, key: &str, said: Answer) -> Result<Answer> {
    match said {
        Answer::Payment(_) | Answer::Refund(_) | Answer::Refused(_) => {}
        Answer::NotSent | Answer::Fenced | Answer::Unknown => return Ok(said),
    }
    Ok(match ctx.gateway()?.lookup_key(key).await {
        Lookup::Found(record) => Answer::from(record.result),
        // A request that was never read left no record of its refusal.
        Lookup::NotFound if matches!(said, Answer::Refused(_)) => said,
        Lookup::NotFound | Lookup::Unavailable => Answer::Unknown,
    })
}

/// An outcome, as the caller of the attempt hears it.
pub(super) fn told(outcome: AttemptOutcome, detail: Option<&str>) -> Result<()> {
    let detail = detail.unwrap_or_default();
    match outcome {
        AttemptOutcome::Done => Ok(()),
        AttemptOutcome::Refused => {
            Err(Error::new(ErrorCode::PaymentDeclined, format!("the payment gateway refused: {detail}")))
        }
        AttemptOutcome::NotSent | AttemptOutcome::Fenced => Err(Error::new(
            ErrorCode::UpstreamUnavailable,
            "the payment gateway did nothing: the call was not accepted and never will be; it is safe to start again",
        )
        .after_ms(limits::RETRY_AFTER_MS)),
        AttemptOutcome::Pending | AttemptOutcome::Unknown => Err(Error::new(
            ErrorCode::OutcomeUnknown,
            "the payment gateway did not answer, so money may have moved; do not start again: repeat this call with the same key, or ask with sync_payment_status or sync_refund_status",
        )
        .with_rule("gateway_timed_out")
        .after_ms(limits::RETRY_AFTER_MS)),
    }
}

impl From<KeyResult> for Answer {
    fn from(result: KeyResult) -> Self {
        match result {
            KeyResult::Payment(payment) => Self::Payment(payment),
            KeyResult::Refund(refund) => Self::Refund(refund),
            KeyResult::Refused(decline) => Self::Refused(decline),
            KeyResult::Fenced => Self::Fenced,
        }
    }
}

impl<T> From<Outcome<T>> for Answer
where
    Answer: From<T>,
{
    fn from(outcome: Outcome<T>) -> Self {
        match outcome {
            Outcome::Done(done) => Self::from(done),
            Outcome::Refused(decline) => Self::Refused(decline),
            Outcome::Busy { .. } => Self::NotSent,
            Outcome::Unknown => Self::Unknown,
        }
    }
}
