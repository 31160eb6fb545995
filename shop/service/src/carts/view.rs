use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{
    AddressId, CartId, CartLineId, CouponId, CustomerId, GiftCardId, OrderId, ProductId, ShippingMethodId,
    StoreId, VariantId,
};
use shop_domain::money::Currency;
use shop_domain::status::CartStatus;

use crate::promotions::AppliedView;

/// What somebody means to buy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Cart)]
pub struct View {
    pub id: CartId,
    pub store_id: StoreId,
    /// Whose it is; a guest's when null.
    pub customer_id: Option<CustomerId>,
    pub status: CartStatus,
    pub currency: Currency,
    pub lines: Vec<Line>,
    /// What it would cost now.
    pub totals: TotalsView,
    /// The saved address it was given; null for one that is not saved.
    pub address_id: Option<AddressId>,
    /// Where it will go, as it was when it was set.
    pub shipping_address: Option<Address>,
    /// How it will go.
    pub shipping: Option<ShippingChoice>,
    pub coupon: Option<CouponChoice>,
    pub gift_card: Option<GiftCardChoice>,
    /// Store credit to use at most, in minor units.
    pub store_credit_minor: i64,
    /// The order it became.
    pub order_id: Option<OrderId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// One variant in a cart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CartLine)]
pub struct Line {
    pub id: CartLineId,
    pub variant_id: VariantId,
    pub product_id: ProductId,
    #[schema(example = "Blue mug")]
    pub title: String,
    #[schema(example = "MUG-BLUE")]
    pub sku: String,
    pub options: BTreeMap<String, String>,
    pub quantity: i64,
    /// In minor units.
    #[schema(example = 1990)]
    pub unit_price_minor: i64,
    /// In minor units.
    pub discount_minor: i64,
    /// In minor units.
    pub tax_minor: i64,
    /// Tax included, in minor units; 0 while the line cannot be bought.
    pub total_minor: i64,
    /// Units this cart could buy now, those held for it included; null when stock is not counted. Nothing is promised.
    pub available: Option<i64>,
    /// Whether the whole quantity could be bought now.
    pub is_available: bool,
}

/// What a cart would cost now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CartTotals)]
pub struct TotalsView {
    pub cart_id: CartId,
    pub currency: Currency,
    /// Lines that can be bought, before discount, in minor units.
    #[schema(example = 3980)]
    pub subtotal_minor: i64,
    /// What promotions take off, shipping included, in minor units.
    pub discount_minor: i64,
    /// What each promotion takes off; the one of the coupon last.
    pub promotions: Vec<AppliedView>,
    /// Shipping after discount and without its tax, in minor units; 0 while no method is chosen.
    pub shipping_minor: i64,
    /// All tax, in minor units; 0 while there is no address.
    pub tax_minor: i64,
    /// What the order would cost, in minor units.
    #[schema(example = 5319)]
    pub total_minor: i64,
    /// What the gift card would pay of it, in minor units.
    pub gift_card_minor: i64,
    /// What store credit would pay of it, in minor units.
    pub store_credit_minor: i64,
    /// What remains for another instrument, in minor units.
    pub due_minor: i64,
    /// What stands between this cart and an order; empty when it can be placed.
    pub problems: Vec<Problem>,
    /// Of the cart these totals are of.
    pub version: i64,
}

/// Something to be mended before the cart can be ordered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CartProblem)]
pub struct Problem {
    /// What the refusal of `place_order_from_cart` would say.
    pub code: ErrorCode,
    #[schema(example = "choose how to ship it: see list_cart_shipping_options")]
    pub detail: String,
}

/// The chosen shipping method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CartShippingChoice)]
pub struct ShippingChoice {
    pub shipping_method_id: ShippingMethodId,
    #[schema(example = "Standard")]
    pub name: String,
    pub days_min: i64,
    pub days_max: i64,
}

/// The coupon of a cart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CartCoupon)]
pub struct CouponChoice {
    pub coupon_id: CouponId,
    #[schema(example = "SAVE10")]
    pub code: String,
}

/// The gift card of a cart; its code is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CartGiftCard)]
pub struct GiftCardChoice {
    pub gift_card_id: GiftCardId,
    #[schema(example = "T3WB")]
    pub last4: String,
    /// What can be taken from it now, in minor units.
    pub available_minor: i64,
}
