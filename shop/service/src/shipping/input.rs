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
