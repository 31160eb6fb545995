use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::StoreId;

use crate::error::{Error, Result};

/// A new tax rate.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateTaxRate)]
#[serde(deny_unknown_fields)]
pub struct CreateRate {
    /// The store that charges it; your own when absent.
    pub store_id: Option<StoreId>,
    /// ISO 3166-1 alpha-2 code of where it is delivered to.
    #[schema(example = "US", min_length = 2, max_length = 2)]
    pub country: String,
    /// State or province, as addresses write it; the whole country when absent.
    #[schema(example = "TX", min_length = 1, max_length = 60)]
    pub region: Option<String>,
    /// Of what: `standard`, `shipping`, or another category of variants.
    #[schema(example = "standard", min_length = 1, max_length = 64)]
    pub category: String,
    /// In ten thousandths: 1900 is 19 %.
    #[schema(example = 825, minimum = 0, maximum = 10_000)]
    pub rate_bps: i64,
    /// From when, not before now; at once when absent.
    #[schema(example = "2026-07-01T00:00:00Z")]
    pub starts_at: Option<DateTime<Utc>>,
}

/// A certificate that no tax is due. It takes the place of the one there is.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SetTaxExemption)]
#[serde(deny_unknown_fields)]
pub struct SetExemption {
    /// Its number.
    #[schema(example = "TX-EX-2041", min_length = 1, max_length = 64)]
    pub certificate: String,
    /// ISO 3166-1 alpha-2 code of the country it is of.
    #[schema(example = "US", min_length = 2, max_length = 2)]
    pub country: String,
    /// State or province it is of, as addresses write it; the whole country when absent.
    #[schema(example = "TX", min_length = 1, max_length = 60)]
    pub region: Option<String>,
    /// Until when; for good when absent. A time that has passed ends it.
    #[schema(example = "2027-01-01T00:00:00Z")]
    pub valid_until: Option<DateTime<Utc>>,
}

/// Which tax rates to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct RateFilter {
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// In one country: an ISO 3166-1 alpha-2 code.
    #[param(example = "DE")]
    pub country: Option<String>,
    /// Of one tax category, such as `standard` or `shipping`.
    #[param(example = "standard")]
    pub category: Option<String>,
}

pub(super) fn check_country(country: &str) -> Result<()> {
    if country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Ok(());
    }
    Err(Error::invalid("/country", "country is an ISO 3166-1 alpha-2 code such as DE"))
}
