use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{BrandId, StoreId};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_store::entities::{brands, stores};

/// A brand of this tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Brand)]
pub struct Brand {
    pub id: BrandId,
    #[schema(example = "Harbour")]
    pub name: String,
    pub created_at: DateTime<Utc>,
}

/// One shop front.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Store)]
pub struct View {
    pub id: StoreId,
    pub brand_id: BrandId,
    #[schema(example = "Harbour Hamburg")]
    pub name: String,
    /// Of all its prices.
    pub currency: Currency,
    /// Where it has its seat: an ISO 3166-1 alpha-2 code.
    #[schema(example = "DE")]
    pub country: String,
    /// What it decides for itself, such as the return window.
    pub policy: Policy,
    pub created_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

impl From<brands::Model> for Brand {
    fn from(row: brands::Model) -> Self {
        Self { id: row.id, name: row.name, created_at: row.created_at }
    }
}

impl From<stores::Model> for View {
    fn from(row: stores::Model) -> Self {
        Self {
            id: row.id,
            brand_id: row.brand_id,
            name: row.name,
            currency: row.currency,
            country: row.country,
            policy: row.policy,
            created_at: row.created_at,
            version: row.version,
        }
    }
}
