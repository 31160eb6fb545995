use serde::{Deserialize, Serialize};
use shop_domain::ids::BrandId;

/// Which stores to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one brand.
    pub brand_id: Option<BrandId>,
}
