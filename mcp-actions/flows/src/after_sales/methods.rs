//! The customer's ways to pay, as somebody names them: where money goes back to, and what a difference is settled
//! with. Pure.

use mcp_actions_engine::parts::ValidationError;
use mcp_actions_engine::{Map, Reason};
use shop_domain::status::{InstrumentKind, RefundDestination};
use shop_service::payment_methods::View;
use shop_service::returns;

use super::desk::Desk;
use super::remedy::Remedy;
use crate::wallet;
use crate::wire::{id, text};

impl Desk {
    /// A saved method, also by the gift card behind it.
    pub(super) fn method(&self, said: &str) -> Option<&View> {
        let is_behind =
            |method: &&View| method.gift_card_id.is_some_and(|card| card.to_string() == said.trim());
        let by_card = self.methods.iter().find(is_behind);
        by_card.or_else(|| wallet::the_one(&self.methods, said))
    }

    /// Whether a payment of the order was made with it.
    pub(super) fn has_paid(&self, method: &View) -> bool {
        self.payments.iter().any(|payment| payment.payment_method_id == Some(method.id))
    }

    /// What a difference is settled with when nobody says otherwise: what paid, else the default.
    pub(super) fn usual_method(&self) -> Option<&View> {
        let through_gateway =
            |method: &&View| matches!(method.kind, InstrumentKind::Card | InstrumentKind::Paypal);
        let usable = || self.methods.iter().filter(through_gateway);
        let paid = usable().find(|method| self.has_paid(method));
        paid.or_else(|| usable().find(|method| method.is_default)).or_else(|| usable().next())
    }

    /// Where the store lets money go, what paid first.
    pub(super) fn destinations(&self) -> Vec<RefundDestination> {
        let mut offered = self.case.policy.refund_destinations.clone();
        offered.retain(|to| *to != RefundDestination::StoreCredit || self.case.order.customer_id.is_some());
        offered.sort_by_key(|to| *to != RefundDestination::OriginalMethod);
        offered
    }

    /// Where money goes: as was said, where the named method takes it, as the return has it, or the way it came.
    pub(super) fn refund_to(&self, inputs: &Map, remedy: Remedy) -> Option<RefundDestination> {
        let named = || {
            let method = self.method(text(inputs, "refund_method_id")?)?;
            let is_other_card = method.kind == InstrumentKind::GiftCard && !self.has_paid(method);
            is_other_card.then_some(RefundDestination::GiftCard)
        };
        let of_return = || self.returned_by(remedy).map(|row| row.refund_to);
        let said = id(inputs, "refund_to").or_else(named);
        said.or_else(of_return).or_else(|| self.destinations().first().copied())
    }

    /// Which method money goes to, where one was named: now, or when the return was asked for.
    pub(super) fn refund_method(&self, inputs: &Map, to: RefundDestination, remedy: Remedy) -> Option<&View> {
        let of_return = || {
            let row = self.returned_by(remedy).filter(|row| row.refund_to == to)?;
            self.methods.iter().find(|method| Some(method.id) == row.refund_method_id)
        };
        text(inputs, "refund_method_id").and_then(|said| self.method(said)).or_else(of_return)
    }

    fn returned_by(&self, remedy: Remedy) -> Option<&returns::View> {
        self.unpaid_return().filter(|_| remedy == Remedy::RefundReturned)
    }

    /// Why money cannot go to the method that was named.
    pub(super) fn wrong_refund_method(
        &self,
        inputs: &Map,
        to: RefundDestination,
        remedy: Remedy,
    ) -> Option<ValidationError> {
        let said = text(inputs, "refund_method_id")?;
        let Some(method) = self.method(said) else {
            return Some(wallet::unknown(&self.methods, "refund_method_id", said));
        };
        let paying = self.methods.iter().filter(|method| self.has_paid(method)).count();
        let words = match to {
            RefundDestination::OriginalMethod if !self.has_paid(method) => {
                format!("{} did not pay this order", method.label)
            }
            // Only a return remembers which one; elsewhere money goes back to each for what it paid.
            RefundDestination::OriginalMethod if paying > 1 && remedy != Remedy::Return => {
                "several methods paid, and each gets its part back: name none".to_owned()
            }
            RefundDestination::GiftCard if method.kind != InstrumentKind::GiftCard => {
                format!("{} is no gift card", method.label)
            }
            RefundDestination::StoreCredit => "store credit goes to no method: name none".to_owned(),
            RefundDestination::OriginalMethod | RefundDestination::GiftCard => return None,
        };
        Some(ValidationError::new("refund_method_id", Reason::NotEligible, words))
    }
}
