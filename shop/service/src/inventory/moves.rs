//! Units that change their place: to where a parcel leaves from, and back on the shelf.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{LocationId, ReservationId, VariantId};
use shop_domain::status::ReservationStatus;
use shop_store::entities::{inventory_levels as levels, reservations, variants};

use super::stock::{give_back, held_by, shrink, take_free};
use crate::Ctx;
use crate::error::{Error, Result};

/// Where somebody's units lie: the location of the first of them.
pub(crate) async fn location_of(tx: &impl ConnectionTrait, holder: &str) -> Result<Option<LocationId>> {
    Ok(held_by(tx, holder).await?.first().map(|row| row.location_id))
}

/// Moves somebody's hold so that at least this many units lie at one location, from where one parcel can leave.
///
/// # Errors
/// `out_of_stock` when the location has too few free units to take over.
pub(crate) async fn gather(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    holder: &str,
    variant: VariantId,
    quantity: i64,
    at: LocationId,
) -> Result<()> {
    let held: Vec<_> =
        held_by(tx, holder).await?.into_iter().filter(|row| row.variant_id == variant).collect();
    let (here, elsewhere): (Vec<_>, Vec<_>) = held.into_iter().partition(|row| row.location_id == at);
    let mut missing = quantity - here.iter().map(|row| row.quantity).sum::<i64>();
    for row in elsewhere {
        let units = Ord::min(missing, row.quantity);
        if units <= 0 {
            break;
        }
        missing -= units;
        if !take_free(tx, variant, at, units).await? {
            return Err(Error::new(
                ErrorCode::OutOfStock,
                format!(
                    "location {at} has too few free units of variant {variant}; make one parcel per location"
                ),
            )
            .with_rule("stock_is_elsewhere"));
        }
        give_back(tx, variant, row.location_id, units).await?;
        shrink(tx, row, units, ReservationStatus::Released).await?;
        let moved = reservations::ActiveModel {
            id: Set(ctx.id(ReservationId::new)),
            variant_id: Set(variant),
            location_id: Set(at),
            quantity: Set(units),
            holder: Set(holder.to_owned()),
            status: Set(ReservationStatus::Active),
            expires_at: Set(None),
            created_at: Set(ctx.now()),
        };
        moved.insert(tx).await?;
    }
    Ok(())
}

/// Takes free units off the shelf of a location; whether there were enough that nobody holds.
pub(super) async fn take_off(
    tx: &impl ConnectionTrait,
    variant: VariantId,
    at: LocationId,
    units: i64,
) -> Result<bool> {
    let taken = levels::Entity::update_many()
        .col_expr(levels::Column::OnHand, Expr::col(levels::Column::OnHand).sub(units))
        .col_expr(levels::Column::Version, Expr::col(levels::Column::Version).add(1))
        .filter(levels::Column::VariantId.eq(variant))
        .filter(levels::Column::LocationId.eq(at))
        .filter(Expr::col(levels::Column::OnHand).sub(Expr::col(levels::Column::Reserved)).gte(units))
        .exec(tx)
        .await?;
    Ok(taken.rows_affected == 1)
}

/// Puts units on the shelf of a location.
pub(crate) async fn put_back(
    tx: &impl ConnectionTrait,
    variant: VariantId,
    at: LocationId,
    units: i64,
) -> Result<()> {
    let row = variants::Entity::find_by_id(variant).one(tx).await?;
    if !row.ok_or_else(|| Error::internal("a variant has vanished"))?.is_tracked {
        return Ok(());
    }
    let changed = levels::Entity::update_many()
        .col_expr(levels::Column::OnHand, Expr::col(levels::Column::OnHand).add(units))
        .col_expr(levels::Column::Version, Expr::col(levels::Column::Version).add(1))
        .filter(levels::Column::VariantId.eq(variant))
        .filter(levels::Column::LocationId.eq(at))
        .exec(tx)
        .await?;
    if changed.rows_affected == 0 {
        let first = levels::ActiveModel {
            variant_id: Set(variant),
            location_id: Set(at),
            on_hand: Set(units),
            reserved: Set(0),
            version: Set(1),
        };
        first.insert(tx).await?;
    }
    Ok(())
}
