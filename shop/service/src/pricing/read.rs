use shop_domain::code::ErrorCode;
use shop_domain::governance::Role;
use shop_domain::limits;
use shop_domain::operations::operation;

use super::coupon::{find_coupon, usable};
use super::input::CouponQuery;
use super::quote::buyer;
use super::view::CouponCheck;
use crate::Ctx;
use crate::error::{Error, Result};
use crate::promotions::discount_kind;

/// Whether a code can be used now, for whom, and what it gives.
///
/// # Errors
/// When there is no such code, or it is somebody else's.
pub async fn validate_coupon(ctx: &Ctx, code: &str, query: CouponQuery) -> Result<CouponCheck> {
    ctx.may(operation("validate_coupon"))?;
    if code.len() > limits::CODE_CHARS_MAX {
        return Err(Error::invalid(
            "/code",
            format!("a code has at most {} characters", limits::CODE_CHARS_MAX),
        ));
    }
    let conn = ctx.read()?;
    let customer = buyer(ctx, conn, query.customer_id).await?;
    let missing = || Error::not_found(format!("coupon {code}"));
    let is_unknown = |error: &Error| error.code == ErrorCode::CouponInvalid;
    let found = find_coupon(conn, code).await;
    let (coupon, promotion) = found.map_err(|error| if is_unknown(&error) { missing() } else { error })?;
    let is_anothers = coupon.customer_id.is_some() && coupon.customer_id != customer;
    if is_anothers && ctx.principal.role == Role::Shopper {
        return Err(missing());
    }
    let verdict = usable(ctx, &coupon, &promotion, customer);
    Ok(CouponCheck {
        is_usable: verdict.is_ok(),
        reason: verdict.err(),
        gives: discount_kind(&promotion)?,
        uses_left: coupon.usage_limit.map(|limit| Ord::max(limit - coupon.used, 0)),
        expires_at: [coupon.expires_at, promotion.ends_at].into_iter().flatten().min(),
        coupon_id: coupon.id,
        code: coupon.code,
        customer_id: coupon.customer_id,
        store_id: promotion.store_id,
        promotion_id: promotion.id,
        min_subtotal_minor: promotion.min_subtotal_minor,
    })
}
