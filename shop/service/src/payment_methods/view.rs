use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CustomerId, GiftCardId, PaymentMethodId};
use shop_domain::status::InstrumentKind;
use shop_store::entities::payment_methods;

/// A saved instrument, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PaymentMethod)]
pub struct View {
    pub id: PaymentMethodId,
    pub customer_id: CustomerId,
    pub kind: InstrumentKind,
    #[schema(example = "visa")]
    pub brand: Option<String>,
    /// The last digits, which are all that is known here.
    #[schema(example = "4242")]
    pub last4: Option<String>,
    /// What the customer calls it.
    #[schema(example = "visa ending in 4242")]
    pub label: String,
    /// The card behind it, for `gift_card`.
    pub gift_card_id: Option<GiftCardId>,
    /// Whether checkout uses it by default.
    pub is_default: bool,
    /// When it was removed; absent while it can be used.
    pub detached_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

impl From<payment_methods::Model> for View {
    fn from(row: payment_methods::Model) -> Self {
        Self {
            id: row.id,
            customer_id: row.customer_id,
            kind: row.kind,
            brand: row.brand,
            last4: row.last4,
            label: row.label,
            gift_card_id: row.gift_card_id,
            is_default: row.is_default,
            detached_at: row.detached_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}
