use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::payments::{PaymentEvent, Tender};
use shop_domain::status::AttemptKind;
use shop_gateway::wire;
use shop_store::entities::{attempts, payments};

use crate::attempts::Answer;
use crate::error::{Error, Result};
use crate::{Ctx, ledger};

/// What the gateway says about a payment when the money waits for the customer's bank.
const NEEDS_ACTION: &str = "authentication_required";

/// Writes the outcome of an authorisation, capture or void into its payment and the ledger.
pub(crate) async fn apply(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    attempt: &attempts::Model,
    answer: &Answer,
) -> Result<()> {
    let id = attempt.payment_id.ok_or_else(|| Error::internal("an attempt without a payment"))?;
    let payment = payments::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::internal("a payment has vanished"))?;
    let Some(event) = event(attempt.kind, answer) else { return Ok(()) };
    let version = payment.version + 1;
    let mut row = payment.clone().into_active_model();
    // An outcome that a legacy shop stopped waiting for may come late; the gateway's word on money still counts.
    if let Ok(status) = payment.status.after(event) {
        row.status = Set(status);
    }
    row.decline_code = Set(match answer {
        Answer::Refused(decline) => Some(decline.code.clone()),
        Answer::Payment(_) | Answer::Refund(_) | Answer::NotSent | Answer::Fenced | Answer::Unknown => None,
    });
    if let Answer::Payment(charge) = answer {
        row.charge_id = Set(Some(charge.id.clone()));
        row.authorized_minor = Set(charge.authorized_minor);
        row.captured_minor = Set(charge.captured_minor);
        let taken = charge.captured_minor - payment.captured_minor;
        if taken > 0 {
            let postings = shop_domain::ledger::captured(Tender::from(payment.instrument), taken)?;
            ledger::post(tx, ctx, &postings, ledger::Refs::payment(&payment), "captured").await?;
        }
    }
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    Ok(())
}

fn event(kind: AttemptKind, answer: &Answer) -> Option<PaymentEvent> {
    use {AttemptKind as K, PaymentEvent as E};
    match (kind, answer) {
        (K::Authorize, Answer::Payment(_)) => Some(E::Authorized),
        (K::Authorize, Answer::Refused(decline)) if decline.code == NEEDS_ACTION => Some(E::ActionRequired),
        (K::Authorize, Answer::Refused(_) | Answer::Fenced) => Some(E::AuthorizeFailed),
        (K::Authorize, Answer::NotSent) => Some(E::AuthorizeNotSent),
        (K::Capture, Answer::Payment(charge)) => Some(captured(charge)),
        (K::Capture, Answer::Refused(_) | Answer::Fenced | Answer::NotSent) => Some(E::CaptureFailed),
        (K::Void, Answer::Payment(_)) => Some(E::Voided),
        (K::Void, Answer::Refused(_) | Answer::Fenced | Answer::NotSent) => Some(E::VoidFailed),
        (K::Authorize | K::Capture | K::Void, Answer::Unknown) => Some(E::OutcomeLost),
        (_, Answer::Refund(_)) | (K::Refund, _) => None,
    }
}

fn captured(charge: &wire::Payment) -> PaymentEvent {
    if charge.captured_minor >= charge.authorized_minor {
        PaymentEvent::Captured
    } else {
        PaymentEvent::PartlyCaptured
    }
}
