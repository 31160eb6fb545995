use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{CustomerId, StoreId};
use shop_domain::money::Currency;
use shop_domain::status::CustomerStatus;
use shop_store::entities::customers;

/// One customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Customer)]
pub struct View {
    pub id: CustomerId,
    pub store_id: StoreId,
    #[schema(example = "ada@example.com")]
    pub email: String,
    #[schema(example = "Ada")]
    pub first_name: String,
    #[schema(example = "Byron")]
    pub last_name: String,
    pub phone: Option<String>,
    pub status: CustomerStatus,
    pub tags: Vec<String>,
    /// Whether they agreed to marketing.
    pub accepts_marketing: bool,
    /// What they bought in all, by currency; only where a customer is read alone.
    pub lifetime: Option<Vec<Lifetime>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// What a customer bought in one currency. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CustomerLifetime)]
pub struct Lifetime {
    pub currency: Currency,
    /// Orders, cancelled ones not counted.
    pub orders: i64,
    /// What was captured.
    #[schema(example = 12990)]
    pub paid_minor: i64,
    /// What of it went back.
    pub refunded_minor: i64,
}

/// A customer with what people name them by besides.
#[derive(Clone, Debug)]
pub struct Known {
    pub customer: View,
    pub addresses: Vec<Address>,
    /// Their name in the shop they came from.
    pub external_id: Option<String>,
}

impl From<customers::Model> for View {
    fn from(row: customers::Model) -> Self {
        Self {
            id: row.id,
            store_id: row.store_id,
            email: row.email,
            first_name: row.first_name,
            last_name: row.last_name,
            phone: row.phone,
            status: row.status,
            tags: row.tags.0,
            accepts_marketing: row.accepts_marketing,
            lifetime: None,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}
