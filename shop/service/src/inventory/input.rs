use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CartId, LocationId, StoreId, VariantId};
use shop_domain::inventory::AdjustmentReason;
use shop_domain::limits;
use shop_domain::status::ReservationStatus;

use crate::error::{Error, Result};

/// Units to be held for a cart.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateReservation)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// For whom: an open cart.
    pub cart_id: CartId,
    pub variant_id: VariantId,
    #[schema(example = 2, minimum = 1, maximum = 999)]
    pub quantity: i64,
    /// Until when, at most a day; as long as the store's policy says when absent.
    #[schema(example = "2026-01-15T12:30:00Z")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// What somebody counted on the shelf.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SetInventoryLevel)]
#[serde(deny_unknown_fields)]
pub struct SetLevel {
    /// Units on the shelf, those that somebody holds among them.
    #[schema(example = 12, minimum = 0, maximum = 10_000_000)]
    pub on_hand: i64,
    /// What the count should be remembered by.
    #[schema(example = "Stock-take of week 3", max_length = 500)]
    pub note: Option<String>,
}

/// Units that come or go, and why.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AdjustInventory)]
#[serde(deny_unknown_fields)]
pub struct Adjust {
    pub variant_id: VariantId,
    pub location_id: LocationId,
    /// Units to add, or to take away when negative; not 0.
    #[schema(example = -2, minimum = -10_000_000, maximum = 10_000_000)]
    pub delta: i64,
    /// `damage` and `shrink` take units away, `found` adds some, `correction` does either.
    pub reason: AdjustmentReason,
    /// More about it.
    #[schema(example = "Fell off the shelf", max_length = 500)]
    pub note: Option<String>,
}

/// Units to be sent from one location to another.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateInventoryTransfer)]
#[serde(deny_unknown_fields)]
pub struct CreateTransfer {
    /// Where the units lie now.
    pub from_location_id: LocationId,
    /// Where they go.
    pub to_location_id: LocationId,
    /// What is sent, each variant once.
    #[schema(min_items = 1, max_items = 100)]
    pub lines: Vec<VariantUnits>,
    /// What the transfer is for.
    #[schema(example = "For the weekend market", max_length = 500)]
    pub note: Option<String>,
}

/// What arrived of a transfer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReceiveInventoryTransfer)]
#[serde(deny_unknown_fields)]
pub struct ReceiveTransfer {
    /// What arrived, each variant once; everything that is still expected when absent.
    #[schema(max_items = 100)]
    pub lines: Option<Vec<VariantUnits>>,
    /// Whether nothing more will come: what is still expected is given up for lost.
    #[serde(default)]
    pub is_final: bool,
}

/// Units of one variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantUnits {
    pub variant_id: VariantId,
    #[schema(example = 5, minimum = 1, maximum = 10_000_000)]
    pub quantity: i64,
}

/// Which reservations to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Held for one cart, order, exchange or action.
    #[param(example = "crt_01jz8q4w7c5v6n3m2k1h0g9f8e")]
    pub holder: Option<String>,
    /// Of one variant.
    pub variant_id: Option<VariantId>,
    /// In one state.
    pub status: Option<ReservationStatus>,
}

/// Which levels to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LevelFilter {
    /// Of one variant.
    pub variant_id: Option<VariantId>,
    /// At one location.
    pub location_id: Option<LocationId>,
    /// At most this many available.
    #[param(example = 3)]
    pub max_available: Option<i64>,
}

/// Which locations to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LocationFilter {
    /// Of one store.
    pub store_id: Option<StoreId>,
}

pub(super) fn check_note(note: Option<&str>) -> Result<()> {
    if note.is_some_and(|note| note.len() > limits::REASON_CHARS_MAX) {
        let message = format!("a note has at most {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/note", message));
    }
    Ok(())
}

/// Every variant once, and at least one unit of it.
pub(super) fn check_units(lines: &[VariantUnits]) -> Result<()> {
    if lines.len() > limits::LINES_MAX {
        return Err(Error::invalid("/lines", format!("name at most {} variants", limits::LINES_MAX)));
    }
    for (at, line) in lines.iter().enumerate() {
        if !(1..=limits::STOCK_MAX).contains(&line.quantity) {
            let message = format!("a quantity is 1 to {}", limits::STOCK_MAX);
            return Err(Error::invalid(format!("/lines/{at}/quantity"), message));
        }
        if lines.iter().take(at).any(|other| other.variant_id == line.variant_id) {
            let message = "each variant is named once; add its quantities up";
            return Err(Error::invalid(format!("/lines/{at}/variant_id"), message));
        }
    }
    Ok(())
}
