use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CouponId, CustomerId, ProductId, PromotionId, ShippingMethodId, StoreId, VariantId};
use shop_domain::money::Currency;
use shop_domain::totals::DiscountKind;

use super::price::{Priced, PricedLine};
use crate::promotions::AppliedView;

/// What a basket would cost now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PriceQuote)]
pub struct QuoteView {
    pub store_id: StoreId,
    pub currency: Currency,
    pub lines: Vec<QuoteLine>,
    /// Lines before discount, in minor units.
    #[schema(example = 3980)]
    pub subtotal_minor: i64,
    /// What promotions take off, shipping included, in minor units.
    pub discount_minor: i64,
    /// Shipping after discount and without its tax, in minor units.
    pub shipping_minor: i64,
    /// All tax, shipping included, in minor units.
    pub tax_minor: i64,
    /// What would be paid, in minor units.
    #[schema(example = 5319)]
    pub total_minor: i64,
    pub shipping_method_id: Option<ShippingMethodId>,
    pub coupon_id: Option<CouponId>,
    /// What each promotion takes off; the one of the coupon last.
    pub promotions: Vec<AppliedView>,
}

/// One line of a quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PriceQuoteLine)]
pub struct QuoteLine {
    pub variant_id: VariantId,
    pub product_id: ProductId,
    #[schema(example = "Blue mug")]
    pub title: String,
    pub quantity: i64,
    /// In minor units.
    pub unit_price_minor: i64,
    /// In minor units.
    pub discount_minor: i64,
    /// In minor units.
    pub tax_minor: i64,
    /// Tax included, in minor units.
    pub total_minor: i64,
}

/// Tax of lines that are in no order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TaxCalculation)]
pub struct TaxView {
    pub store_id: StoreId,
    pub currency: Currency,
    pub lines: Vec<TaxLine>,
    /// Tax on shipping, in minor units.
    pub shipping_tax_minor: i64,
    /// All of it, in minor units.
    #[schema(example = 756)]
    pub tax_minor: i64,
}

/// Tax of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TaxCalculationLine)]
pub struct TaxLine {
    pub variant_id: VariantId,
    pub quantity: i64,
    #[schema(example = "standard")]
    pub tax_category: String,
    /// What is taxed, in minor units.
    pub taxable_minor: i64,
    /// In ten thousandths: 1900 is 19 %.
    #[schema(example = 1900)]
    pub rate_bps: i64,
    /// In minor units.
    pub tax_minor: i64,
}

/// Whether a code can be used now, for whom, and what it gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CouponCheck)]
pub struct CouponCheck {
    pub coupon_id: CouponId,
    #[schema(example = "SAVE10")]
    pub code: String,
    pub is_usable: bool,
    /// Why not, when it is not.
    #[schema(example = "has expired")]
    pub reason: Option<String>,
    /// The one customer it is for; everybody when null.
    pub customer_id: Option<CustomerId>,
    /// The one store it is for; every store when null.
    pub store_id: Option<StoreId>,
    pub promotion_id: PromotionId,
    /// What it gives.
    pub gives: DiscountKind,
    /// From this subtotal on, in minor units.
    pub min_subtotal_minor: i64,
    /// How many uses are left; any number when null.
    pub uses_left: Option<i64>,
    pub expires_at: Option<DateTime<Utc>>,
}

impl From<Priced> for QuoteView {
    fn from(priced: Priced) -> Self {
        let totals = priced.totals;
        Self {
            store_id: priced.store.id,
            currency: priced.store.currency,
            lines: priced.lines.into_iter().map(QuoteLine::from).collect(),
            subtotal_minor: totals.subtotal_minor,
            discount_minor: totals.discount_minor,
            shipping_minor: totals.shipping.total_minor - totals.shipping.tax_minor,
            tax_minor: totals.tax_minor,
            total_minor: totals.total_minor,
            shipping_method_id: priced.method.map(|method| method.id),
            coupon_id: priced.coupon.map(|(coupon, _)| coupon.id),
            promotions: priced.promotions.into_iter().map(AppliedView::from).collect(),
        }
    }
}

impl From<PricedLine> for QuoteLine {
    fn from(line: PricedLine) -> Self {
        Self {
            variant_id: line.variant.id,
            product_id: line.product.id,
            title: line.variant.title,
            quantity: line.quantity,
            unit_price_minor: line.unit_price_minor,
            discount_minor: line.totals.discount_minor,
            tax_minor: line.totals.tax_minor,
            total_minor: line.totals.total_minor,
        }
    }
}

impl From<Priced> for TaxView {
    fn from(priced: Priced) -> Self {
        Self {
            store_id: priced.store.id,
            currency: priced.store.currency,
            lines: priced.lines.into_iter().map(TaxLine::from).collect(),
            shipping_tax_minor: priced.totals.shipping.tax_minor,
            tax_minor: priced.totals.tax_minor,
        }
    }
}

impl From<PricedLine> for TaxLine {
    fn from(line: PricedLine) -> Self {
        Self {
            variant_id: line.variant.id,
            quantity: line.quantity,
            tax_category: line.variant.tax_category,
            taxable_minor: line.totals.total_minor - line.totals.tax_minor,
            rate_bps: line.tax.0,
            tax_minor: line.totals.tax_minor,
        }
    }
}
