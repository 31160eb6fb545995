use serde::{Deserialize, Serialize};

/// A page on which the customer pays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreatePaymentLink)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Minor units; all that is still due when absent.
    #[schema(example = 952, minimum = 1)]
    pub amount_minor: Option<i64>,
    /// Hours until it can no longer be used; 72 when absent.
    #[schema(example = 72, minimum = 1, maximum = 720)]
    pub expires_in_hours: Option<i64>,
}
