use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::fulfillments::DeliveryException;
use shop_domain::ids::{ApprovalId, LocationId, OrderId, ShippingMethodId};
use shop_domain::limits;
use shop_domain::status::FulfillmentStatus;

use crate::error::{Error, Result};
use crate::units::LineUnits;

/// Units to be packed as one parcel.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateFulfillment)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Which units; everything that is in no parcel yet when absent.
    pub lines: Option<Vec<LineUnits>>,
    /// Where they leave from; the location that holds the stock when absent.
    pub location_id: Option<LocationId>,
}

/// How a parcel is handed to its carrier.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ShipFulfillment)]
#[serde(deny_unknown_fields)]
pub struct Ship {
    /// The shipping method that is really used; the one the customer chose when absent.
    pub shipping_method_id: Option<ShippingMethodId>,
    /// The carrier's number; the label's, or a new one, when absent.
    #[schema(example = "TW000482019337", min_length = 4, max_length = 64)]
    pub tracking_number: Option<String>,
}

/// Another address for a parcel that is on its way.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RedirectShipment)]
#[serde(deny_unknown_fields)]
pub struct Redirect {
    /// The whole new address; one that the store delivers to.
    pub address: Address,
    /// The approval that was given for exactly this, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// A correction of what the carrier is asked with; what is absent stays.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateTrackingNumber)]
#[serde(deny_unknown_fields)]
pub struct UpdateTracking {
    /// Who carries it.
    #[schema(example = "Northwind Parcel", min_length = 1, max_length = 120)]
    pub carrier: Option<String>,
    /// The carrier's number; no other parcel may have it.
    #[schema(example = "TW000482019337", min_length = 4, max_length = 64)]
    pub tracking_number: Option<String>,
}

/// What went wrong with a parcel on its way.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReportDeliveryException)]
#[serde(deny_unknown_fields)]
pub struct ReportException {
    /// What happened.
    pub kind: DeliveryException,
    /// What is known about it.
    #[schema(example = "The carrier has not seen it for ten days.", max_length = 500)]
    pub note: Option<String>,
}

/// Which parcels to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one order.
    pub order_id: Option<OrderId>,
    /// From one location.
    pub location_id: Option<LocationId>,
    /// In one state.
    pub status: Option<FulfillmentStatus>,
}

/// The bounds of a tracking number, which is also part of a path.
pub(super) fn check_tracking_number(number: &str) -> Result<()> {
    let is_plain = number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if number.len() < 4 || number.len() > limits::CODE_CHARS_MAX || !is_plain {
        return Err(Error::invalid(
            "/tracking_number",
            format!("a tracking number has 4 to {} letters, digits and hyphens", limits::CODE_CHARS_MAX),
        ));
    }
    Ok(())
}

pub(super) fn check_carrier(carrier: &str) -> Result<()> {
    if carrier.trim().is_empty() || carrier.len() > limits::NAME_CHARS_MAX {
        return Err(Error::invalid(
            "/carrier",
            format!("a carrier's name has 1 to {} characters", limits::NAME_CHARS_MAX),
        ));
    }
    Ok(())
}
