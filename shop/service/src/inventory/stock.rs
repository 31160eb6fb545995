use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{LocationId, ReservationId, VariantId};
use shop_domain::status::ReservationStatus;
use shop_store::entities::{inventory_levels as levels, reservations, variants};

use crate::Ctx;
use crate::error::{Error, Result};

/// Units of a variant that nobody holds; `None` when its stock is not counted.
pub(crate) async fn available(conn: &impl ConnectionTrait, variant: &variants::Model) -> Result<Option<i64>> {
    if !variant.is_tracked {
        return Ok(None);
    }
    let rows = levels::Entity::find().filter(levels::Column::VariantId.eq(variant.id)).all(conn).await?;
    Ok(Some(rows.iter().map(|level| level.on_hand - level.reserved).sum()))
}

/// Holds units for somebody, at the location that has most of them free.
///
/// # Errors
/// `out_of_stock`, with how many there are.
pub(crate) async fn reserve(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    variant: &variants::Model,
    quantity: i64,
    holder: &str,
    expires_at: Option<DateTime<Utc>>,
) -> Result<Option<reservations::Model>> {
    if !variant.is_tracked {
        return Ok(None);
    }
    let mut rows = levels::Entity::find()
        .filter(levels::Column::VariantId.eq(variant.id))
        .order_by_asc(levels::Column::LocationId)
        .all(tx)
        .await?;
    rows.sort_by_key(|level| level.reserved - level.on_hand);
    let free: i64 = rows.iter().map(|level| level.on_hand - level.reserved).sum();
    let Some(best) = rows.first() else { return Err(out_of_stock(variant, 0)) };
    if !take_free(tx, variant.id, best.location_id, quantity).await? {
        return Err(out_of_stock(variant, free));
    }
    let row = reservations::ActiveModel {
        id: Set(ctx.id(ReservationId::new)),
        variant_id: Set(variant.id),
        location_id: Set(best.location_id),
        quantity: Set(quantity),
        holder: Set(holder.to_owned()),
        status: Set(ReservationStatus::Active),
        expires_at: Set(expires_at),
        created_at: Set(ctx.now()),
    };
    Ok(Some(row.insert(tx).await?))
}

/// One conditional update: two callers can never take the same unit.
pub(super) async fn take_free(
    tx: &impl ConnectionTrait,
    variant: VariantId,
    location: LocationId,
    quantity: i64,
) -> Result<bool> {
    let taken = levels::Entity::update_many()
        .col_expr(levels::Column::Reserved, Expr::col(levels::Column::Reserved).add(quantity))
        .filter(levels::Column::VariantId.eq(variant))
        .filter(levels::Column::LocationId.eq(location))
        .filter(Expr::col(levels::Column::OnHand).sub(Expr::col(levels::Column::Reserved)).gte(quantity))
        .exec(tx)
        .await?;
    Ok(taken.rows_affected == 1)
}

fn out_of_stock(variant: &variants::Model, free: i64) -> Error {
    Error::new(
        ErrorCode::OutOfStock,
        format!("{} ({}) has {free} units left; ask for fewer or another variant", variant.title, variant.id),
    )
}

/// Gives back everything somebody still holds; returns how many units.
pub(crate) async fn release(
    tx: &impl ConnectionTrait,
    holder: &str,
    status: ReservationStatus,
) -> Result<i64> {
    let mut units = 0;
    for row in held_by(tx, holder).await? {
        units += row.quantity;
        end(tx, row, status).await?;
    }
    Ok(units)
}

/// Gives back what somebody held for too long.
pub(super) async fn release_due(tx: &impl ConnectionTrait, holder: &str, now: DateTime<Utc>) -> Result<()> {
    for row in held_by(tx, holder).await? {
        if row.expires_at.is_some_and(|at| at <= now) {
            end(tx, row, ReservationStatus::Expired).await?;
        }
    }
    Ok(())
}

/// Gives back the units of one reservation.
pub(super) async fn end(
    tx: &impl ConnectionTrait,
    row: reservations::Model,
    status: ReservationStatus,
) -> Result<reservations::Model> {
    give_back(tx, row.variant_id, row.location_id, row.quantity).await?;
    let mut row = row.into_active_model();
    row.status = Set(status);
    Ok(row.update(tx).await?)
}

