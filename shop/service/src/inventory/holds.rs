//! What is held for somebody until they decide: stock, and a use of a coupon.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use shop_domain::ids::{CouponId, ReservationId, VariantId};
use shop_domain::operations::operation;
use shop_domain::status::ReservationStatus;
use shop_store::entities::{holds, variants};

use super::stock::{held_by, release, release_due, reserve};
use super::view::View;
use crate::error::{Error, Result};
use crate::shop::Shop;
use crate::{Ctx, jobs, pricing};

/// The kind of a hold on a coupon; its subject is the coupon's id.
const COUPON: &str = "coupon";

/// What somebody wants to be held.
#[derive(Clone, Debug)]
pub struct Hold {
    /// For whom: the id of an action or a cart.
    pub holder: String,
    pub lines: Vec<(VariantId, i64)>,
    pub coupon_id: Option<CouponId>,
    /// When all of it goes back by itself; only by [`release_holder`] when `None`.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Holds stock and a use of a coupon, in place of whatever the holder held before: safe to repeat.
///
/// # Errors
/// When there are not enough units or uses; then the holder keeps what it had.
pub async fn hold(ctx: &Ctx, input: Hold) -> Result<Vec<View>> {
    ctx.may(operation("create_reservation"))?;
    let tx = ctx.begin().await?;
    release(&*tx, &input.holder, ReservationStatus::Released).await?;
    release_uses(&*tx, &input.holder, None).await?;
    let ids = input.lines.iter().map(|(id, _)| *id);
    let found = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(&*tx).await?;
    let mut held = Vec::with_capacity(input.lines.len());
    for (at, (id, quantity)) in input.lines.iter().enumerate() {
        pricing::check_quantity(*quantity, &format!("/items/{at}/quantity"))?;
        let variant = found.iter().find(|variant| variant.id == *id);
        let variant = variant.ok_or_else(|| Error::not_found(format!("variant {id}")))?;
        held.extend(reserve(&*tx, ctx, variant, *quantity, &input.holder, input.expires_at).await?);
    }
    if let Some(coupon) = input.coupon_id {
        pricing::take_use(&*tx, coupon).await?;
        let row = holds::ActiveModel {
            id: Set(ctx.id(ReservationId::new)),
            kind: Set(COUPON.to_owned()),
            subject: Set(coupon.to_string()),
            amount: Set(1),
            holder: Set(input.holder.clone()),
            status: Set(ReservationStatus::Active),
            expires_at: Set(input.expires_at),
            created_at: Set(ctx.now()),
        };
        row.insert(&*tx).await?;
    }
    schedule_expiry(&*tx, &ctx.shop, &input.holder).await?;
    tx.commit().await?;
    Ok(held.into_iter().map(View::from).collect())
}

/// Gives back everything that is held for somebody; safe to repeat.
///
/// # Errors
/// When the database does not answer.
pub async fn release_holder(ctx: &Ctx, holder: &str) -> Result<()> {
    ctx.may(operation("release_reservation"))?;
    let tx = ctx.begin().await?;
    release(&*tx, holder, ReservationStatus::Released).await?;
    release_uses(&*tx, holder, None).await?;
    tx.commit().await
}

/// Gives back what somebody held for too long: the work of a job of kind `ExpireHolds`.
///
/// # Errors
/// When the database does not answer.
pub async fn expire(shop: &Arc<Shop>, holder: &str) -> Result<jobs::Next> {
    let now = shop.world.clock.now();
    let tx = shop.db.begin().await?;
    release_due(&*tx, holder, now).await?;
    release_uses(&*tx, holder, Some(now)).await?;
    let next = next_expiry(&*tx, holder).await?;
    tx.commit().await?;
    Ok(next.map_or(jobs::Next::Done, jobs::Next::Again))
}

/// Sees to it that [`expire`] runs when the first of a holder's things is due.
pub(super) async fn schedule_expiry(tx: &impl ConnectionTrait, shop: &Shop, holder: &str) -> Result<()> {
    match next_expiry(tx, holder).await? {
        Some(at) => jobs::enqueue(tx, shop, jobs::Kind::ExpireHolds, holder, at).await,
        None => Ok(()),
    }
}

async fn next_expiry(tx: &impl ConnectionTrait, holder: &str) -> Result<Option<DateTime<Utc>>> {
    let stock = held_by(tx, holder).await?.into_iter().filter_map(|row| row.expires_at);
    let uses = uses_of(tx, holder).await?.into_iter().filter_map(|row| row.expires_at);
    Ok(stock.chain(uses).min())
}

/// Uses of a coupon that somebody holds.
pub(crate) async fn held_uses(conn: &impl ConnectionTrait, holder: &str, coupon: CouponId) -> Result<i64> {
    let subject = coupon.to_string();
    let rows = uses_of(conn, holder).await?;
    Ok(rows.iter().filter(|row| row.subject == subject).map(|row| row.amount).sum())
}

/// Hands a held use over to the order that is being placed; whether there was one.
pub(crate) async fn spend_use(tx: &impl ConnectionTrait, holder: &str, coupon: CouponId) -> Result<bool> {
    let subject = coupon.to_string();
    let held = uses_of(tx, holder).await?.into_iter().find(|row| row.subject == subject);
    let Some(row) = held else { return Ok(false) };
    close(tx, row, ReservationStatus::Consumed).await?;
    Ok(true)
}

/// Gives back uses: those that are due at a time, or all.
async fn release_uses(tx: &impl ConnectionTrait, holder: &str, due_at: Option<DateTime<Utc>>) -> Result<()> {
    for row in uses_of(tx, holder).await? {
        let is_due = |now| row.expires_at.is_some_and(|at| at <= now);
        if !due_at.is_none_or(is_due) {
            continue;
        }
        let coupon = row.subject.parse().map_err(|_| Error::internal("a hold on no coupon"))?;
        pricing::release_use(tx, coupon).await?;
        let status = due_at.map_or(ReservationStatus::Released, |_| ReservationStatus::Expired);
        close(tx, row, status).await?;
    }
    Ok(())
}

async fn uses_of(conn: &impl ConnectionTrait, holder: &str) -> Result<Vec<holds::Model>> {
    let rows = holds::Entity::find()
        .filter(holds::Column::Holder.eq(holder))
        .filter(holds::Column::Kind.eq(COUPON))
        .filter(holds::Column::Status.eq(ReservationStatus::Active));
    Ok(rows.all(conn).await?)
}

async fn close(tx: &impl ConnectionTrait, row: holds::Model, status: ReservationStatus) -> Result<()> {
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.update(tx).await?;
    Ok(())
}
