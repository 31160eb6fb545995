use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::code::ErrorCode;
use shop_domain::ids::CouponId;
use shop_domain::status::PromotionStatus;
use shop_store::entities::{coupons, promotions};

use super::view::{Coupon, Price};
use crate::ctx::Ctx;
use crate::error::Result;
use crate::pricing::{self, Basket};

/// Coupons that are tried on one basket.
const COUPONS_MAX: u64 = 10;

/// The coupons that lower the price of a basket, and why the wished one is not among them.
pub(super) async fn coupons(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    basket: &Basket,
    wished: Option<CouponId>,
    holder: &str,
) -> Result<(Vec<Coupon>, Option<String>)> {
    let mut offered = Vec::new();
    for row in candidates(conn, basket).await? {
        if Some(row.id) != wished
            && let Ok(coupon) = try_on(ctx, conn, basket, row.id, holder).await?
        {
            offered.push(coupon);
        }
    }
    let mut refusal = None;
    if let Some(id) = wished {
        match try_on(ctx, conn, basket, id, holder).await? {
            Ok(coupon) => offered.insert(0, coupon),
            Err(why) => refusal = Some(why),
        }
    }
    Ok((offered, refusal))
}

/// Codes that are told to everybody or are this customer's own, of promotions that hold in this store. A code for one
/// use is a secret of whoever has it.
async fn candidates(conn: &impl ConnectionTrait, basket: &Basket) -> Result<Vec<coupons::Model>> {
    let holds = promotions::Entity::find()
        .filter(promotions::Column::Status.eq(PromotionStatus::Active))
        .filter(promotions::Column::StoreId.is_null().or(promotions::Column::StoreId.eq(basket.store_id)))
        .all(conn)
        .await?;
    let ids = holds.into_iter().map(|promotion| promotion.id);
    let shared = coupons::Column::UsageLimit.is_null().or(coupons::Column::UsageLimit.gt(1));
    let shared = coupons::Column::CustomerId.is_null().and(shared);
    let own = shared.or(coupons::Column::CustomerId.eq(basket.customer_id));
    Ok(coupons::Entity::find()
        .filter(coupons::Column::PromotionId.is_in(ids))
        .filter(own)
        // A personal code comes before those for everybody.
        .order_by_desc(coupons::Column::CustomerId)
        .order_by_asc(coupons::Column::Code)
        .limit(COUPONS_MAX)
        .all(conn)
        .await?)
}

/// What the basket costs with a coupon, or why it cannot be used on it.
async fn try_on(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    basket: &Basket,
    id: CouponId,
    holder: &str,
) -> Result<std::result::Result<Coupon, String>> {
    let with = Basket { coupon_id: Some(id), ..basket.clone() };
    let priced = match pricing::price_held(ctx, conn, &with, Some(holder)).await {
        Ok(priced) => priced,
        Err(error) if error.code == ErrorCode::CouponInvalid => return Ok(Err(error.detail)),
        Err(error) => return Err(error),
    };
    let price = Price::from(&priced.totals);
    let own = priced.promotions.iter().find(|applied| applied.coupon_id == Some(id));
    let gives = own.map_or(0, |applied| applied.discount_minor);
    Ok(match priced.coupon {
        Some((coupon, promotion)) if gives > 0 => {
            Ok(Coupon { id: coupon.id, code: coupon.code, label: promotion.name, price })
        }
        Some((coupon, promotion)) => Err(format!(
            "coupon {} takes nothing off this basket; it needs a subtotal of at least {}",
            coupon.code, promotion.min_subtotal_minor
        )),
        None => Err(format!("there is no coupon {id}")),
    })
}
