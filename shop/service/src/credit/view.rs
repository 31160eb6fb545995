use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CreditEntryId, CustomerId, OrderId};
use shop_domain::money::Currency;
use shop_store::entities::{credit_accounts, credit_entries};

/// A customer's store credit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = StoreCreditBalance)]
pub struct Balance {
    pub customer_id: CustomerId,
    /// One for each currency in which the customer ever had credit.
    pub accounts: Vec<Account>,
    /// Grows with every credit and debit; the ETag.
    pub version: i64,
}

/// Store credit in one currency. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = StoreCreditAccount)]
pub struct Account {
    pub currency: Currency,
    #[schema(example = 3000)]
    pub balance_minor: i64,
    /// Held for payments that are not captured yet.
    #[schema(example = 500)]
    pub held_minor: i64,
    /// What can be spent.
    #[schema(example = 2500)]
    pub available_minor: i64,
}

/// One credit or debit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = StoreCreditTransaction)]
pub struct Transaction {
    pub id: CreditEntryId,
    /// In minor units; negative for a debit.
    #[schema(example = 1000)]
    pub amount_minor: i64,
    /// The balance afterwards, in minor units.
    pub balance_minor: i64,
    pub currency: Currency,
    /// Where it came from: `issued`, `deducted`, `refund`, `payment`, `gift_card`.
    #[schema(example = "refund")]
    pub source: String,
    pub reason: String,
    pub order_id: Option<OrderId>,
    pub created_at: DateTime<Utc>,
}

impl From<credit_accounts::Model> for Account {
    fn from(row: credit_accounts::Model) -> Self {
        Self {
            currency: row.currency,
            balance_minor: row.balance_minor,
            held_minor: row.held_minor,
            available_minor: row.balance_minor - row.held_minor,
        }
    }
}

impl From<credit_entries::Model> for Transaction {
    fn from(row: credit_entries::Model) -> Self {
        Self {
            id: row.id,
            amount_minor: row.amount_minor,
            balance_minor: row.balance_minor,
            currency: row.currency,
            source: row.source,
            reason: row.reason,
            order_id: row.order_id,
            created_at: row.created_at,
        }
    }
}
