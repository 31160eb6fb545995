use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, CustomerId, StoreId};
use shop_domain::limits;
use shop_domain::status::GiftCardStatus;

use crate::error::{Error, Result};

/// A new gift card with a starting balance.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = IssueGiftCard)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// The store that gives it; its currency is the card's.
    pub store_id: StoreId,
    /// In minor units.
    #[schema(example = 5000, minimum = 1)]
    pub amount_minor: i64,
    /// Whose it is; whoever knows the code may use it when absent.
    pub customer_id: Option<CustomerId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Asks for the balance behind a code.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CheckGiftCardBalance)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The full code, as on the card.
    #[schema(example = "GIFT-ADA1-2345-6789", min_length = 1, max_length = 64)]
    pub code: String,
}

/// Moves a card's balance into store credit.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RedeemGiftCard)]
#[serde(deny_unknown_fields)]
pub struct Redeem {
    /// Whose store credit; the card's customer, or yourself, when absent.
    pub customer_id: Option<CustomerId>,
    /// The full code, for a card that is nobody's yet.
    #[schema(example = "GIFT-ADA1-2345-6789", max_length = 64)]
    pub code: Option<String>,
}

/// Voids a card.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = DisableGiftCard)]
#[serde(deny_unknown_fields)]
pub struct Disable {
    /// Why, for the shop's own people.
    #[schema(example = "the code was published", min_length = 1, max_length = 500)]
    pub reason: String,
}

/// Which gift cards to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one customer.
    pub customer_id: Option<CustomerId>,
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// In one state.
    pub status: Option<GiftCardStatus>,
}

/// A code as it is stored.
pub(super) fn normalized(code: &str) -> Result<String> {
    let code = code.trim().to_uppercase();
    if code.is_empty() || code.len() > limits::CODE_CHARS_MAX {
        let message = format!("a code has 1 to {} characters", limits::CODE_CHARS_MAX);
        return Err(Error::invalid("/code", message));
    }
    Ok(code)
}
