use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::after_sales::Trust;
use shop_domain::code::ErrorCode;
use shop_domain::ids::PaymentId;
use shop_domain::operations::operation;
use shop_domain::payments::{PaymentEvent, Tender};
use shop_domain::status::{AttemptKind, AttemptOutcome, PaymentState};
use shop_gateway::Lookup;
use shop_store::entities::{attempts as attempt_rows, payments};

use super::input::{Authorize, Capture};
use super::read::{find, view};
use super::view::View;
use crate::attempts::{self, Intent};
use crate::error::{Error, Result};
use crate::start::StartCall;
use crate::tenders;
use crate::{Ctx, Reply, disputes, events, ledger, orders};

/// Holds the money.
///
/// # Errors
/// `payment_declined`; `outcome_unknown` when the gateway did not answer: then look, do not try again.
pub async fn authorize(ctx: &Ctx, id: PaymentId, _: Authorize) -> Result<Reply<View>> {
    let operation = operation("authorize_payment");
    let tx = match ctx.start_call(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(reply),
        StartCall::InFlight(attempts) => return after_look_up(ctx, id, &attempts).await,
    };
    let payment = find(ctx, &*tx, id).await?;
    ctx.must_match(payment.version)?;
    let payment = must_be_settled(&*tx, ctx, payment).await?;
    if Tender::from(payment.instrument) != Tender::Gateway {
        let row = tenders::hold(&*tx, ctx, &payment).await?;
        orders::refresh(&*tx, ctx, payment.order_id).await?;
        events::record(
            &*tx,
            ctx,
            "payment.authorized",
            id,
            Some(payment.order_id),
            json!({ "amount_minor": payment.amount_minor }),
        )
        .await?;
        return tx.finish(ctx, id, View::from(row)).await;
    }
    send(&*tx, ctx, &payment, PaymentEvent::AuthorizeSent).await?;
    let intent = intent(AttemptKind::Authorize, &payment, payment.amount_minor);
    let attempt = attempts::record(&*tx, ctx, operation, intent).await?;
    tx.commit_intent(ctx, id).await?;
    attempts::perform(ctx, attempt.id).await?;
    view(ctx.read()?, id).await.map(Reply::fresh)
}

/// Takes all or part of the held money.
///
/// # Errors
/// When nothing or less is held; `outcome_unknown` when the gateway did not answer.
pub async fn capture(ctx: &Ctx, id: PaymentId, input: Capture) -> Result<Reply<View>> {
    let operation = operation("capture_payment");
    let tx = match ctx.start_call(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(reply),
        StartCall::InFlight(attempts) => return after_look_up(ctx, id, &attempts).await,
    };
    let payment = find(ctx, &*tx, id).await?;
    ctx.must_match(payment.version)?;
    let payment = must_be_settled(&*tx, ctx, payment).await?;
    // A gateway may hold more than it was asked to; no more is taken than the payment is for.
    let held = payment.authorized_minor.min(payment.amount_minor) - payment.captured_minor;
    let amount = input.amount_minor.unwrap_or(held);
    if amount <= 0 || amount > held {
        return Err(Error::precondition(
            "capture_exceeds_authorized",
            format!("{held} is held on this payment; capture at most that, and at least 1"),
        ));
    }
    if Tender::from(payment.instrument) != Tender::Gateway {
        let row = tenders::take(&*tx, ctx, &payment, amount).await?;
        let postings = shop_domain::ledger::captured(Tender::from(payment.instrument), amount)?;
        ledger::post(&*tx, ctx, &postings, ledger::Refs::payment(&payment), "captured").await?;
        orders::refresh(&*tx, ctx, payment.order_id).await?;
        events::record(
            &*tx,
            ctx,
            "payment.captured",
            id,
            Some(payment.order_id),
            json!({ "amount_minor": amount }),
        )
        .await?;
        return tx.finish(ctx, id, View::from(row)).await;
    }
    send(&*tx, ctx, &payment, PaymentEvent::CaptureSent).await?;
    let attempt =
        attempts::record(&*tx, ctx, operation, intent(AttemptKind::Capture, &payment, amount)).await?;
    tx.commit_intent(ctx, id).await?;
    attempts::perform(ctx, attempt.id).await?;
    view(ctx.read()?, id).await.map(Reply::fresh)
}

