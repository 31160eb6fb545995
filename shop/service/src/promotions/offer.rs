//! Promotions as the domain's discounts on one basket.

use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CouponId, ProductId};
use shop_domain::limits;
use shop_domain::money::Bps;
use shop_domain::promotions::{PromotionKind, Refusal, Terms};
use shop_domain::status::PromotionStatus;
use shop_domain::totals::{self, Discount, DiscountKind, Totals};
use shop_store::entities::{coupons, promotions, stores};

use crate::error::{Error, Result};
use crate::{Ctx, collections};

/// A promotion that may lower the price of a basket.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    promotion: promotions::Model,
    coupon: Option<coupons::Model>,
    discount: Discount,
}

/// What a promotion took off a basket.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) promotion: promotions::Model,
    /// The code that switched it on; `None` where it applies by itself.
    pub(crate) coupon_id: Option<CouponId>,
    pub(crate) discount_minor: i64,
}

/// What decides whether a promotion holds.
pub(crate) fn terms(row: &promotions::Model) -> Terms {
    Terms {
        status: row.status,
        starts_at: row.starts_at,
        ends_at: row.ends_at,
        usage_limit: row.usage_limit,
        used: row.used,
        budget_minor: row.budget_minor,
        spent_minor: row.spent_minor,
    }
}

/// The promotions for products in a store: those that apply by themselves, oldest first, then that of the coupon.
pub(crate) async fn offers(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    coupon: Option<&(coupons::Model, promotions::Model)>,
    goods: &[ProductId],
) -> Result<Vec<Offer>> {
    let here = promotions::Column::StoreId.is_null().or(promotions::Column::StoreId.eq(store.id));
    let automatic = promotions::Entity::find()
        .filter(promotions::Column::IsAutomatic.eq(true))
        .filter(promotions::Column::Status.eq(PromotionStatus::Active))
        .filter(here)
        .order_by_asc(promotions::Column::Id)
        .all(conn)
        .await?;
    let automatic = automatic.into_iter().filter(|row| terms(row).hold(ctx.now()).is_ok());
    let mut offers = Vec::new();
    for promotion in automatic.take(limits::DISCOUNTS_MAX - 1) {
        let discount = discount_on(conn, &promotion, goods).await?;
        offers.push(Offer { promotion, coupon: None, discount });
    }
    if let Some((coupon, promotion)) = coupon {
        let discount = discount_on(conn, promotion, goods).await?;
        offers.push(Offer { promotion: promotion.clone(), coupon: Some(coupon.clone()), discount });
    }
    Ok(offers)
}

/// Prices a basket with the offers that their budgets can pay for whole.
///
/// # Errors
/// `coupon_invalid` when that of the coupon cannot.
pub(crate) fn price(basket: totals::Basket, mut offers: Vec<Offer>) -> Result<(Totals, Vec<Applied>)> {
    loop {
        let discounts = offers.iter().map(|offer| offer.discount.clone()).collect();
        let totals = totals::totals(&totals::Basket { discounts, ..basket.clone() })?;
        let given = offers.iter().zip(&totals.discounts_minor);
        let Some(at) = given.clone().position(|(offer, minor)| !terms(&offer.promotion).afford(*minor))
        else {
            let applied = given.filter(|(offer, minor)| offer.coupon.is_some() || **minor > 0);
            let applied = applied.map(|(offer, minor)| Applied {
                promotion: offer.promotion.clone(),
                coupon_id: offer.coupon.as_ref().map(|coupon| coupon.id),
                discount_minor: *minor,
            });
            return Ok((totals.clone(), applied.collect()));
        };
        if let Some(coupon) = offers.remove(at).coupon {
            let detail = format!("coupon {} {}", coupon.code, Refusal::BudgetSpent);
            return Err(Error::new(ErrorCode::CouponInvalid, detail));
        }
    }
}

/// A promotion as a discount on the lines with these products.
pub(crate) async fn discount_on(
    conn: &impl ConnectionTrait,
    promotion: &promotions::Model,
    goods: &[ProductId],
) -> Result<Discount> {
    let Some(collection) = promotion.collection_id else { return discount(promotion) };
    let members = collections::members_among(conn, collection, goods).await?;
    let lines = goods.iter().enumerate().filter(|(_, product)| members.contains(product));
    Ok(Discount { lines: Some(lines.map(|(at, _)| at).collect()), ..discount(promotion)? })
}

/// A promotion as a discount on everything.
///
/// # Errors
/// When its numbers are none of its kind.
pub fn discount(promotion: &promotions::Model) -> Result<Discount> {
    let kind = discount_kind(promotion)?;
    Ok(Discount { kind, lines: None, min_subtotal_minor: promotion.min_subtotal_minor })
}

/// What a promotion gives.
pub(crate) fn discount_kind(promotion: &promotions::Model) -> Result<DiscountKind> {
    let units = |n: i64| u32::try_from(n).map_err(|_| Error::internal("a promotion with negative units"));
    Ok(match promotion.kind {
        PromotionKind::Percentage => DiscountKind::Percentage { rate_bps: Bps(promotion.value) },
        PromotionKind::Fixed => DiscountKind::Fixed { amount_minor: promotion.value },
        PromotionKind::FreeShipping => DiscountKind::FreeShipping,
        PromotionKind::BuyXGetY => DiscountKind::BuyXGetY {
            buy: units(promotion.buy_quantity)?,
            get: units(promotion.get_quantity)?,
        },
    })
}
