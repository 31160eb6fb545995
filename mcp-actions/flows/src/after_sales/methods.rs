//! The customer's ways to pay, as somebody names them: where money goes back to, and what a difference is settled
//! with. Pure.

use mcp_actions_engine::parts::ValidationError;
use mcp_actions_engine::{Map, Reason};
use serde_json::json;
use shop_domain::status::{InstrumentKind, RefundDestination};
use shop_service::payment_methods::View;
use shop_service::returns;

use super::desk::Desk;
use super::items::fits;
use super::remedy::Remedy;
use crate::wire::{id, text};

impl Desk {
    /// A saved method: by its own id, that of the gift card behind it, or words that fit no other.
    pub(super) fn method(&self, said: &str) -> Option<&View> {
        let is_named = |method: &&View| {
            method.id.to_string() == said || method.gift_card_id.is_some_and(|card| card.to_string() == said)
        };
        if let Some(named) = self.methods.iter().find(is_named) {
            return Some(named);
        }
        let said = said.to_lowercase().replace('_', " ");
        let of_kind = |method: &&View| method.kind.as_str().replace('_', " ") == said;
        let fits_words =
            |method: &&View| fits(&said, &format!("{} {}", method.label, kind_words(method.kind)));
        self.only(of_kind).or_else(|| self.only(fits_words))
    }

    fn only(&self, fits: impl Fn(&&View) -> bool) -> Option<&View> {
        let mut fitting = self.methods.iter().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
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
        let Some(method) = self.method(said) else { return Some(self.no_method("refund_method_id", said)) };
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

    /// Words that name no saved method, or several.
    pub(super) fn no_method(&self, field: &str, said: &str) -> ValidationError {
        let words = format!("“{said}” is no one payment method of this customer: use its id");
        let allowed = self.methods.iter().map(|method| json!(method.id)).collect();
        ValidationError::new(field, Reason::NotFound, words).allowing(allowed)
    }
}

const fn kind_words(kind: InstrumentKind) -> &'static str {
    match kind {
        InstrumentKind::Card => "credit debit card",
        InstrumentKind::Paypal => "paypal",
        InstrumentKind::GiftCard => "gift card",
        InstrumentKind::StoreCredit => "store credit",
    }
}
