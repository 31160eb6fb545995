use std::sync::Arc;

use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::{Value, json};
use shop_domain::approvals::{ApprovalEvent, may_decide};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ApprovalId, ExchangeId, FulfillmentId, OrderId, ReturnId};
use shop_domain::limits;
use shop_domain::operations::{self, Operation, operation};
use shop_domain::status::ApprovalStatus;
use shop_store::entities::{approvals, exchanges, fulfillments, orders, principals, returns};

use super::input::{Decide, Request};
use super::read::find;
use super::spend::{digest, is_of_the_same_person};
use super::subject::about;
use super::view::View;
use crate::error::{Error, Result};
use crate::shop::Shop;
use crate::start::Start;
use crate::{Ctx, Reply, events, jobs};

/// Asks for a sign-off on one exact operation.
///
/// # Errors
/// When there is no such operation, or its subject is out of sight.
pub async fn request(ctx: &Ctx, input: Request) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("request_approval")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let wanted = operations::find(&input.operation).filter(|wanted| wanted.class.writes());
    let wanted = wanted.ok_or_else(|| {
        Error::invalid("/operation", "name an operation that writes, such as refund_unshipped_items")
    })?;
    ctx.may(wanted)?;
    if input.reason.trim().is_empty() || input.reason.len() > limits::REASON_CHARS_MAX {
        return Err(Error::invalid(
            "/reason",
            format!("a reason has 1 to {} characters", limits::REASON_CHARS_MAX),
        ));
    }
    let about = about(&*tx, ctx, &input.subject).await?;
    let expires_at = ctx.now() + TimeDelta::hours(about.store.policy.approval_hours);
    let row = approvals::ActiveModel {
        id: Set(ctx.id(ApprovalId::new)),
        operation: Set(wanted.id.to_owned()),
        digest: Set(digest(wanted.id, &input.subject, &input.input)?),
        subject: Set(input.subject),
        subject_version: Set(about.version),
        store_id: Set(Some(about.store.id)),
        brand_id: Set(Some(about.store.brand_id)),
        customer_id: Set(about.customer_id),
        amount_minor: Set(input.input.get("amount_minor").and_then(Value::as_i64)),
        input: Set(Value::Object(input.input)),
        currency: Set(Some(about.store.currency.to_string())),
        reason: Set(input.reason),
        requester_id: Set(ctx.principal.id),
        requester_name: Set(ctx.principal.name.clone()),
        status: Set(ApprovalStatus::Waiting),
        decided_by: Set(None),
        decided_at: Set(None),
        decision_note: Set(None),
        action_id: Set(input.action_id),
        expires_at: Set(expires_at),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    jobs::enqueue(&*tx, &ctx.shop, jobs::Kind::ExpireApproval, row.id, expires_at).await?;
    events::record(
        &*tx,
        ctx,
        "approval.requested",
        row.id,
        about.order_id,
        json!({ "operation": wanted.id }),
    )
    .await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Signs off. Never for the requester, and never for an agent.
///
/// # Errors
/// When the caller may not decide it, or it is decided already.
pub async fn approve(ctx: &Ctx, id: ApprovalId, input: Decide) -> Result<Reply<View>> {
    decide(ctx, operation("approve_request"), id, ApprovalEvent::Approved, input).await
}

/// Refuses.
///
/// # Errors
/// When the caller may not decide it, or it is decided already.
pub async fn reject(ctx: &Ctx, id: ApprovalId, input: Decide) -> Result<Reply<View>> {
    decide(ctx, operation("reject_request"), id, ApprovalEvent::Rejected, input).await
}

/// Takes a request back before it is decided.
///
/// # Errors
/// When it is not the caller's, or decided already.
pub async fn withdraw(ctx: &Ctx, id: ApprovalId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("withdraw_approval_request")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    if !is_of_the_same_person(&*tx, ctx, &row).await? {
        return Err(
            Error::new(ErrorCode::Forbidden, "only who asked can take a request back").with_layer("approval")
        );
    }
    let row = advance(&*tx, ctx, row, ApprovalEvent::Withdrawn, None).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Lets an undecided or unused approval expire; a job does this.
///
/// # Errors
/// When the database does not answer.
pub async fn expire(shop: &Arc<Shop>, ctx: &Ctx, id: ApprovalId) -> Result<()> {
    let tx = ctx.begin().await?;
    let Some(row) = approvals::Entity::find_by_id(id).one(&*tx).await? else { return Ok(()) };
    let is_due = row.expires_at <= shop.world.clock.now();
    if is_due && row.status.after(ApprovalEvent::Expired).is_ok() {
        advance(&*tx, ctx, row, ApprovalEvent::Expired, None).await?;
    }
    tx.commit().await
}

async fn decide(
    ctx: &Ctx,
    operation: &'static Operation,
    id: ApprovalId,
    event: ApprovalEvent,
    input: Decide,
) -> Result<Reply<View>> {
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    if input.note.as_ref().is_some_and(|note| note.len() > limits::REASON_CHARS_MAX) {
        return Err(Error::invalid(
            "/note",
            format!("a note has at most {} characters", limits::REASON_CHARS_MAX),
        ));
    }
    if row.expires_at <= ctx.now() {
        return Err(Error::precondition(
            "approval_expired",
            format!("approval {id} has expired; it must be asked for again"),
        ));
    }
    let requester = principals::Entity::find_by_id(row.requester_id).one(&*tx).await?;
    let requester = match requester {
        Some(row) => crate::principals::from_row(&*tx, row).await?,
        None => return Err(Error::internal("an approval without a requester")),
    };
    may_decide(&requester, &ctx.principal)
        .map_err(|why| Error::new(ErrorCode::Forbidden, why.to_string()).with_layer("approval"))?;
    let row = advance(&*tx, ctx, row, event, input.note).await?;
    tx.finish(ctx, id, View::from(row)).await
}

async fn advance(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: approvals::Model,
    event: ApprovalEvent,
    note: Option<String>,
) -> Result<approvals::Model> {
    let status = row
        .status
        .after(event)
        .map_err(|refusal| Error::precondition("approval_decided", refusal.to_string()))?;
    let (action, version) = (row.action_id, row.version);
    let is_decision = matches!(event, ApprovalEvent::Approved | ApprovalEvent::Rejected);
    let mut row = row.into_active_model();
    row.status = Set(status);
    if is_decision {
        row.decided_by = Set(Some(ctx.principal.id));
        row.decided_at = Set(Some(ctx.now()));
        row.decision_note = Set(note);
    }
    row.version = Set(version + 1);
    let row = row.update(tx).await?;
    events::record(
        tx,
        ctx,
        &format!("approval.{status}"),
        row.id,
        None,
        json!({ "operation": row.operation }),
    )
    .await?;
    if let Some(action) = action {
        jobs::enqueue(tx, &ctx.shop, jobs::Kind::ResumeAction, action, ctx.now()).await?;
    }
    Ok(row)
}

/// The order a subject belongs to.
pub(super) async fn order_of(tx: &impl ConnectionTrait, subject: &str) -> Result<OrderId> {
    let missing = || Error::not_found(subject);
    if let Ok(id) = subject.parse::<OrderId>() {
        return orders::Entity::find_by_id(id).one(tx).await?.map(|row| row.id).ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<ReturnId>() {
        return returns::Entity::find_by_id(id).one(tx).await?.map(|row| row.order_id).ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<ExchangeId>() {
        return exchanges::Entity::find_by_id(id).one(tx).await?.map(|row| row.order_id).ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<FulfillmentId>() {
        return fulfillments::Entity::find_by_id(id)
            .one(tx)
            .await?
            .map(|row| row.order_id)
            .ok_or_else(missing);
    }
    Err(Error::invalid(
        "/subject",
        "the subject is the id of an order, return, exchange, fulfillment, customer or store",
    ))
}
