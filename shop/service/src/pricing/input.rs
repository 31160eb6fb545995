use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{CustomerId, ShippingMethodId, StoreId, VariantId};

/// Units of one variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Item)]
#[serde(deny_unknown_fields)]
pub struct Item {
    pub variant_id: VariantId,
    #[schema(example = 2, minimum = 1, maximum = 999)]
    pub quantity: i64,
}

/// What is to be priced without a cart.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = QuotePrice)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The store that sells; your own when absent.
    pub store_id: Option<StoreId>,
    /// Who would buy, where a coupon is personal; yourself when you are a shopper.
    pub customer_id: Option<CustomerId>,
    #[schema(min_items = 1, max_items = 100)]
    pub items: Vec<Item>,
    /// Where it would go. Without it no tax is known.
    pub address: Option<Address>,
    /// How it would go. Without it no shipping is counted.
    pub shipping_method_id: Option<ShippingMethodId>,
    #[schema(example = "SAVE10", max_length = 64)]
    pub coupon_code: Option<String>,
}

/// What tax is to be calculated on.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CalculateTax)]
#[serde(deny_unknown_fields)]
pub struct Tax {
    /// The store that sells; your own when absent.
    pub store_id: Option<StoreId>,
    /// Who would buy, where somebody is exempt; yourself when you are a shopper.
    pub customer_id: Option<CustomerId>,
    #[schema(min_items = 1, max_items = 100)]
    pub items: Vec<Item>,
    /// Where it would go.
    pub address: Address,
    /// How it would go: shipping is taxed too.
    pub shipping_method_id: Option<ShippingMethodId>,
}

/// For whom a coupon is checked.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CouponQuery {
    /// Who would use it; yourself when you are a shopper.
    pub customer_id: Option<CustomerId>,
}
