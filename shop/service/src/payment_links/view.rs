use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{OrderId, PaymentId, PaymentLinkId};
use shop_domain::money::Currency;
use shop_domain::status::PaymentLinkStatus;

/// One payment link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PaymentLink)]
pub struct View {
    pub id: PaymentLinkId,
    pub order_id: OrderId,
    /// The page's address. Whoever has it can pay, and see what the order is about.
    #[schema(
        example = "http://127.0.0.1:8080/console/pay/pln_01jz8q4w7c5v6n3m2k1h0g9f8e?nonce=01jz8q4w7c5v6n3m2k1h0g9f8e"
    )]
    pub url: String,
    /// In minor units.
    #[schema(example = 952)]
    pub amount_minor: i64,
    pub currency: Currency,
    pub status: PaymentLinkStatus,
    /// The payment that was begun on the page.
    pub payment_id: Option<PaymentId>,
    pub expires_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
}
