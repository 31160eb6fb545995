use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CreditEntryId, CustomerId, GiftCardId, OrderId, StoreId};
use shop_domain::money::Currency;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::{gift_card_entries, gift_cards};

/// One gift card. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = GiftCard)]
pub struct View {
    pub id: GiftCardId,
    pub store_id: StoreId,
    pub customer_id: Option<CustomerId>,
    /// The full code: only in the answer to `issue_gift_card`, and never again.
    #[schema(example = "7Q2M-K4ZD-9VXA-T3HB")]
    pub code: Option<String>,
    #[schema(example = "T3HB")]
    pub last4: String,
    pub currency: Currency,
    pub initial_minor: i64,
    #[schema(example = 5000)]
    pub balance_minor: i64,
    /// Held for payments that are not captured yet.
    pub held_minor: i64,
    /// What can be spent.
    pub available_minor: i64,
    pub status: GiftCardStatus,
    /// What happened to the balance, newest first, at most 100; only where a card is read alone.
    pub history: Option<Vec<EntryView>>,
    pub created_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// One change of a gift card's balance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = GiftCardEntry)]
pub struct EntryView {
    pub id: CreditEntryId,
    /// In minor units; negative when it was spent.
    pub amount_minor: i64,
    /// The balance afterwards, in minor units.
    pub balance_minor: i64,
    #[schema(example = "payment")]
    pub reason: String,
    pub order_id: Option<OrderId>,
    pub created_at: DateTime<Utc>,
}

/// What a code is worth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = GiftCardBalance)]
pub struct BalanceView {
    pub gift_card_id: GiftCardId,
    #[schema(example = "6789")]
    pub last4: String,
    pub currency: Currency,
    /// What can be spent, in minor units; nothing when the card is disabled.
    #[schema(example = 5000)]
    pub available_minor: i64,
    pub status: GiftCardStatus,
    /// Version of the card, for `redeem_gift_card`.
    pub version: i64,
}

impl From<gift_cards::Model> for View {
    fn from(row: gift_cards::Model) -> Self {
        Self {
            id: row.id,
            store_id: row.store_id,
            customer_id: row.customer_id,
            code: None,
            last4: row.last4,
            currency: row.currency,
            initial_minor: row.initial_minor,
            balance_minor: row.balance_minor,
            held_minor: row.held_minor,
            available_minor: row.balance_minor - row.held_minor,
            status: row.status,
            history: None,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

impl From<gift_card_entries::Model> for EntryView {
    fn from(row: gift_card_entries::Model) -> Self {
        Self {
            id: row.id,
            amount_minor: row.amount_minor,
            balance_minor: row.balance_minor,
            reason: row.reason,
            order_id: row.order_id,
            created_at: row.created_at,
        }
    }
}
