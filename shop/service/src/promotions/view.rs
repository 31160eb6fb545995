use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CollectionId, CouponId, CustomerId, PromotionId, StoreId};
use shop_domain::status::PromotionStatus;
use shop_domain::totals::DiscountKind;
use shop_store::entities::{coupons, promotions};

use super::offer::{self, discount_kind};
use crate::error::Result;

/// A rule that lowers prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Promotion)]
pub struct View {
    pub id: PromotionId,
    /// The one store it holds in; every store when null.
    pub store_id: Option<StoreId>,
    #[schema(example = "A tenth off")]
    pub name: String,
    /// What it gives.
    pub gives: DiscountKind,
    /// Whether it applies by itself. Otherwise a code switches it on.
    pub is_automatic: bool,
    /// Only for the products of this collection; for all when null.
    pub collection_id: Option<CollectionId>,
    /// From this subtotal of its products on, in minor units.
    pub min_subtotal_minor: i64,
    pub status: PromotionStatus,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    /// How many codes switch it on.
    pub coupons: i64,
    /// How many orders may use it; any number when null.
    pub usage_limit: Option<i64>,
    /// How many orders use it; cancelled ones do not count.
    pub used: i64,
    /// What it may take off in all, in minor units; any amount when null.
    pub budget_minor: Option<i64>,
    /// What it took off orders that were not cancelled, in minor units.
    pub spent_minor: i64,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// A code that switches a promotion on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Coupon)]
pub struct Coupon {
    pub id: CouponId,
    #[schema(example = "SPRING-7QXK-93MD")]
    pub code: String,
    /// The one customer it is for; everybody when null.
    pub customer_id: Option<CustomerId>,
    /// How many orders may use it; any number when null.
    pub usage_limit: Option<i64>,
    /// How often it was used, uses that are held included.
    pub used: i64,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Codes that were made together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Coupons)]
pub struct Coupons {
    pub promotion_id: PromotionId,
    #[schema(max_items = 500)]
    pub coupons: Vec<Coupon>,
}

/// What one promotion takes off a basket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AppliedPromotion)]
pub struct Applied {
    pub promotion_id: PromotionId,
    #[schema(example = "A tenth off")]
    pub name: String,
    /// The coupon that switched it on; null where it applies by itself.
    pub coupon_id: Option<CouponId>,
    /// In minor units, shipping included.
    #[schema(example = 398)]
    pub discount_minor: i64,
}

impl View {
    pub(super) fn new(row: promotions::Model, coupons: i64) -> Result<Self> {
        Ok(Self {
            gives: discount_kind(&row)?,
            id: row.id,
            store_id: row.store_id,
            name: row.name,
            is_automatic: row.is_automatic,
            collection_id: row.collection_id,
            min_subtotal_minor: row.min_subtotal_minor,
            status: row.status,
            starts_at: row.starts_at,
            ends_at: row.ends_at,
            coupons,
            usage_limit: row.usage_limit,
            used: row.used,
            budget_minor: row.budget_minor,
            spent_minor: row.spent_minor,
            version: row.version,
        })
    }
}

impl From<coupons::Model> for Coupon {
    fn from(row: coupons::Model) -> Self {
        Self {
            id: row.id,
            code: row.code,
            customer_id: row.customer_id,
            usage_limit: row.usage_limit,
            used: row.used,
            expires_at: row.expires_at,
        }
    }
}

impl From<offer::Applied> for Applied {
    fn from(applied: offer::Applied) -> Self {
        Self {
            promotion_id: applied.promotion.id,
            name: applied.promotion.name,
            coupon_id: applied.coupon_id,
            discount_minor: applied.discount_minor,
        }
    }
}
