use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CartId, LocationId, StoreId, VariantId};
use shop_domain::status::ReservationStatus;

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
