use serde::{Deserialize, Serialize};

/// Saves a tokenised test card or wallet.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AttachPaymentMethod)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// A token of the gateway, such as `tok_visa`, `tok_mastercard` or `tok_paypal`. Never a card number.
    #[schema(example = "tok_visa", max_length = 64)]
    pub token: String,
    /// What the customer calls it; brand and last digits when absent.
    #[schema(example = "Office card", min_length = 1, max_length = 120)]
    pub label: Option<String>,
    /// Whether checkout uses it by default; the first one is used in any case.
    pub is_default: Option<bool>,
}
