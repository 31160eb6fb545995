//! A postal address.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

/// Where a parcel goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// Who receives it.
    #[schema(example = "Ada Byron", min_length = 1, max_length = 200)]
    pub name: String,
    /// Street and number.
    #[schema(example = "12 Harbour Road", min_length = 1, max_length = 200)]
    pub line1: String,
    /// Flat, floor, building.
    #[serde(default)]
    #[schema(example = "Flat 3", max_length = 200)]
    pub line2: String,
    /// Town.
    #[schema(example = "Hamburg", min_length = 1, max_length = 200)]
    pub city: String,
    /// State, county or province, where the country has them.
    #[serde(default)]
    #[schema(example = "HH", max_length = 200)]
    pub region: String,
    /// Postal code.
    #[schema(example = "20095", min_length = 1, max_length = 20)]
    pub postal_code: String,
    /// ISO 3166-1 alpha-2 code.
    #[schema(example = "DE", pattern = "^[A-Z]{2}$")]
    pub country: String,
}

impl Address {
    /// One line for a person to read.
    #[must_use]
    pub fn one_line(&self) -> String {
        let parts = [
            &self.name,
            &self.line1,
            &self.line2,
            &self.postal_code,
            &self.city,
            &self.region,
            &self.country,
        ];
        parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}