/// Gives back what somebody holds of a variant above what they need.
pub(crate) async fn keep_at_most(
    tx: &impl ConnectionTrait,
    holder: &str,
    variant: VariantId,
    quantity: i64,
) -> Result<()> {
    let held: i64 = held_by(tx, holder)
        .await?
        .iter()
        .filter(|row| row.variant_id == variant)
        .map(|row| row.quantity)
        .sum();
    restock(tx, holder, variant, Ord::max(held - quantity, 0)).await
}

/// Hands what one holder has over to another, such as an action's hold to its order.
pub(crate) async fn consume(
    tx: &impl ConnectionTrait,
    holder: &str,
    new_holder: &str,
) -> Result<Vec<reservations::Model>> {
    let rows = held_by(tx, holder).await?;
    for row in &rows {
        let mut row = row.clone().into_active_model();
        row.holder = Set(new_holder.to_owned());
        row.expires_at = Set(None);
        row.update(tx).await?;
    }
    Ok(rows)
}

/// Gives back some units of one variant that somebody holds.
pub(crate) async fn restock(
    tx: &impl ConnectionTrait,
    holder: &str,
    variant: VariantId,
    quantity: i64,
) -> Result<()> {
    let mut left = quantity;
    for row in held_by(tx, holder).await? {
        if row.variant_id != variant || left == 0 {
            continue;
        }
        let units = Ord::min(left, row.quantity);
        left -= units;
        give_back(tx, row.variant_id, row.location_id, units).await?;
        shrink(tx, row, units, ReservationStatus::Released).await?;
    }
    Ok(())
}

/// Takes held units off the shelf of one location: they leave the building.
pub(crate) async fn ship(
    tx: &impl ConnectionTrait,
    holder: &str,
    variant: VariantId,
    location: LocationId,
    quantity: i64,
) -> Result<()> {
    let mut left = quantity;
    for row in held_by(tx, holder).await? {
        if row.variant_id != variant || row.location_id != location || left == 0 {
            continue;
        }
        let units = Ord::min(left, row.quantity);
        left -= units;
        levels::Entity::update_many()
            .col_expr(levels::Column::Reserved, Expr::col(levels::Column::Reserved).sub(units))
            .col_expr(levels::Column::OnHand, Expr::col(levels::Column::OnHand).sub(units))
            .col_expr(levels::Column::Version, Expr::col(levels::Column::Version).add(1))
            .filter(levels::Column::VariantId.eq(variant))
            .filter(levels::Column::LocationId.eq(row.location_id))
            .exec(tx)
            .await?;
        shrink(tx, row, units, ReservationStatus::Consumed).await?;
    }
    Ok(())
}

/// What somebody holds now.
pub(crate) async fn held_by(tx: &impl ConnectionTrait, holder: &str) -> Result<Vec<reservations::Model>> {
    let rows = reservations::Entity::find()
        .filter(reservations::Column::Holder.eq(holder))
        .filter(reservations::Column::Status.eq(ReservationStatus::Active));
    Ok(rows.order_by_asc(reservations::Column::Id).all(tx).await?)
}

pub(super) async fn shrink(
    tx: &impl ConnectionTrait,
    row: reservations::Model,
    by: i64,
    when_empty: ReservationStatus,
) -> Result<()> {
    let left = row.quantity - by;
    let mut row = row.into_active_model();
    if left == 0 {
        row.status = Set(when_empty);
    } else {
        row.quantity = Set(left);
    }
    row.update(tx).await?;
    Ok(())
}

pub(super) async fn give_back(
    tx: &impl ConnectionTrait,
    variant: VariantId,
    location: LocationId,
    units: i64,
) -> Result<()> {
    levels::Entity::update_many()
        .col_expr(levels::Column::Reserved, Expr::col(levels::Column::Reserved).sub(units))
        .filter(levels::Column::VariantId.eq(variant))
        .filter(levels::Column::LocationId.eq(location))
        .exec(tx)
        .await?;
    Ok(())
}
