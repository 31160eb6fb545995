use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, Set};
use shop_domain::disputes::DisputeEvent;
use shop_domain::status::AttemptKind;
use shop_store::entities::attempts;

use super::notice::{advance, payment_of};
use super::read::of_payment;
use crate::Ctx;
use crate::attempts::Answer;
use crate::error::{Error, Result};

/// Writes the outcome of evidence, or of giving up, into the dispute and the ledger.
pub(crate) async fn apply(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    attempt: &attempts::Model,
    answer: &Answer,
) -> Result<()> {
    let payment = attempt.payment_id.ok_or_else(|| Error::internal("an attempt without a payment"))?;
    let row = of_payment(tx, payment).await?.ok_or_else(|| Error::internal("a dispute has vanished"))?;
    let payment = payment_of(tx, &row).await?;
    match answer {
        Answer::Payment(_) => {
            let event = match attempt.kind {
                AttemptKind::DisputeAccept => DisputeEvent::Accepted,
                AttemptKind::DisputeEvidence
                | AttemptKind::Authorize
                | AttemptKind::Capture
                | AttemptKind::Void
                | AttemptKind::Refund => DisputeEvent::EvidenceSent,
            };
            advance(tx, ctx, &payment, row, event).await?;
        }
        // Evidence that nobody has read can be sent again, or be other evidence.
        Answer::Refused(_) | Answer::NotSent | Answer::Fenced
            if attempt.kind == AttemptKind::DisputeEvidence =>
        {
            let version = row.version + 1;
            let mut row = row.into_active_model();
            row.evidence = Set(None);
            row.updated_at = Set(ctx.now());
            row.version = Set(version);
            row.update(tx).await?;
        }
        Answer::Refused(_) | Answer::NotSent | Answer::Fenced | Answer::Unknown | Answer::Refund(_) => {}
    }
    Ok(())
}
