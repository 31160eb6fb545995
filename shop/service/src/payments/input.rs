use serde::{Deserialize, Serialize};
use shop_domain::ids::{GiftCardId, OrderId, PaymentId, PaymentMethodId};
use shop_domain::status::{InstrumentKind, PaymentState};

/// Opens a payment for what is still due on an order, or a part of it. Charges nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreatePayment)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// A saved payment method of the customer. Give this, `gift_card_id`, or `instrument`.
    pub payment_method_id: Option<PaymentMethodId>,
    /// A gift card of the customer.
    pub gift_card_id: Option<GiftCardId>,
    /// `store_credit`, or a kind of which the customer's default method is taken; for `gift_card` without a saved
    /// method, the customer's oldest card with something on it.
    pub instrument: Option<InstrumentKind>,
    /// Minor units; all that is still due when absent.
    #[schema(example = 3980, minimum = 1)]
    pub amount_minor: Option<i64>,
    /// The payment this one takes the place of. The old one is refunded once the new one is captured.
    pub replaces_payment_id: Option<PaymentId>,
}

/// Holds the money.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AuthorizePayment)]
#[serde(deny_unknown_fields)]
pub struct Authorize {}

/// Takes held money.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CapturePayment)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Minor units; everything that is held when absent.
    #[schema(example = 3980, minimum = 1)]
    pub amount_minor: Option<i64>,
}

/// Which payments to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one order.
    pub order_id: Option<OrderId>,
    /// In one state.
    pub status: Option<PaymentState>,
}
