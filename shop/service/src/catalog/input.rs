use serde::{Deserialize, Serialize};
use shop_domain::ids::{BrandId, StoreId};
use shop_domain::status::ProductStatus;

/// Which products to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state; shoppers see published ones only.
    pub status: Option<ProductStatus>,
    /// In one category.
    #[param(example = "kitchen")]
    pub category: Option<String>,
    /// Of one brand.
    pub brand_id: Option<BrandId>,
    /// Sold in one store.
    pub store_id: Option<StoreId>,
}

/// What to search for. Everything that is sent must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Search {
    /// Words; each must occur in the title, description or category, or in a variant's title or SKU.
    #[param(example = "blue mug", max_length = 200)]
    pub q: Option<String>,
    /// In one category.
    #[param(example = "kitchen")]
    pub category: Option<String>,
    /// Sold in one store.
    pub store_id: Option<StoreId>,
    /// A variant costs at least this, in minor units.
    #[param(example = 1000)]
    pub min_price_minor: Option<i64>,
    /// A variant costs at most this, in minor units.
    #[param(example = 3000)]
    pub max_price_minor: Option<i64>,
    /// Only products of which a variant can be bought now.
    #[serde(default)]
    pub is_available: Option<bool>,
}
