use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::fulfillments::{DeliveryException, FulfillmentPurpose, ScanCode};
use shop_domain::ids::{ExchangeId, FulfillmentId, LocationId, OrderId};
use shop_domain::money::Currency;
use shop_domain::status::FulfillmentStatus;
use shop_store::entities::{fulfillments, scans};

use crate::units::LineUnits;

/// One parcel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Fulfillment)]
pub struct View {
    pub id: FulfillmentId,
    pub order_id: OrderId,
    /// The exchange whose new goods it carries.
    pub exchange_id: Option<ExchangeId>,
    /// Where it leaves from.
    pub location_id: LocationId,
    /// Why it is sent.
    pub purpose: FulfillmentPurpose,
    pub status: FulfillmentStatus,
    /// What is in it.
    pub lines: Vec<LineUnits>,
    #[schema(example = "Northwind Parcel")]
    pub carrier: Option<String>,
    #[schema(example = "TW000482019337")]
    pub tracking_number: Option<String>,
    /// What its postage cost, in minor units of the order's currency; absent without a label.
    #[schema(example = 490)]
    pub label_minor: Option<i64>,
    /// Where it goes: the order's address when it was packed, or where it was redirected.
    pub destination: Address,
    /// What went wrong on its way, if anything did.
    pub exception_kind: Option<DeliveryException>,
    pub exception_note: Option<String>,
    pub shipped_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// What the carrier saw once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CarrierScan)]
pub struct Scan {
    pub code: ScanCode,
    /// Where.
    #[schema(example = "Hamburg")]
    pub place: String,
    /// In words.
    #[schema(example = "on its way to the destination")]
    pub detail: String,
    pub at: DateTime<Utc>,
}

/// One parcel as its carrier sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShipmentTracking)]
pub struct Tracking {
    pub fulfillment_id: FulfillmentId,
    pub order_id: OrderId,
    pub status: FulfillmentStatus,
    pub carrier: Option<String>,
    pub tracking_number: Option<String>,
    pub destination: Address,
    /// When it should be there at the latest; absent while it has not left, and where the method promises nothing.
    pub expected_by: Option<DateTime<Utc>>,
    /// Oldest first.
    pub scans: Vec<Scan>,
}

/// All parcels of one order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderTracking)]
pub struct OrderTracking {
    pub order_id: OrderId,
    /// Oldest first, each with its latest scan only; `track_shipment` has them all.
    pub parcels: Vec<Tracking>,
}

/// A parcel that goes somewhere else now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShipmentRedirection)]
pub struct Redirection {
    pub fulfillment: View,
    /// What the customer pays for it, in minor units: nothing, by the policy of the shop.
    #[schema(example = 0)]
    pub fee_minor: i64,
    pub currency: Currency,
    /// The parcel's version afterwards; the ETag.
    pub version: i64,
}

impl From<fulfillments::Model> for View {
    fn from(row: fulfillments::Model) -> Self {
        let lines = row.lines.0.into_iter();
        Self {
            id: row.id,
            order_id: row.order_id,
            exchange_id: row.exchange_id,
            location_id: row.location_id,
            purpose: row.purpose,
            status: row.status,
            lines: lines.map(|line| LineUnits { line_id: line.line_id, quantity: line.quantity }).collect(),
            carrier: row.carrier,
            tracking_number: row.tracking_number,
            label_minor: row.label_minor,
            destination: row.destination,
            exception_kind: row.exception_kind,
            exception_note: row.exception_note,
            shipped_at: row.shipped_at,
            delivered_at: row.delivered_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<scans::Model> for Scan {
    fn from(row: scans::Model) -> Self {
        Self { code: row.code, place: row.place, detail: row.detail, at: row.at }
    }
}
