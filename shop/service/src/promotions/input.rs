use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CollectionId, CustomerId, StoreId};
use shop_domain::limits;
use shop_domain::money::Bps;
use shop_domain::status::PromotionStatus;
use shop_domain::totals::DiscountKind;

use crate::error::{Error, Result};

/// A new promotion.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreatePromotion)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The store it holds in; your own when absent, and every store where you work for all of them.
    pub store_id: Option<StoreId>,
    #[schema(example = "A tenth off", min_length = 1, max_length = 120)]
    pub name: String,
    /// What it gives.
    pub gives: DiscountKind,
    /// Whether it applies by itself. Otherwise a code switches it on: `create_coupons`.
    #[serde(default)]
    pub is_automatic: bool,
    /// Only for the products of a collection; for all when absent.
    pub collection_id: Option<CollectionId>,
    /// From this subtotal of its products on, in minor units.
    #[serde(default)]
    #[schema(example = 5000, minimum = 0)]
    pub min_subtotal_minor: i64,
    /// How many orders may use it; any number when absent.
    #[schema(example = 100, minimum = 1)]
    pub usage_limit: Option<i64>,
    /// What it may take off in all, in minor units of the store's currency; any amount when absent.
    #[schema(example = 100_000, minimum = 1)]
    pub budget_minor: Option<i64>,
    /// From when; at once when absent.
    #[schema(example = "2026-02-01T00:00:00Z")]
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when; for good when absent.
    #[schema(example = "2026-03-01T00:00:00Z")]
    pub ends_at: Option<DateTime<Utc>>,
}

/// Changes to a promotion; what is absent stays. Orders that were placed keep their discount.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdatePromotion)]
#[serde(deny_unknown_fields)]
pub struct Update {
    #[schema(example = "A tenth off", min_length = 1, max_length = 120)]
    pub name: Option<String>,
    /// What it gives, of the same kind as before.
    pub gives: Option<DiscountKind>,
    /// From this subtotal of its products on, in minor units.
    #[schema(example = 5000, minimum = 0)]
    pub min_subtotal_minor: Option<i64>,
    /// How many orders may use it; not fewer than do already.
    #[schema(example = 100, minimum = 1)]
    pub usage_limit: Option<i64>,
    /// What it may take off in all, in minor units; not less than it took already.
    #[schema(example = 100_000, minimum = 1)]
    pub budget_minor: Option<i64>,
    /// From when.
    #[schema(example = "2026-02-01T00:00:00Z")]
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when.
    #[schema(example = "2026-03-01T00:00:00Z")]
    pub ends_at: Option<DateTime<Utc>>,
}

/// New codes of a promotion.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateCoupons)]
#[serde(deny_unknown_fields)]
pub struct CreateCoupons {
    pub codes: Codes,
    /// The one customer who may use them; whoever has one when absent.
    pub customer_id: Option<CustomerId>,
    /// Until when; as long as the promotion when absent.
    #[schema(example = "2026-03-01T00:00:00Z")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// Many codes for one use each, or one code for many.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CouponCodes)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum Codes {
    /// Codes that nobody can guess, each for one order.
    SingleUse {
        /// How many.
        #[schema(example = 50, minimum = 1, maximum = 500)]
        count: i64,
        /// What each begins with.
        #[schema(example = "SPRING", max_length = 32)]
        prefix: Option<String>,
    },
    /// One code that is told to everybody.
    Shared {
        /// Letters, digits and hyphens; upper and lower case are the same.
        #[schema(example = "SPRING10", min_length = 1, max_length = 64)]
        code: String,
        /// How many orders may use it; any number when absent.
        #[schema(example = 1000, minimum = 1)]
        usage_limit: Option<i64>,
    },
}

/// Which promotions to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state.
    pub status: Option<PromotionStatus>,
    /// Of one store; those that hold in every store included.
    pub store_id: Option<StoreId>,
}

/// A discount that gives something, and not more than there is.
pub(super) fn check_gives(gives: &DiscountKind) -> Result<()> {
    let units = 1..=limits::QUANTITY_MAX;
    match *gives {
        DiscountKind::Percentage { rate_bps } if !(Bps(1)..=Bps::WHOLE).contains(&rate_bps) => {
            Err(Error::invalid("/gives/rate_bps", "a rate is 1 to 10000 ten thousandths: 1000 is 10 %"))
        }
        DiscountKind::Fixed { amount_minor } => check_count(amount_minor, "/gives/amount_minor"),
        DiscountKind::BuyXGetY { buy, get } if !units.contains(&buy) || !units.contains(&get) => {
            let message = format!("buy and get are 1 to {} units", limits::QUANTITY_MAX);
            Err(Error::invalid("/gives/buy", message))
        }
        DiscountKind::Percentage { .. } | DiscountKind::FreeShipping | DiscountKind::BuyXGetY { .. } => {
            Ok(())
        }
    }
}

/// An amount or number of at least one.
pub(super) fn check_count(count: i64, pointer: &str) -> Result<()> {
    if (1..=limits::UNIT_PRICE_MINOR_MAX).contains(&count) {
        return Ok(());
    }
    Err(Error::invalid(pointer, format!("send 1 to {}", limits::UNIT_PRICE_MINOR_MAX)))
}

pub(super) fn check_minimum(min_subtotal_minor: i64) -> Result<()> {
    if (0..=limits::UNIT_PRICE_MINOR_MAX).contains(&min_subtotal_minor) {
        return Ok(());
    }
    let message = format!("a minimum is 0 to {} minor units", limits::UNIT_PRICE_MINOR_MAX);
    Err(Error::invalid("/min_subtotal_minor", message))
}

/// A code as it is kept: without blanks, in capitals.
pub(super) fn normalized(code: &str, pointer: &str) -> Result<String> {
    let code = code.trim().to_uppercase();
    let is_plain = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_plain && (1..=limits::CODE_CHARS_MAX).contains(&code.len()) {
        return Ok(code);
    }
    let max = limits::CODE_CHARS_MAX;
    Err(Error::invalid(pointer, format!("a code has 1 to {max} letters, digits and hyphens")))
}
