use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{StoreId, VariantId};
use shop_domain::limits;

use crate::error::{Error, Result};

/// What a variant costs in one currency.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SetVariantPrice)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Of one unit, in minor units.
    #[schema(example = 1790, minimum = 0, maximum = 100_000_000)]
    pub price_minor: i64,
    /// The higher price that is struck out next to it, in minor units; none when absent.
    #[schema(example = 1990, minimum = 0, maximum = 100_000_000)]
    pub compare_at_minor: Option<i64>,
}

/// A new price list.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreatePriceList)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The store whose prices they are; your own when absent.
    pub store_id: Option<StoreId>,
    #[schema(example = "Trade prices", min_length = 1, max_length = 120)]
    pub name: String,
    /// The tag of the customers it is for; everybody when absent.
    #[schema(example = "trade", min_length = 1, max_length = 64)]
    pub customer_tag: Option<String>,
    /// From when; at once when absent.
    #[schema(example = "2026-02-01T00:00:00Z")]
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when; for good when absent.
    #[schema(example = "2026-03-01T00:00:00Z")]
    pub ends_at: Option<DateTime<Utc>>,
    /// The prices, each variant once.
    #[schema(min_items = 1, max_items = 200)]
    pub entries: Vec<Entry>,
}

/// One price of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PriceListEntry)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub variant_id: VariantId,
    /// Of one unit, in minor units of the store's currency.
    #[schema(example = 1690, minimum = 0, maximum = 100_000_000)]
    pub price_minor: i64,
}

/// Which price lists to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// For customers with this tag.
    #[param(example = "trade")]
    pub customer_tag: Option<String>,
}

/// The price of one unit has bounds.
pub(crate) fn check_amount(minor: i64, pointer: impl Into<String>) -> Result<()> {
    if (0..=limits::UNIT_PRICE_MINOR_MAX).contains(&minor) {
        return Ok(());
    }
    Err(Error::invalid(pointer, format!("a price is 0 to {} minor units", limits::UNIT_PRICE_MINOR_MAX)))
}

/// What starts must end later.
pub(crate) fn check_dates(starts_at: Option<DateTime<Utc>>, ends_at: Option<DateTime<Utc>>) -> Result<()> {
    if let (Some(start), Some(end)) = (starts_at, ends_at)
        && end <= start
    {
        return Err(Error::invalid("/ends_at", "an end is later than the start"));
    }
    Ok(())
}