/// Releases held money that has not been captured; not a refund.
///
/// # Errors
/// When money was captured or nothing is held; `outcome_unknown` when the gateway did not answer.
pub async fn void(ctx: &Ctx, id: PaymentId) -> Result<Reply<View>> {
    let operation = operation("void_payment");
    let tx = match ctx.start_call(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(reply),
        StartCall::InFlight(attempts) => return after_look_up(ctx, id, &attempts).await,
    };
    let payment = find(ctx, &*tx, id).await?;
    ctx.must_match(payment.version)?;
    if payment.captured_minor > 0 {
        return Err(Error::not_eligible(
            "payment_captured",
            "the money was taken already; a refund gives it back, a void does not",
        ));
    }
    let payment = must_be_settled(&*tx, ctx, payment).await?;
    let is_held = payment.status == PaymentState::Authorized;
    if Tender::from(payment.instrument) != Tender::Gateway || !is_held {
        let row = if is_held {
            tenders::release(&*tx, ctx, &payment).await?
        } else {
            close(&*tx, ctx, &payment).await?
        };
        orders::refresh(&*tx, ctx, payment.order_id).await?;
        events::record(&*tx, ctx, "payment.voided", id, Some(payment.order_id), json!({})).await?;
        return tx.finish(ctx, id, View::from(row)).await;
    }
    let intent = intent(AttemptKind::Void, &payment, payment.authorized_minor);
    let attempt = attempts::record(&*tx, ctx, operation, intent).await?;
    tx.commit_intent(ctx, id).await?;
    attempts::perform(ctx, attempt.id).await?;
    view(ctx.read()?, id).await.map(Reply::fresh)
}

/// Asks the gateway what really happened to an unknown outcome. Whatever it says is final afterwards: a call that
/// had no effect is fenced, so that it never will have one.
///
/// # Errors
/// When the gateway cannot be reached either.
pub async fn sync(ctx: &Ctx, id: PaymentId) -> Result<Reply<View>> {
    ctx.may(operation("sync_payment_status"))?;
    find(ctx, ctx.read()?, id).await?;
    let open = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::PaymentId.eq(id))
        .filter(attempt_rows::Column::RefundId.is_null())
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
            // A refusal or a fenced key is an answer: the payment says so.
            Ok(()) | Err(_) => {}
        }
    }
    notice_dispute(ctx, id).await?;
    view(ctx.read()?, id).await.map(Reply::fresh)
}

/// Money that a bank took back on its own.
async fn notice_dispute(ctx: &Ctx, id: PaymentId) -> Result<()> {
    let Some(charge) = view(ctx.read()?, id).await?.charge_id else { return Ok(()) };
    match ctx.gateway()?.lookup(&charge).await {
        Lookup::Found(found) => disputes::notice(ctx, &found).await,
        Lookup::NotFound | Lookup::Unavailable => Ok(()),
    }
}

async fn after_look_up(
    ctx: &Ctx,
    id: PaymentId,
    attempts: &[shop_domain::ids::AttemptId],
) -> Result<Reply<View>> {
    attempts::resolve(ctx, attempts).await?;
    Ok(Reply { view: view(ctx.read()?, id).await?, is_replay: true })
}

fn intent(kind: AttemptKind, payment: &payments::Model, amount_minor: i64) -> Intent {
    Intent { kind, order_id: payment.order_id, payment_id: payment.id, refund_id: None, amount_minor }
}

/// While an outcome is unknown only a look-up is allowed. The legacy rules take silence for failure instead.
pub(super) async fn must_be_settled(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: payments::Model,
) -> Result<payments::Model> {
    let is_open =
        matches!(payment.status, PaymentState::Unknown | PaymentState::Authorizing | PaymentState::Capturing);
    if !is_open {
        return Ok(payment);
    }
    let may_try_again = ctx.shop.settings.rules.trusts_caller_on(Trust::OneAttempt);
    if !may_try_again || payment.status != PaymentState::Unknown {
        return Err(Error::new(
            ErrorCode::OutcomeUnknown,
            format!(
                "payment {} waits for the gateway's answer; ask with sync_payment_status before anything else",
                payment.id
            ),
        ));
    }
    let status = if payment.authorized_minor > 0 { PaymentState::Authorized } else { PaymentState::Failed };
    let mut row = payment.into_active_model();
    row.status = Set(status);
    Ok(row.update(tx).await?)
}

async fn send(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
    event: PaymentEvent,
) -> Result<()> {
    let status = payment
        .status
        .after(event)
        .map_err(|refusal| Error::precondition("payment_not_ready", refusal.to_string()))?;
    let mut row = payment.clone().into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(payment.version + 1);
    row.update(tx).await?;
    Ok(())
}

/// Ends a payment on which nothing was ever held.
async fn close(tx: &impl ConnectionTrait, ctx: &Ctx, payment: &payments::Model) -> Result<payments::Model> {
    let status = payment
        .status
        .after(PaymentEvent::Voided)
        .map_err(|refusal| Error::precondition("nothing_held", refusal.to_string()))?;
    let mut row = payment.clone().into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(payment.version + 1);
    Ok(row.update(tx).await?)
}
