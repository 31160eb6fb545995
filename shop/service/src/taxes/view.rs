use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CustomerId, StoreId, TaxRateId};
use shop_store::entities::{tax_exemptions, tax_rates};

/// One tax rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TaxRate)]
pub struct Rate {
    pub id: TaxRateId,
    pub store_id: StoreId,
    /// ISO 3166-1 alpha-2 code.
    #[schema(example = "DE")]
    pub country: String,
    /// State or province; the whole country when null.
    pub region: Option<String>,
    #[schema(example = "standard")]
    pub category: String,
    /// In ten thousandths: 1900 is 19 %.
    #[schema(example = 1900)]
    pub rate_bps: i64,
    pub starts_at: DateTime<Utc>,
}

/// A customer's certificate that no tax is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TaxExemption)]
pub struct Exemption {
    pub customer_id: CustomerId,
    /// Its number.
    #[schema(example = "TX-EX-2041")]
    pub certificate: String,
    /// ISO 3166-1 alpha-2 code of the country it is of.
    #[schema(example = "US")]
    pub country: String,
    /// State or province it is of; the whole country when null.
    #[schema(example = "TX")]
    pub region: Option<String>,
    /// Until when; for good when null.
    pub valid_until: Option<DateTime<Utc>>,
    /// Whether it holds now.
    pub is_valid: bool,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

impl Exemption {
    pub(super) fn new(row: tax_exemptions::Model, now: DateTime<Utc>) -> Self {
        Self {
            customer_id: row.customer_id,
            certificate: row.certificate,
            country: row.country,
            region: row.region,
            is_valid: row.valid_until.is_none_or(|end| now < end),
            valid_until: row.valid_until,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<tax_rates::Model> for Rate {
    fn from(row: tax_rates::Model) -> Self {
        Self {
            id: row.id,
            store_id: row.store_id,
            country: row.country,
            region: row.region,
            category: row.category,
            rate_bps: row.rate_bps,
            starts_at: row.starts_at,
        }
    }
}
