//! What a store may decide for itself.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reasons::CancelReason;
use crate::status::RefundDestination;

/// The policies of one store. Fields left out of stored JSON have their default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, FromJsonQueryResult)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Days after delivery in which goods may be returned or exchanged.
    pub return_window_days: i64,
    /// Days after delivery in which a price drop is paid back.
    pub price_match_days: i64,
    /// Refunds of one order and day, and what one customer is given in a day for nothing in return, need a second
    /// person above this sum, in minor units.
    pub refund_limit_minor: i64,
    /// Minutes that a person's consent can be spent.
    pub consent_minutes: i64,
    /// Minutes that stock, coupons and gift cards stay held for an idle action or cart.
    pub hold_minutes: i64,
    /// Hours that a staff approval can be decided and used.
    pub approval_hours: i64,
    /// Reasons for which an order may be cancelled.
    pub cancel_reasons: Vec<CancelReason>,
    /// Where refunds may go.
    pub refund_destinations: Vec<RefundDestination>,
    /// Whether a return for a routine reason is approved without staff.
    pub auto_approve_returns: bool,
    /// Whether new goods of an exchange wait until the old ones are back.
    pub exchange_waits_for_return: bool,
    /// Whether an order may have only one return or exchange in its life.
    pub one_after_sales_per_order: bool,
    /// Whether an order whose items were changed may neither be cancelled nor changed again.
    pub edit_once: bool,
    /// Whether risk never asks for a second person.
    pub no_risk_gate: bool,
    /// Whether a customer has one address, which is edited in place.
    pub one_address: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            return_window_days: 30,
            price_match_days: 14,
            refund_limit_minor: 20_000,
            consent_minutes: 15,
            hold_minutes: 30,
            approval_hours: 24,
            cancel_reasons: CancelReason::ALL.to_vec(),
            refund_destinations: RefundDestination::ALL.to_vec(),
            auto_approve_returns: true,
            exchange_waits_for_return: true,
            one_after_sales_per_order: false,
            edit_once: false,
            no_risk_gate: false,
            one_address: false,
        }
    }
}

impl Policy {
    /// The policy of worlds imported from the τ²-bench retail data.
    #[must_use]
    pub fn tau2() -> Self {
        Self {
            cancel_reasons: vec![CancelReason::NoLongerNeeded, CancelReason::OrderedByMistake],
            refund_destinations: vec![RefundDestination::OriginalMethod, RefundDestination::GiftCard],
            auto_approve_returns: false,
            one_after_sales_per_order: true,
            edit_once: true,
            no_risk_gate: true,
            one_address: true,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_json_may_leave_out_what_is_default() {
        assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::default());
        let stored: Policy = serde_json::from_str(r#"{"return_window_days": 100}"#).unwrap();
        assert_eq!(stored, Policy { return_window_days: 100, ..Policy::default() });
        assert!(serde_json::from_str::<Policy>(r#"{"return_window": 100}"#).is_err());
    }

    #[test]
    fn policies_survive_storage() {
        for policy in [Policy::default(), Policy::tau2()] {
            let stored = serde_json::to_string(&policy).unwrap();
            assert_eq!(serde_json::from_str::<Policy>(&stored).unwrap(), policy);
        }
    }
}
