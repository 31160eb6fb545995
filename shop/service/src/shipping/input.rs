use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{ShippingZoneId, StoreId};

use crate::pricing::Item;

/// A parcel and where it goes.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = QuoteShippingRates)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The store that sends it; your own when absent.
    pub store_id: Option<StoreId>,
    /// Where it goes.
    pub address: Address,
    /// What is in it. Give this, or `weight_g`.
    pub items: Option<Vec<Item>>,
    /// What it weighs, in grams.
    #[schema(example = 800, minimum = 1, maximum = 1_000_000)]
    pub weight_g: Option<i64>,
    /// What its content costs, in minor units: some methods are free from a sum on. Known from `items`.
    #[schema(example = 3980, minimum = 0)]
    pub subtotal_minor: Option<i64>,
}

/// A new way to deliver to a zone.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateShippingMethod)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Where it delivers to.
    pub zone_id: ShippingZoneId,
    /// What buyers read.
    #[schema(example = "Overnight", min_length = 1, max_length = 120)]
    pub name: String,
    #[schema(example = "Harbour Post", min_length = 1, max_length = 120)]
    pub carrier: String,
    /// For the first kilogram, in minor units of the store's currency.
    #[schema(example = 1990, minimum = 0, maximum = 100_000_000)]
    pub price_minor: i64,
    /// For every further kilogram, in minor units; nothing when absent.
    #[serde(default)]
    #[schema(example = 150, minimum = 0, maximum = 100_000_000)]
    pub per_kg_minor: i64,
    /// Free from this subtotal on, in minor units; never when absent.
    #[schema(example = 20_000, minimum = 0, maximum = 100_000_000)]
    pub free_over_minor: Option<i64>,
    /// The heaviest parcel, in grams.
    #[schema(example = 10_000, minimum = 1, maximum = 1_000_000)]
    pub max_weight_g: i64,
    /// Days until it arrives, at least.
    #[schema(example = 1, minimum = 0, maximum = 90)]
    pub days_min: i64,
    /// Days until it arrives, at most: the promise.
    #[schema(example = 2, minimum = 0, maximum = 90)]
    pub days_max: i64,
}

/// Which zones to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ZoneFilter {
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// That deliver to one country: an ISO 3166-1 alpha-2 code.
    #[param(example = "DE")]
    pub country: Option<String>,
}

/// Which methods to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MethodFilter {
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// Of one zone.
    pub zone_id: Option<ShippingZoneId>,
}
