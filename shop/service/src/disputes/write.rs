use sea_orm::{ActiveModelTrait, IntoActiveModel, Set};
use shop_domain::disputes::DisputeEvent;
use shop_domain::ids::{AttemptId, DisputeId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::{AttemptKind, DisputeStatus};
use shop_store::entities::disputes;

use super::input::{Accept, SubmitEvidence};
use super::read::find;
use super::view::View;
use crate::after_sales::{self, Ask};
use crate::attempts::{self, Intent};
use crate::error::{Error, Result};
use crate::start::StartCall;
use crate::text::must_fit;
use crate::{Ctx, Reply};

/// Contests a dispute. The bank reads what comes first, and nothing after it.
///
/// # Errors
/// When evidence was sent, the time is over, or the dispute is decided; `outcome_unknown` when the gateway did not
/// answer.
pub async fn submit_evidence(ctx: &Ctx, id: DisputeId, input: SubmitEvidence) -> Result<Reply<View>> {
    let operation = operation("submit_dispute_evidence");
    let tx = match ctx.start_call(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(reply),
        StartCall::InFlight(attempts) => return after_look_up(ctx, id, &attempts).await,
    };
    let (row, _) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_fit(&input.text, limits::TEXT_CHARS_MAX, "/text")?;
    must_allow(&row, DisputeEvent::EvidenceSent)?;
    if row.due_at <= ctx.now() {
        let detail = format!("evidence was due until {}; the dispute is lost", row.due_at);
        return Err(Error::precondition("dispute_deadline_passed", detail));
    }
    let intent = intent(AttemptKind::DisputeEvidence, &row);
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.evidence = Set(Some(input.text));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(&*tx).await?;
    let attempt = attempts::record(&*tx, ctx, operation, intent).await?;
    tx.commit_intent(ctx, id).await?;
    attempts::perform(ctx, attempt.id).await?;
    again(ctx, id).await.map(Reply::fresh)
}

/// Gives a dispute up: what the bank took is the customer's for good.
///
/// # Errors
/// When it is decided, or a second person must agree; `outcome_unknown` when the gateway did not answer.
pub async fn accept(ctx: &Ctx, id: DisputeId, input: Accept) -> Result<Reply<View>> {
    let operation = operation("accept_dispute");
    let tx = match ctx.start_call(operation).await? {
        StartCall::Go(tx) => tx,
        StartCall::Replay(reply) => return Ok(reply),
        StartCall::InFlight(attempts) => return after_look_up(ctx, id, &attempts).await,
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_allow(&row, DisputeEvent::Accepted)?;
    let ask = Ask {
        lines: None,
        outflow_minor: row.amount_minor,
        subject: id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    after_sales::sign_off(&*tx, ctx, operation, &order, ask).await?;
    let attempt = attempts::record(&*tx, ctx, operation, intent(AttemptKind::DisputeAccept, &row)).await?;
    tx.commit_intent(ctx, id).await?;
    attempts::perform(ctx, attempt.id).await?;
    again(ctx, id).await.map(Reply::fresh)
}

fn must_allow(row: &disputes::Model, event: DisputeEvent) -> Result<()> {
    let rule = match row.status {
        DisputeStatus::EvidenceSent => "dispute_answered",
        DisputeStatus::Open | DisputeStatus::Won | DisputeStatus::Lost | DisputeStatus::Accepted => {
            "dispute_closed"
        }
    };
    let moved = row.status.after(event).map(drop);
    moved.map_err(|refusal| Error::precondition(rule, refusal.to_string()))
}

fn intent(kind: AttemptKind, row: &disputes::Model) -> Intent {
    Intent {
        kind,
        order_id: row.order_id,
        payment_id: row.payment_id,
        refund_id: None,
        amount_minor: row.amount_minor,
    }
}

async fn after_look_up(ctx: &Ctx, id: DisputeId, attempts: &[AttemptId]) -> Result<Reply<View>> {
    attempts::resolve(ctx, attempts).await?;
    Ok(Reply { view: again(ctx, id).await?, is_replay: true })
}

async fn again(ctx: &Ctx, id: DisputeId) -> Result<View> {
    Ok(find(ctx, ctx.read()?, id).await?.0.into())
}
