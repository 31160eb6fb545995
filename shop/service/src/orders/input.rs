use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{ApprovalId, CustomerId, ShippingMethodId, StoreId};
use shop_domain::limits;
use shop_domain::reasons::CancelReason;
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};

use crate::error::{Error, Result};

/// Which orders to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one commercial state.
    pub status: Option<OrderStatus>,
    /// In one money state.
    pub payment_status: Option<OrderPaymentStatus>,
    /// In one goods state.
    pub fulfillment_status: Option<OrderFulfillmentStatus>,
    /// Of one customer.
    pub customer_id: Option<CustomerId>,
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// By its human number, such as `#1042`.
    #[param(example = "#1042")]
    pub number: Option<String>,
}

/// Stops an order. Refunds nothing.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CancelOrder)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Why; one of those the store offers.
    pub reason: CancelReason,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Pauses an order for a check.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = HoldOrder)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// What is to be checked.
    #[schema(example = "address check", max_length = 500)]
    pub reason: Option<String>,
}

/// Sends an unshipped order elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ChangeOrderDeliveryAddress)]
#[serde(deny_unknown_fields)]
pub struct ChangeAddress {
    /// The whole new address.
    pub address: Address,
    /// The method to send it by, where the order's own does not go there; the order's own when absent.
    pub shipping_method_id: Option<ShippingMethodId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Sends an unshipped order by another method.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ChangeOrderShippingOption)]
#[serde(deny_unknown_fields)]
pub struct ChangeShipping {
    /// A method of the store that reaches the order's address.
    pub shipping_method_id: ShippingMethodId,
}

/// Who gets the notices of an order; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateOrderContact)]
#[serde(deny_unknown_fields)]
pub struct UpdateContact {
    #[schema(example = "ada@example.com", max_length = 254)]
    pub email: Option<String>,
    /// Empty removes it.
    #[schema(example = "+49 40 123456", max_length = 32)]
    pub phone: Option<String>,
}

pub(super) fn check_reason(reason: Option<&String>) -> Result<()> {
    if reason.is_some_and(|reason| reason.len() > limits::REASON_CHARS_MAX) {
        let max = limits::REASON_CHARS_MAX;
        return Err(Error::invalid("/reason", format!("a reason has at most {max} characters")));
    }
    Ok(())
}
