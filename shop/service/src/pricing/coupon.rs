use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CouponId, CustomerId};
use shop_domain::promotions::Refusal;
use shop_store::entities::{coupons, promotions as rows, stores};

use crate::error::{Error, Result};
use crate::{Ctx, inventory, promotions};

/// A coupon by its code, with its promotion; whether it can be used is another question.
pub(crate) async fn find_coupon(
    conn: &impl ConnectionTrait,
    code: &str,
) -> Result<(coupons::Model, rows::Model)> {
    let coupon = coupons::Entity::find()
        .filter(coupons::Column::Code.eq(code.trim().to_uppercase()))
        .one(conn)
        .await?;
    let coupon =
        coupon.ok_or_else(|| Error::new(ErrorCode::CouponInvalid, format!("there is no coupon {code}")))?;
    with_promotion(conn, coupon).await
}

/// A coupon that this customer can use now in this store.
pub(super) async fn by_id(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: CouponId,
    store: &stores::Model,
    customer: Option<CustomerId>,
    holder: Option<&str>,
) -> Result<(coupons::Model, rows::Model)> {
    let coupon = coupons::Entity::find_by_id(id).one(conn).await?;
    let coupon =
        coupon.ok_or_else(|| Error::new(ErrorCode::CouponInvalid, format!("there is no coupon {id}")))?;
    let (coupon, promotion) = with_promotion(conn, coupon).await?;
    must_be_usable(ctx, conn, (&coupon, &promotion), store, customer, holder).await?;
    Ok((coupon, promotion))
}

/// Refuses a coupon that this customer cannot use now in this store. A use that is held for this very basket does
/// not stand in its way.
pub(crate) async fn must_be_usable(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    (coupon, promotion): (&coupons::Model, &rows::Model),
    store: &stores::Model,
    customer: Option<CustomerId>,
    holder: Option<&str>,
) -> Result<()> {
    let mut free = coupon.clone();
    if let Some(holder) = holder {
        free.used -= inventory::held_uses(conn, holder, coupon.id).await?;
    }
    usable(ctx, &free, promotion, customer)
        .and_then(|()| valid_in(promotion, store))
        .map_err(|why| Error::new(ErrorCode::CouponInvalid, format!("coupon {} {why}", coupon.code)))
}

fn valid_in(promotion: &rows::Model, store: &stores::Model) -> std::result::Result<(), String> {
    match promotion.store_id {
        Some(own) if own != store.id => Err("is for another store".to_owned()),
        Some(_) | None => Ok(()),
    }
}

async fn with_promotion(
    conn: &impl ConnectionTrait,
    coupon: coupons::Model,
) -> Result<(coupons::Model, rows::Model)> {
    let promotion = rows::Entity::find_by_id(coupon.promotion_id).one(conn).await?;
    Ok((coupon, promotion.ok_or_else(|| Error::internal("a coupon without a promotion"))?))
}

/// Whether a code works now, and for whom; uses that are held count as used.
pub(crate) fn usable(
    ctx: &Ctx,
    coupon: &coupons::Model,
    promotion: &rows::Model,
    customer: Option<CustomerId>,
) -> std::result::Result<(), String> {
    promotions::terms(promotion).hold(ctx.now()).map_err(|refusal| refusal.to_string())?;
    if coupon.expires_at.is_some_and(|end| end <= ctx.now()) {
        return Err(Refusal::Over.to_string());
    }
    if coupon.usage_limit.is_some_and(|limit| coupon.used >= limit) {
        return Err("is used up".to_owned());
    }
    if coupon.customer_id.is_some() && coupon.customer_id != customer {
        return Err("is for another customer".to_owned());
    }
    Ok(())
}

/// Uses a coupon once; one conditional update, so the last use goes to one order only.
pub(crate) async fn take_use(tx: &impl ConnectionTrait, id: CouponId) -> Result<()> {
    let changed = coupons::Entity::update_many()
        .col_expr(coupons::Column::Used, Expr::col(coupons::Column::Used).add(1))
        .filter(coupons::Column::Id.eq(id))
        .filter(
            coupons::Column::UsageLimit
                .is_null()
                .or(Expr::col(coupons::Column::Used).lt(Expr::col(coupons::Column::UsageLimit))),
        )
        .exec(tx)
        .await?;
    if changed.rows_affected == 1 {
        return Ok(());
    }
    Err(Error::new(ErrorCode::CouponInvalid, "the coupon is used up"))
}

/// Gives a use back.
pub(crate) async fn release_use(tx: &impl ConnectionTrait, id: CouponId) -> Result<()> {
    coupons::Entity::update_many()
        .col_expr(coupons::Column::Used, Expr::col(coupons::Column::Used).sub(1))
        .filter(coupons::Column::Id.eq(id))
        .filter(coupons::Column::Used.gt(0))
        .exec(tx)
        .await?;
    Ok(())
}
