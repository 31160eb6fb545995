use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{ShippingMethodId, ShippingZoneId, StoreId};
use shop_domain::money::Currency;
use shop_store::entities::{shipping_methods, shipping_zones};

/// Where a store delivers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShippingZone)]
pub struct Zone {
    pub id: ShippingZoneId,
    pub store_id: StoreId,
    #[schema(example = "Germany and Austria")]
    pub name: String,
    /// ISO 3166-1 alpha-2 codes.
    #[schema(example = json!(["DE", "AT"]))]
    pub countries: Vec<String>,
}

/// How a store delivers to a zone, and for how much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShippingMethod)]
pub struct Method {
    pub id: ShippingMethodId,
    pub store_id: StoreId,
    pub zone_id: ShippingZoneId,
    #[schema(example = "Standard")]
    pub name: String,
    #[schema(example = "Harbour Post")]
    pub carrier: String,
    /// For the first kilogram, in minor units of the store's currency.
    #[schema(example = 490)]
    pub price_minor: i64,
    /// For every further kilogram, in minor units.
    pub per_kg_minor: i64,
    /// Free from this subtotal on, in minor units; never when null.
    pub free_over_minor: Option<i64>,
    /// The heaviest parcel, in grams.
    pub max_weight_g: i64,
    /// Days until it arrives, at least.
    pub days_min: i64,
    /// Days until it arrives, at most: the promise.
    pub days_max: i64,
    /// Whether new orders can use it.
    pub is_active: bool,
}

/// What one method costs for one parcel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShippingRate)]
pub struct Rate {
    pub shipping_method_id: ShippingMethodId,
    #[schema(example = "Standard")]
    pub name: String,
    #[schema(example = "Harbour Post")]
    pub carrier: String,
    /// Before tax and coupons, in minor units.
    #[schema(example = 490)]
    pub price_minor: i64,
    pub currency: Currency,
    /// Days until it arrives, at least.
    pub days_min: i64,
    /// Days until it arrives, at most.
    pub days_max: i64,
    /// When it arrives at the latest, if it is ordered now.
    pub arrives_by: DateTime<Utc>,
}

/// All methods that carry a parcel there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShippingRates)]
pub struct Rates {
    /// Cheapest first; empty when nothing is delivered there at this weight.
    pub rates: Vec<Rate>,
}

impl Rate {
    pub(super) fn new(
        row: shipping_methods::Model,
        currency: Currency,
        price_minor: i64,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            shipping_method_id: row.id,
            name: row.name,
            carrier: row.carrier,
            price_minor,
            currency,
            days_min: row.days_min,
            days_max: row.days_max,
            arrives_by: now + TimeDelta::days(row.days_max),
        }
    }
}

impl From<shipping_zones::Model> for Zone {
    fn from(row: shipping_zones::Model) -> Self {
        Self { id: row.id, store_id: row.store_id, name: row.name, countries: row.countries.0 }
    }
}

impl From<shipping_methods::Model> for Method {
    fn from(row: shipping_methods::Model) -> Self {
        Self {
            id: row.id,
            store_id: row.store_id,
            zone_id: row.zone_id,
            name: row.name,
            carrier: row.carrier,
            price_minor: row.price_minor,
            per_kg_minor: row.per_kg_minor,
            free_over_minor: row.free_over_minor,
            max_weight_g: row.max_weight_g,
            days_min: row.days_min,
            days_max: row.days_max,
            is_active: row.is_active,
        }
    }
}
