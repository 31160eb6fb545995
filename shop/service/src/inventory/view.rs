use chrono::{DateTime, Datelike, Days, NaiveDate, Utc, Weekday};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{AdjustmentId, LocationId, ReservationId, StoreId, TransferId, VariantId};
use shop_domain::inventory::AdjustmentReason;
use shop_domain::status::{ReservationStatus, TransferStatus};
use shop_store::entities::{
    inventory_adjustments, inventory_levels, inventory_transfers, locations, reservations, variants,
};

/// Units held for a cart, an action, an order or an exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Reservation)]
pub struct View {
    pub id: ReservationId,
    pub variant_id: VariantId,
    /// Where the units lie.
    pub location_id: LocationId,
    pub quantity: i64,
    /// For whom: the id of a cart, order, exchange or action.
    #[schema(example = "crt_01jz8q4w7c5v6n3m2k1h0g9f8e")]
    pub holder: String,
    pub status: ReservationStatus,
    /// When the units go back by themselves; never when null.
    pub expires_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// What can be had of one variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = VariantAvailability)]
pub struct Availability {
    pub variant_id: VariantId,
    /// Whether it is on sale at all.
    pub is_sellable: bool,
    /// Units that nobody holds; null when its stock is not counted.
    #[schema(example = 8)]
    pub available: Option<i64>,
    /// Whether one can be bought now.
    pub is_available: bool,
    /// The first day on which it could leave the building; null when none can be bought.
    #[schema(example = "2026-01-16")]
    pub ships_on: Option<NaiveDate>,
}

/// Units of one variant at one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = InventoryLevel)]
pub struct Level {
    pub variant_id: VariantId,
    #[schema(example = "MUG-BLUE")]
    pub sku: String,
    pub location_id: LocationId,
    /// Units on the shelf.
    pub on_hand: i64,
    /// Units of these that somebody holds.
    pub reserved: i64,
    /// Units that nobody holds.
    pub available: i64,
    /// Grows when units come or go, and not when they are held or let go; the ETag.
    pub version: i64,
}

/// One change of a count by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = InventoryAdjustment)]
pub struct Adjustment {
    pub id: AdjustmentId,
    pub variant_id: VariantId,
    pub location_id: LocationId,
    /// Units added, or taken away when negative.
    #[schema(example = -2)]
    pub delta: i64,
    /// Units on the shelf since then.
    #[schema(example = 8)]
    pub on_hand: i64,
    pub reason: AdjustmentReason,
    #[schema(example = "Fell off the shelf")]
    pub note: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// Units on their way from one location to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = InventoryTransfer)]
pub struct Transfer {
    pub id: TransferId,
    pub from_location_id: LocationId,
    pub to_location_id: LocationId,
    pub status: TransferStatus,
    pub lines: Vec<TransferLine>,
    #[schema(example = "For the weekend market")]
    pub note: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// Units of one variant in a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = InventoryTransferLine)]
pub struct TransferLine {
    pub variant_id: VariantId,
    /// Units that were sent.
    #[schema(example = 5)]
    pub quantity: i64,
    /// Units of these that arrived.
    #[schema(example = 3)]
    pub received: i64,
    /// Units that are still expected: those sent and not arrived, or none once the transfer is closed.
    #[schema(example = 2)]
    pub expected: i64,
}

/// A warehouse or shop that holds stock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Location)]
pub struct Location {
    pub id: LocationId,
    pub store_id: StoreId,
    #[schema(example = "Warehouse")]
    pub name: String,
    /// ISO 3166-1 alpha-2 code.
    #[schema(example = "DE")]
    pub country: String,
}

impl Availability {
    pub(super) fn new(
        variant: &variants::Model,
        is_sold: bool,
        free: Option<i64>,
        now: DateTime<Utc>,
    ) -> Self {
        let is_available = is_sold && free.is_none_or(|units| units > 0);
        Self {
            variant_id: variant.id,
            is_sellable: is_sold,
            available: free,
            is_available,
            ships_on: is_available.then(|| next_working_day(now.date_naive())),
        }
    }
}

/// Parcels are packed the day after, and not on weekends.
fn next_working_day(day: NaiveDate) -> NaiveDate {
    let days = match day.weekday() {
        Weekday::Fri => 3,
        Weekday::Sat => 2,
        Weekday::Mon | Weekday::Tue | Weekday::Wed | Weekday::Thu | Weekday::Sun => 1,
    };
    day.checked_add_days(Days::new(days)).unwrap_or(day)
}

impl Level {
    pub(super) fn new(row: inventory_levels::Model, sku: String) -> Self {
        Self {
            variant_id: row.variant_id,
            sku,
            location_id: row.location_id,
            on_hand: row.on_hand,
            reserved: row.reserved,
            available: row.on_hand - row.reserved,
            version: row.version,
        }
    }
}

impl From<inventory_adjustments::Model> for Adjustment {
    fn from(row: inventory_adjustments::Model) -> Self {
        Self {
            id: row.id,
            variant_id: row.variant_id,
            location_id: row.location_id,
            delta: row.delta,
            on_hand: row.on_hand,
            reason: row.reason,
            note: row.note,
            created_at: row.created_at,
        }
    }
}

impl From<inventory_transfers::Model> for Transfer {
    fn from(row: inventory_transfers::Model) -> Self {
        let is_closed = row.status == TransferStatus::Received;
        let line = |line: shop_store::columns::TransferLine| TransferLine {
            variant_id: line.variant_id,
            quantity: line.quantity,
            received: line.received,
            expected: if is_closed { 0 } else { line.quantity - line.received },
        };
        Self {
            id: row.id,
            from_location_id: row.from_location_id,
            to_location_id: row.to_location_id,
            status: row.status,
            lines: row.lines.0.into_iter().map(line).collect(),
            note: row.note,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<locations::Model> for Location {
    fn from(row: locations::Model) -> Self {
        Self { id: row.id, store_id: row.store_id, name: row.name, country: row.country }
    }
}

impl From<reservations::Model> for View {
    fn from(row: reservations::Model) -> Self {
        Self {
            id: row.id,
            variant_id: row.variant_id,
            location_id: row.location_id,
            quantity: row.quantity,
            holder: row.holder,
            status: row.status,
            expires_at: row.expires_at,
            created_at: row.created_at,
        }
    }
}
