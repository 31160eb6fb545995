use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, GiftCardId, OrderId, OrderLineId, PaymentId, ReturnId};
use shop_domain::limits;
use shop_domain::reasons::{CancelReason, RefundReason};
use shop_domain::status::{RefundDestination, RefundKind, RefundStatus};

use crate::LineUnits;
use crate::error::{Error, Result};

/// Money back for goods that have not shipped. They are cancelled, and their stock is free again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundUnshippedItems)]
#[serde(deny_unknown_fields)]
pub struct Unshipped {
    /// Which units; all that have not shipped when absent.
    pub lines: Option<Vec<LineUnits>>,
    /// Why, in a few words.
    #[schema(example = "ordered by mistake", max_length = 500)]
    pub reason: Option<String>,
    /// Why the order is cancelled, where nothing is left of it; `reason` counts when absent.
    pub cancel_reason: Option<CancelReason>,
    /// Where the money goes; back to what paid when absent.
    pub destination: Option<RefundDestination>,
    /// The customer's gift card it goes to, for `gift_card`; a new one is made when absent.
    pub gift_card_id: Option<GiftCardId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Money back for goods that the customer keeps or never got.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundWithoutReturn)]
#[serde(deny_unknown_fields)]
pub struct WithoutReturn {
    /// Which units; all that are with the carrier or the customer when absent.
    pub lines: Option<Vec<LineUnits>>,
    /// `lost`, `damaged` or `goodwill`.
    pub reason: RefundReason,
    /// Where the money goes; back to what paid when absent.
    pub destination: Option<RefundDestination>,
    /// The customer's gift card it goes to, for `gift_card`; a new one is made when absent.
    pub gift_card_id: Option<GiftCardId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Money back for units that came back and were accepted.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundReturnedItems)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// Which units; all that were accepted and are not paid for when absent.
    pub lines: Option<Vec<LineUnits>>,
    /// Where the money goes; as the return says when absent.
    pub destination: Option<RefundDestination>,
    /// The customer's gift card it goes to, for `gift_card`; a new one is made when absent.
    pub gift_card_id: Option<GiftCardId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// The whole shipping charge back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundShippingFee)]
#[serde(deny_unknown_fields)]
pub struct ShippingFee {
    /// Why, in a few words.
    #[schema(example = "arrived a week late", max_length = 500)]
    pub reason: Option<String>,
    /// Where the money goes; back to what paid when absent.
    pub destination: Option<RefundDestination>,
    /// The customer's gift card it goes to, for `gift_card`; a new one is made when absent.
    pub gift_card_id: Option<GiftCardId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// The gap between the shipping that was paid and the cheaper one that was used.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundShippingDifference)]
#[serde(deny_unknown_fields)]
pub struct ShippingDifference {
    /// Where the money goes; back to what paid when absent.
    pub destination: Option<RefundDestination>,
    /// The customer's gift card it goes to, for `gift_card`; a new one is made when absent.
    pub gift_card_id: Option<GiftCardId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// The gap between what was paid and what the order should have cost, or costs now.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RefundPriceAdjustment)]
#[serde(deny_unknown_fields)]
pub struct PriceAdjustment {
    /// `price_drop`, `missed_coupon`, `order_edit` or `payment_replaced`.
    pub reason: RefundReason,
    /// Minor units; at most the gap, which is named when this is more. The whole gap when absent.
    #[schema(example = 500, minimum = 1)]
    pub amount_minor: Option<i64>,
    /// For `price_drop`: the line whose price fell; all lines when absent.
    pub line_id: Option<OrderLineId>,
    /// For `missed_coupon`: the code that was missed. It is used up by this.
    #[schema(example = "SAVE10", max_length = 64)]
    pub coupon_code: Option<String>,
    /// For `payment_replaced`: the payment that was replaced; found when absent.
    pub payment_id: Option<PaymentId>,
    /// Where the money goes; back to what paid when absent.
    pub destination: Option<RefundDestination>,
    /// The customer's gift card it goes to, for `gift_card`; a new one is made when absent.
    pub gift_card_id: Option<GiftCardId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// What to calculate.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CalculateRefund)]
#[serde(deny_unknown_fields)]
pub struct Calculate {
    /// Units to price; only the maxima when absent.
    pub lines: Option<Vec<LineUnits>>,
}

/// Which refunds to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one order.
    pub order_id: Option<OrderId>,
    /// For one return.
    pub return_id: Option<ReturnId>,
    /// In one state.
    pub status: Option<RefundStatus>,
    /// Of one kind.
    pub kind: Option<RefundKind>,
    /// Made at or after this time.
    #[param(example = "2026-01-31T00:00:00Z")]
    pub created_from: Option<chrono::DateTime<chrono::Utc>>,
}

/// A reason in a few words, or the usual one.
pub(super) fn reason_or(reason: Option<&String>, usual: RefundReason) -> Result<String> {
    let Some(reason) = reason else { return Ok(usual.to_string()) };
    if reason.trim().is_empty() || reason.len() > limits::REASON_CHARS_MAX {
        let max = limits::REASON_CHARS_MAX;
        return Err(Error::invalid("/reason", format!("a reason has 1 to {max} characters, or is left out")));
    }
    Ok(reason.clone())
}

/// A reason that this operation knows.
pub(super) fn one_of(reason: RefundReason, known: &[RefundReason]) -> Result<()> {
    if known.contains(&reason) {
        return Ok(());
    }
    let words: Vec<&str> = known.iter().map(|known| known.as_str()).collect();
    Err(Error::invalid("/reason", format!("the reason is one of {}, not {reason}", words.join(", "))))
}
