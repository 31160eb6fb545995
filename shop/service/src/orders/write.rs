use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, Set};
use serde_json::{Value, json};
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::governance::Role;
use shop_domain::ids::OrderId;
use shop_domain::limits;
use shop_domain::operations::{Operation, operation};
use shop_domain::orders::OrderEvent;
use shop_domain::reasons::CancelReason;
use shop_domain::status::OrderStatus;
use shop_store::entities::orders;

use super::draft::bind;
use super::input::{Cancel, Hold, UpdateContact, check_reason};
use super::read::{find, view};
use super::refresh::refresh;
use super::stop::stop;
use super::view::View;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events};

/// Stops an order of which nothing has shipped and frees its stock and coupon. Gives no money back: held money is
/// voided and taken money refunded by operations of their own.
///
/// # Errors
/// When goods have shipped, the reason is not offered, or a second person must agree.
pub async fn cancel(ctx: &Ctx, id: OrderId, input: Cancel) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("cancel_order")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = find(ctx, &*tx, id).await?;
    let ask = Ask {
        lines: None,
        outflow_minor: 0,
        subject: id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    let permit = after_sales::permit(&*tx, ctx, AfterSalesOperation::CancelOrder, &order, ask).await?;
    if permit.is_done_already {
        let view = view(&*tx, id).await?;
        let reply = tx.finish(ctx, id, view).await?;
        return Ok(Reply { is_replay: true, ..reply });
    }
    ctx.must_match(order.version)?;
    must_offer(&*tx, ctx, &order, input.reason, "/reason").await?;
    stop(&*tx, ctx, &order, input.reason.as_str()).await?;
    refresh(&*tx, ctx, id).await?;
    let view = view(&*tx, id).await?;
    tx.finish(ctx, id, view).await
}

/// A reason to cancel must be one that the store offers this caller.
///
/// # Errors
/// When it is not, with those that are.
pub(crate) async fn must_offer(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    reason: CancelReason,
    pointer: &str,
) -> Result<()> {
    let offered = after_sales::policy_of(tx, order).await?.cancel_reasons;
    let is_offered = |reason: &&CancelReason| ctx.principal.role != Role::Shopper || reason.is_customers();
    let offered: Vec<&str> = offered.iter().filter(is_offered).map(|reason| reason.as_str()).collect();
    if offered.contains(&reason.as_str()) {
        return Ok(());
    }
    Err(Error::invalid(pointer, format!("the reason is one of {}", offered.join(", "))))
}

/// Accepts a draft, whose stock is held from now on, or an order that waits for review.
///
/// # Errors
/// When it is neither, or a draft's goods are not there any more.
pub async fn confirm(ctx: &Ctx, id: OrderId) -> Result<Reply<View>> {
    advance(ctx, operation("confirm_order"), id, OrderEvent::Confirmed, json!({})).await
}

/// Pauses an order before it is packed.
///
/// # Errors
/// When it is not open.
pub async fn hold(ctx: &Ctx, id: OrderId, input: Hold) -> Result<Reply<View>> {
    check_reason(input.reason.as_ref())?;
    advance(ctx, operation("hold_order"), id, OrderEvent::Held, json!({ "reason": input.reason })).await
}

/// Lets a paused order go on.
///
/// # Errors
/// When it is not paused.
pub async fn release_hold(ctx: &Ctx, id: OrderId) -> Result<Reply<View>> {
    advance(ctx, operation("release_order_hold"), id, OrderEvent::Released, json!({})).await
}

async fn advance(
    ctx: &Ctx,
    operation: &'static Operation,
    id: OrderId,
    event: OrderEvent,
    data: Value,
) -> Result<Reply<View>> {
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = find(ctx, &*tx, id).await?;
    ctx.must_match(order.version)?;
    let status = order.status.after(event);
    let status = status.map_err(|refusal| Error::precondition("order_not_ready", refusal.to_string()))?;
    let is_draft_accepted = order.status == OrderStatus::Draft && event == OrderEvent::Confirmed;
    let order = if is_draft_accepted { bind(&*tx, ctx, order).await? } else { order };
    let mut row = order.into_active_model();
    row.status = Set(status);
    row.update(&*tx).await?;
    events::record(&*tx, ctx, &format!("order.{event}"), id, Some(id), data).await?;
    refresh(&*tx, ctx, id).await?;
    let view = view(&*tx, id).await?;
    tx.finish(ctx, id, view).await
}

/// Changes who gets the notices of an order.
///
/// # Errors
/// When the order has moved on or a field is bad.
pub async fn update_contact(ctx: &Ctx, id: OrderId, input: UpdateContact) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_order_contact")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = find(ctx, &*tx, id).await?;
    ctx.must_match(order.version)?;
    let mut row = order.into_active_model();
    if let Some(email) = input.email {
        customers::check_email(&email)?;
        row.contact_email = Set(email);
    }
    if let Some(phone) = input.phone {
        if phone.len() > limits::PHONE_CHARS_MAX {
            let message = format!("a phone number has at most {} characters", limits::PHONE_CHARS_MAX);
            return Err(Error::invalid("/phone", message));
        }
        row.contact_phone = Set((!phone.trim().is_empty()).then_some(phone));
    }
    row.updated_at = Set(ctx.now());
    row.update(&*tx).await?;
    events::record(&*tx, ctx, "order.contact_updated", id, Some(id), json!({})).await?;
    refresh(&*tx, ctx, id).await?;
    let view = view(&*tx, id).await?;
    tx.finish(ctx, id, view).await
}
