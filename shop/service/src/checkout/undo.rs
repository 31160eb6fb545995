use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{OrderId, PaymentId, RefundId};
use shop_domain::operations::operation;
use shop_domain::status::{AttemptOutcome, OrderStatus, PaymentState};
use shop_store::entities::attempts as attempt_rows;

use super::place::reopen_cart;
use crate::ctx::{Call, CallerKey, Ctx};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{attempts, orders, payments, refunds};

/// What had to be undone.
#[derive(Clone, Debug, Default)]
pub struct Undone {
    pub voided: Vec<PaymentId>,
    pub refunded: Vec<RefundId>,
}

/// Takes an order back that its buyer gave up before it was done: calls without an answer are fenced, held money is
/// let go, taken money goes back to what paid, and the order is cancelled with its stock and coupon free again. Under
/// the same key it goes on where it was interrupted.
///
/// # Errors
/// `outcome_unknown` while it is not known whether anything is left; `not_eligible` once goods have left.
pub async fn undo(ctx: &Ctx, id: OrderId) -> Result<Undone> {
    let order = orders::find(ctx, ctx.read()?, id).await?;
    let has_shipped = orders::lines_of(ctx.read()?, id).await?.iter().any(|line| line.shipped_quantity > 0);
    if has_shipped {
        return Err(Error::not_eligible(
            "order_has_shipped",
            "goods have left; they have to come back first",
        ));
    }
    fence_open_calls(ctx, id).await?;
    let voided = release(ctx, id).await?;
    let refunded = give_back(ctx, id, order.version).await?;
    stop(&under(ctx, "stop", order.version), id).await?;
    Ok(Undone { voided, refunded })
}

/// Lets go of what is held, and closes what was opened and never used.
async fn release(ctx: &Ctx, id: OrderId) -> Result<Vec<PaymentId>> {
    let mut voided = Vec::new();
    for payment in payments::of_order(ctx.read()?, id).await? {
        let is_open = matches!(payment.status, PaymentState::Created | PaymentState::RequiresAction);
        let is_held = payment.status == PaymentState::Authorized && payment.captured_minor == 0;
        if is_held || is_open {
            // A void that was refused is a new one at the payment's next version.
            let part = format!("void/{}/{}", payment.id, payment.version);
            payments::void(&under(ctx, &part, payment.version), payment.id).await?;
        }
        if is_held {
            voided.push(payment.id);
        }
    }
    Ok(voided)
}

/// Sends again what was to go back and did not, then everything that was taken and is not on its way yet.
async fn give_back(ctx: &Ctx, id: OrderId, version: i64) -> Result<Vec<RefundId>> {
    let mut refunded = Vec::new();
    for refund in refunds::unpaid(ctx.read()?, id).await? {
        let part = format!("refund/{}/{}", refund.id, refund.version);
        refunds::retry(&under(ctx, &part, refund.version), refund.id).await?;
        refunded.push(refund.id);
    }
    let payments = payments::of_order(ctx.read()?, id).await?;
    if payments.iter().any(|payment| payment.captured_minor > payment.refunded_minor) {
        let batch = refunds::undo(&under(ctx, "refund", version), id).await?.view;
        refunded.extend(batch.refunds.into_iter().map(|refund| refund.id));
    }
    Ok(refunded)
}

/// After this no call of the order can have an effect that is not known.
async fn fence_open_calls(ctx: &Ctx, id: OrderId) -> Result<()> {
    let open = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::OrderId.eq(id))
        .filter(attempt_rows::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
        .all(ctx.read()?)
        .await?;
    for attempt in open {
        if let Err(error) = attempts::abandon(ctx, attempt.id).await {
            // A refusal or a fence is an answer.
            let is_answer = matches!(error.code, ErrorCode::PaymentDeclined | ErrorCode::UpstreamUnavailable);
            if !is_answer || !is_settled(ctx, attempt.id).await? {
                return Err(error);
            }
        }
    }
    Ok(())
}

async fn is_settled(ctx: &Ctx, id: shop_domain::ids::AttemptId) -> Result<bool> {
    let row = attempt_rows::Entity::find_by_id(id).one(ctx.read()?).await?;
    Ok(row.is_some_and(|row| !row.outcome.is_open()))
}

async fn stop(ctx: &Ctx, id: OrderId) -> Result<()> {
    let tx = match ctx.start::<orders::View>(operation("cancel_order")).await? {
        Start::Go(tx) => tx,
        Start::Replay(_) => return Ok(()),
    };
    let order = orders::find(ctx, &*tx, id).await?;
    if order.status != OrderStatus::Cancelled {
        orders::stop(&*tx, ctx, &order, "checkout_given_up").await?;
        orders::refresh(&*tx, ctx, id).await?;
    }
    if let Some(cart) = order.cart_id {
        reopen_cart(&*tx, ctx, cart).await?;
    }
    let view = orders::view(&*tx, id).await?;
    tx.finish(ctx, id, view).await?;
    Ok(())
}

/// A part of this call, under a key of its own.
fn under(ctx: &Ctx, part: &str, version: i64) -> Ctx {
    let key =
        ctx.call.key.as_ref().map(|key| CallerKey { key: format!("{}/{part}", key.key), ..key.clone() });
    let call = Call { key, if_match: Some(version), ..ctx.call.clone() };
    ctx.clone().with_call(call)
}
