use serde::{Deserialize, Serialize};
use shop_domain::ids::ApprovalId;
use shop_domain::limits;
use shop_domain::money::Currency;

use crate::error::{Error, Result};

/// Grants store credit that no refund pays.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = IssueStoreCredit)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// In minor units.
    #[schema(example = 1000, minimum = 1)]
    pub amount_minor: i64,
    /// The currency of the customer's store when absent.
    pub currency: Option<Currency>,
    /// Why, for the customer's statement.
    #[schema(example = "apology for a late parcel", min_length = 1, max_length = 500)]
    pub reason: String,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Takes store credit back, or corrects an error.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = DeductStoreCredit)]
#[serde(deny_unknown_fields)]
pub struct Deduct {
    /// In minor units; at most what is available.
    #[schema(example = 1000, minimum = 1)]
    pub amount_minor: i64,
    /// The currency of the customer's store when absent.
    pub currency: Option<Currency>,
    /// Why, for the customer's statement.
    #[schema(example = "issued twice by mistake", min_length = 1, max_length = 500)]
    pub reason: String,
}

pub(super) fn check(amount_minor: i64, reason: &str) -> Result<()> {
    if !(1..=limits::UNIT_PRICE_MINOR_MAX).contains(&amount_minor) {
        let message = format!("an amount is 1 to {} minor units", limits::UNIT_PRICE_MINOR_MAX);
        return Err(Error::invalid("/amount_minor", message));
    }
    if reason.trim().is_empty() || reason.len() > limits::REASON_CHARS_MAX {
        let message = format!("a reason has 1 to {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/reason", message));
    }
    Ok(())
}
