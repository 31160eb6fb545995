use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, GiftCardId, OrderLineId, PaymentMethodId, VariantId};
use shop_domain::reasons::ReturnReason;

use crate::units::LineUnits;

/// Delivered units to be swapped for other variants.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RequestExchange)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What for what.
    pub lines: Vec<Swap>,
    /// Why.
    pub reason: ReturnReason,
    /// With what the difference is settled; the customer may still choose when it is paid when absent.
    pub settle_with: Option<SettleWith>,
    /// The approval that was given for exactly this, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Units of one line, and the variant that takes their place.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ExchangeSwap)]
#[serde(deny_unknown_fields)]
pub struct Swap {
    /// A line of the order.
    pub line_id: OrderLineId,
    /// How many units of it.
    #[schema(example = 1, minimum = 1, maximum = 999)]
    pub quantity: i64,
    /// Another variant of the same product.
    pub variant_id: VariantId,
}

/// Give one of the two.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SettleWith)]
#[serde(deny_unknown_fields)]
pub struct SettleWith {
    /// A saved payment method of the customer. A gift card must cover the difference now.
    pub payment_method_id: Option<PaymentMethodId>,
    /// A gift card of the customer. It must cover the difference now.
    pub gift_card_id: Option<GiftCardId>,
}

/// Units to be sent again, free, with no return.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SendReplacement)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// Which units: lost, or faulty ones.
    pub lines: Vec<LineUnits>,
    /// Why, for the record.
    #[schema(example = "The carrier lost the parcel.", min_length = 1, max_length = 500)]
    pub reason: String,
    /// The approval that was given for exactly this; needed when the goods were delivered.
    pub approval_id: Option<ApprovalId>,
}
