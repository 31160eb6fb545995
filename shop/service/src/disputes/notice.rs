//! What the gateway says of disputes, written down once.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::disputes::DisputeEvent;
use shop_domain::ids::{DisputeId, PaymentId};
use shop_domain::ledger::{dispute_lost, dispute_opened, dispute_won};
use shop_domain::status::DisputeStatus;
use shop_gateway::{Lookup, wire};
use shop_store::entities::{disputes, payments};

use crate::error::{Error, Result};
use crate::jobs::{self, Next, backoff};
use crate::{Ctx, events, ledger};

/// Disputes in one request.
const PAGE: u32 = 100;
/// How often an open dispute is looked at.
const WATCH_HOURS: i64 = 24;

/// Books what the gateway has opened and decided. A gateway that does not answer has told nothing, which is no error:
/// what is known is known.
///
/// # Errors
/// When the database does not answer.
pub async fn catch_up(ctx: &Ctx) -> Result<()> {
    let mut after = 0;
    loop {
        let Lookup::Found(page) = ctx.gateway()?.disputed(after, PAGE).await else { return Ok(()) };
        for payment in &page.data {
            notice(ctx, payment).await?;
        }
        match page.next_after {
            Some(seq) => after = seq,
            None => return Ok(()),
        }
    }
}

/// Looks whether a payment is disputed, and again until that is decided: the work of a job of kind `WatchDispute`.
///
/// # Errors
/// When the database does not answer.
pub async fn watch(ctx: &Ctx, id: PaymentId) -> Result<Next> {
    let payment = payments::Entity::find_by_id(id).one(ctx.read()?).await?;
    let Some(charge) = payment.and_then(|payment| payment.charge_id) else { return Ok(Next::Done) };
    match ctx.gateway()?.lookup(&charge).await {
        Lookup::Found(found) => notice(ctx, &found).await?,
        Lookup::NotFound | Lookup::Unavailable => return Ok(Next::Again(ctx.now() + backoff(4))),
    }
    let open = disputes::Entity::find()
        .filter(disputes::Column::PaymentId.eq(id))
        .filter(disputes::Column::ClosedAt.is_null());
    let is_open = open.one(ctx.read()?).await?.is_some();
    let next = ctx.now() + chrono::TimeDelta::hours(WATCH_HOURS);
    Ok(if is_open { Next::Again(next) } else { Next::Done })
}

/// Books what the gateway says of one payment's dispute, if there is one and anything of it is new.
///
/// # Errors
/// When the database does not answer.
pub(crate) async fn notice(ctx: &Ctx, told: &wire::Payment) -> Result<()> {
    let Some(dispute) = &told.dispute else { return Ok(()) };
    if is_known(ctx.read()?, dispute).await? {
        return Ok(());
    }
    let tx = ctx.begin().await?;
    let of_charge = payments::Entity::find().filter(payments::Column::ChargeId.eq(&told.id));
    // A charge that the gateway made on its own is nobody's; reconciliation finds it.
    let Some(payment) = of_charge.one(&*tx).await? else { return Ok(()) };
    let row = match by_ref(&*tx, &dispute.id).await? {
        Some(row) => row,
        None => open(&*tx, ctx, &payment, dispute).await?,
    };
    follow(&*tx, ctx, &payment, row, dispute).await?;
    tx.commit().await
}

async fn is_known(conn: &impl ConnectionTrait, dispute: &wire::Dispute) -> Result<bool> {
    let row = by_ref(conn, &dispute.id).await?;
    Ok(row.is_some_and(|row| match dispute.status {
        wire::DisputeStatus::NeedsResponse => true,
        wire::DisputeStatus::UnderReview => row.status != DisputeStatus::Open,
        wire::DisputeStatus::Won | wire::DisputeStatus::Lost => row.closed_at.is_some(),
    }))
}

async fn by_ref(conn: &impl ConnectionTrait, gateway_ref: &str) -> Result<Option<disputes::Model>> {
    Ok(disputes::Entity::find().filter(disputes::Column::GatewayRef.eq(gateway_ref)).one(conn).await?)
}

async fn open(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
    told: &wire::Dispute,
) -> Result<disputes::Model> {
    let row = disputes::ActiveModel {
        id: Set(ctx.id(DisputeId::new)),
        order_id: Set(payment.order_id),
        payment_id: Set(payment.id),
        gateway_ref: Set(told.id.clone()),
        amount_minor: Set(told.amount_minor),
        currency: Set(payment.currency),
        status: Set(DisputeStatus::Open),
        evidence: Set(None),
        due_at: Set(told.due_at),
        opened_at: Set(told.opened_at),
        closed_at: Set(None),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(tx).await?;
    let postings = dispute_opened(row.amount_minor)?;
    ledger::post(tx, ctx, &postings, ledger::Refs::payment(payment), "disputed").await?;
    let data = json!({ "amount_minor": row.amount_minor, "due_at": row.due_at });
    events::record(tx, ctx, "dispute.opened", row.id, Some(row.order_id), data).await?;
    jobs::enqueue(tx, &ctx.shop, jobs::Kind::WatchDispute, payment.id, row.due_at).await?;
    Ok(row)
}

/// Moves a dispute to where the gateway has it.
async fn follow(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
    mut row: disputes::Model,
    told: &wire::Dispute,
) -> Result<()> {
    let steps: &[DisputeEvent] = match told.status {
        wire::DisputeStatus::NeedsResponse => &[],
        wire::DisputeStatus::UnderReview => &[DisputeEvent::EvidenceSent],
        wire::DisputeStatus::Won => &[DisputeEvent::EvidenceSent, DisputeEvent::Won],
        wire::DisputeStatus::Lost => &[DisputeEvent::Lost],
    };
    for event in steps {
        row = advance(tx, ctx, payment, row, *event).await?;
    }
    Ok(())
}

/// One step of a dispute with its postings, if the step is possible: a step that was taken before is no news.
pub(super) async fn advance(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
    row: disputes::Model,
    event: DisputeEvent,
) -> Result<disputes::Model> {
    let Ok(status) = row.status.after(event) else { return Ok(row) };
    let (postings, memo) = match event {
        DisputeEvent::EvidenceSent => (Vec::new(), "dispute_contested"),
        DisputeEvent::Won => (dispute_won(row.amount_minor)?, "dispute_won"),
        DisputeEvent::Lost | DisputeEvent::Accepted => (dispute_lost(row.amount_minor)?, "dispute_lost"),
    };
    ledger::post(tx, ctx, &postings, ledger::Refs::payment(payment), memo).await?;
    let version = row.version + 1;
    let is_over = matches!(event, DisputeEvent::Won | DisputeEvent::Lost | DisputeEvent::Accepted);
    let mut changed = row.into_active_model();
    changed.status = Set(status);
    changed.closed_at = Set(is_over.then(|| ctx.now()));
    changed.updated_at = Set(ctx.now());
    changed.version = Set(version);
    let row = changed.update(tx).await?;
    let data = json!({ "amount_minor": row.amount_minor });
    events::record(tx, ctx, &format!("dispute.{event}"), row.id, Some(row.order_id), data).await?;
    Ok(row)
}

/// The payment a dispute is about.
pub(super) async fn payment_of(tx: &impl ConnectionTrait, row: &disputes::Model) -> Result<payments::Model> {
    let payment = payments::Entity::find_by_id(row.payment_id).one(tx).await?;
    payment.ok_or_else(|| Error::internal("a dispute without a payment"))
}
