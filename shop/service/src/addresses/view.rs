use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId};
use shop_store::entities::addresses;

/// A saved address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CustomerAddress)]
pub struct View {
    pub id: AddressId,
    pub customer_id: CustomerId,
    /// What the customer calls it.
    #[schema(example = "Office")]
    pub label: String,
    pub address: Address,
    /// Whether new carts use it.
    pub is_default: bool,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// Whether and how an address can be delivered to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AddressValidation)]
pub struct Validation {
    /// The address as the carriers write it.
    pub normalized: Address,
    /// Whether any shipping zone of the store covers it.
    pub is_deliverable: bool,
    /// Why not, when it is not.
    pub reason: Option<String>,
}

impl From<addresses::Model> for View {
    fn from(row: addresses::Model) -> Self {
        Self {
            id: row.id,
            customer_id: row.customer_id,
            label: row.label,
            address: row.address,
            is_default: row.is_default,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}
