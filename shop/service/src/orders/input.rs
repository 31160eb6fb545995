use serde::{Deserialize, Serialize};
use shop_domain::ids::{CustomerId, StoreId};
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};

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
