use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{PriceListId, StoreId, VariantId};
use shop_domain::money::Currency;

use super::input::Entry;

/// One price of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = VariantPrice)]
pub struct Price {
    pub currency: Currency,
    /// `base`; `sale` while the base price is struck out; `price_list` for a price of a list.
    #[schema(example = "base")]
    pub kind: String,
    /// In minor units.
    #[schema(example = 1990)]
    pub amount_minor: i64,
    /// The list it is of, where it is of one.
    pub price_list_id: Option<PriceListId>,
    /// The tag of the customers it is for; everybody when null.
    #[schema(example = "trade")]
    pub customer_tag: Option<String>,
    /// Whether this is what a buyer pays now: you, or somebody without tags where you are staff.
    pub is_current: bool,
}

/// What a variant costs in one currency, before price lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = VariantBasePrice)]
pub struct BasePrice {
    pub variant_id: VariantId,
    pub currency: Currency,
    /// In minor units.
    #[schema(example = 1790)]
    pub price_minor: i64,
    /// The price that is struck out next to it, in minor units.
    #[schema(example = 1990)]
    pub compare_at_minor: Option<i64>,
    /// Of the variant; the ETag.
    pub version: i64,
}

/// Prices of a store for a group of customers or for a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PriceList)]
pub struct PriceList {
    pub id: PriceListId,
    pub store_id: StoreId,
    #[schema(example = "Trade prices")]
    pub name: String,
    /// Of all its prices: that of the store.
    pub currency: Currency,
    /// The tag of the customers it is for; everybody when null.
    #[schema(example = "trade")]
    pub customer_tag: Option<String>,
    /// From when; since ever when null.
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when; for good when null.
    pub ends_at: Option<DateTime<Utc>>,
    /// Whether it holds now for who has its tag.
    pub is_active: bool,
    pub entries: Vec<Entry>,
    pub created_at: DateTime<Utc>,
    /// The ETag.
    pub version: i64,
}
