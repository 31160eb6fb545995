use serde::{Deserialize, Serialize};
use shop_domain::collections::Rule;
use shop_domain::ids::{BrandId, ProductId};

/// A new collection, of products that are named or that fulfil a rule.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateCollection)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Whose products it groups; your own brand when absent.
    pub brand_id: Option<BrandId>,
    #[schema(example = "For the kitchen", min_length = 1, max_length = 120)]
    pub title: String,
    /// The products, in the order they are shown. Send these or a rule.
    #[schema(min_items = 1, max_items = 200)]
    pub product_ids: Option<Vec<ProductId>>,
    /// What a product must be to belong, now and later. Send this or products.
    pub rule: Option<Rule>,
}

/// Which collections to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one brand.
    pub brand_id: Option<BrandId>,
}
