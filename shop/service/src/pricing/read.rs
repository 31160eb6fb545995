use std::collections::HashMap;

use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::code::ErrorCode;
use shop_domain::governance::Role;
use shop_domain::ids::{PromotionId, TaxRateId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::PromotionStatus;
use shop_store::entities::{coupons, promotions, tax_rates};

use super::coupon::{discount_kind, find_coupon, usable};
use super::input::{CouponQuery, PromotionFilter, TaxRateFilter};
use super::quote::buyer;
use super::view::{CouponCheck, Promotion, TaxRate};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, stores};

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
        reason: verdict.err().map(str::to_owned),
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

/// Promotions, oldest first. Shoppers see those that hold now.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_promotions(ctx: &Ctx, filter: PromotionFilter, page: PageQuery) -> Result<Page<Promotion>> {
    ctx.may(operation("list_promotions"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let everywhere = promotions::Column::StoreId.is_null();
    let mut query = promotions::Entity::find()
        .filter(Condition::any().add(everywhere.clone()).add(promotions::Column::StoreId.in_subquery(own)));
    if ctx.principal.role == Role::Shopper {
        let (starts, ends) = (promotions::Column::StartsAt, promotions::Column::EndsAt);
        query = query
            .filter(promotions::Column::Status.eq(PromotionStatus::Active))
            .filter(Condition::any().add(starts.is_null()).add(starts.lte(ctx.now())))
            .filter(Condition::any().add(ends.is_null()).add(ends.gt(ctx.now())));
    }
    if let Some(status) = filter.status {
        query = query.filter(promotions::Column::Status.eq(status));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(Condition::any().add(everywhere).add(promotions::Column::StoreId.eq(store)));
    }
    if let Some(after) = page.after::<PromotionId>()? {
        query = query.filter(promotions::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(promotions::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let usage = usage(ctx, page.items.iter().map(|row| row.id).collect()).await?;
    let Page { items, has_more, next_cursor } = page.map(|row| {
        let (codes, used) = usage.get(&row.id).copied().unwrap_or_default();
        Promotion::new(row, codes, used)
    });
    Ok(Page { items: items.into_iter().collect::<Result<_>>()?, has_more, next_cursor })
}

/// Codes and uses of each promotion, counted by the database: a promotion may have very many codes.
async fn usage(ctx: &Ctx, ids: Vec<PromotionId>) -> Result<HashMap<PromotionId, (i64, i64)>> {
    let rows: Vec<(PromotionId, i64, i64)> = coupons::Entity::find()
        .select_only()
        .column(coupons::Column::PromotionId)
        .column_as(coupons::Column::Id.count(), "codes")
        .column_as(coupons::Column::Used.sum().cast_as("BIGINT"), "used")
        .filter(coupons::Column::PromotionId.is_in(ids))
        .group_by(coupons::Column::PromotionId)
        .into_tuple()
        .all(ctx.read()?)
        .await?;
    Ok(rows.into_iter().map(|(id, codes, used)| (id, (codes, used))).collect())
}

/// Tax rates, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_tax_rates(ctx: &Ctx, filter: TaxRateFilter, page: PageQuery) -> Result<Page<TaxRate>> {
    ctx.may(operation("list_tax_rates"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let mut query = tax_rates::Entity::find().filter(tax_rates::Column::StoreId.in_subquery(own));
    if let Some(store) = filter.store_id {
        query = query.filter(tax_rates::Column::StoreId.eq(store));
    }
    if let Some(country) = filter.country {
        query = query.filter(tax_rates::Column::Country.eq(country));
    }
    if let Some(category) = filter.category {
        query = query.filter(tax_rates::Column::Category.eq(category));
    }
    if let Some(after) = page.after::<TaxRateId>()? {
        query = query.filter(tax_rates::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(tax_rates::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(TaxRate::from))
}
