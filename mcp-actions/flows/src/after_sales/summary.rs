//! From a wish to what the person is asked to agree to.

use mcp_actions_engine::Map;
use shop_domain::fulfillments::DeliveryException;
use shop_domain::reasons::{CancelReason, PostagePayer, RefundReason};
use shop_domain::returns::ReturnGrade;
use shop_domain::status::RefundDestination;
use shop_service::exchanges::SettleWith;
use shop_service::payment_methods;

use super::Entry;
use super::agreed::{Agreed, Item, NewItem};
use super::desk::Desk;
use super::dispatch::Chosen;
use super::facts::destination;
use super::items::Stage;
use super::problem::Problem;
use super::quote::Quote;
use super::remedy::Remedy;
use crate::wire::{id, text};

impl Desk {
    /// What these inputs come to. Without a quote nothing is said about money.
    pub(super) fn agreed(&self, chosen: &Chosen, inputs: &Map, quote: Option<&Quote>) -> Agreed {
        let gives_money = self.gives_money(chosen);
        let refund_to = gives_money.then(|| self.refund_to(inputs, chosen.remedy)).flatten();
        let method = refund_to.and_then(|to| self.refund_method(inputs, to, chosen.remedy));
        // A return keeps the method; a refund only ever names a card, since the rest goes back the way it came.
        let is_card = refund_to == Some(RefundDestination::GiftCard) && chosen.remedy != Remedy::Return;
        let costs_more = quote.is_some_and(|quote| quote.minor > 0);
        let settle = self.settle_method(inputs, costs_more).filter(|_| chosen.remedy == Remedy::Exchange);
        let condition: Option<ReturnGrade> = id(inputs, "condition");
        let mut agreed = Agreed {
            what: String::new(),
            order: self.case.order.number.clone(),
            resolution: chosen.remedy.word().to_owned(),
            items: chosen
                .units
                .iter()
                .map(|units| Item {
                    id: units.line_id,
                    name: units.title.clone(),
                    quantity: units.quantity,
                    to: units
                        .to
                        .as_ref()
                        .map(|swap| NewItem { id: swap.variant_id, name: swap.title.clone() }),
                })
                .collect(),
            amount: quote.filter(|_| chosen.remedy != Remedy::Replace).map(|quote| quote.minor),
            currency: self.case.order.currency,
            released: self.released(chosen),
            reason: self.reason_word(chosen, inputs),
            cancel_reason: self.cancel_reason(chosen),
            details: text(inputs, "details").map(str::to_owned),
            refund_to,
            refund_to_label: refund_to.map(|to| match (to, method) {
                (_, Some(method)) => method.label.clone(),
                (RefundDestination::GiftCard, None) => "a new gift card".to_owned(),
                (RefundDestination::OriginalMethod | RefundDestination::StoreCredit, None) => {
                    destination(to).to_owned()
                }
            }),
            refund_method_id: method.map(|method| method.id),
            refund_gift_card_id: method.and_then(|method| method.gift_card_id).filter(|_| is_card),
            settle_with: settle.map(settle_with),
            settle_with_label: settle.map(|method| method.label.clone()),
            coupon_code: text(inputs, "coupon_code").map(str::to_owned),
            return_id: chosen.return_id,
            postage_payer: (chosen.remedy.needs_delivery()).then(|| self.postage_payer(chosen)),
            reported_lost: chosen.lost.clone(),
            condition: condition.filter(|_| self.is_unjudged(chosen)),
            staff_approval: quote.is_some_and(|quote| quote.noted.approval.is_some()),
            next: self.next(chosen).to_owned(),
        };
        agreed.what = what(chosen, &agreed);
        agreed
    }

    /// Whether nothing of the order is left then.
    fn ends_the_order(&self, chosen: &Chosen) -> bool {
        let lines = self.case.order.lines.iter();
        let all: i64 = lines.map(|line| line.quantity - line.cancelled_quantity).sum();
        let named: i64 = chosen.units.iter().map(|units| units.quantity).sum();
        named == all
    }

    fn cancel_reason(&self, chosen: &Chosen) -> Option<CancelReason> {
        let reason = chosen.problem?.cancel_reason();
        let is_offered = self.cancel_reasons().contains(&reason.as_str());
        let ends = chosen.remedy == Remedy::RefundUnshipped && self.ends_the_order(chosen);
        (ends && is_offered).then_some(reason)
    }

    /// Held money is let go once nothing of the order is left to pay for.
    fn released(&self, chosen: &Chosen) -> i64 {
        match chosen.remedy {
            Remedy::Cancel => self.held_minor(),
            Remedy::RefundUnshipped if self.ends_the_order(chosen) => self.held_minor(),
            Remedy::RefundUnshipped
            | Remedy::RefundKept
            | Remedy::RefundReturned
            | Remedy::Return
            | Remedy::Exchange
            | Remedy::Replace
            | Remedy::ShippingFee
            | Remedy::ShippingDifference
            | Remedy::PriceAdjustment => 0,
        }
    }

    /// The reason in the words of the operation that is called.
    fn reason_word(&self, chosen: &Chosen, inputs: &Map) -> String {
        let problem = chosen.problem.unwrap_or(Problem::NoLongerNeeded);
        match chosen.remedy {
            Remedy::Cancel if self.entry == Entry::Cancel => {
                text(inputs, "reason").unwrap_or_default().to_owned()
            }
            Remedy::Cancel => {
                let reason = problem.cancel_reason();
                let is_offered = self.cancel_reasons().contains(&reason.as_str());
                if is_offered { reason.to_string() } else { CancelReason::NoLongerNeeded.to_string() }
            }
            Remedy::RefundKept => kept_reason(problem, chosen.stage).to_string(),
            Remedy::PriceAdjustment if problem == Problem::MissedCoupon => {
                RefundReason::MissedCoupon.to_string()
            }
            Remedy::PriceAdjustment => RefundReason::PriceDrop.to_string(),
            Remedy::Return | Remedy::Exchange => problem.return_reason().to_string(),
            Remedy::RefundUnshipped => {
                chosen.problem.map_or(CancelReason::NoLongerNeeded.as_str(), Problem::word).to_owned()
            }
            Remedy::RefundReturned | Remedy::Replace | Remedy::ShippingFee | Remedy::ShippingDifference => {
                problem.word().to_owned()
            }
        }
    }

    fn postage_payer(&self, chosen: &Chosen) -> PostagePayer {
        chosen.problem.unwrap_or(Problem::ChangedMind).return_reason().postage_payer()
    }

    /// What was named; where there is something to pay and nothing was, what usually pays.
    fn settle_method(&self, inputs: &Map, costs_more: bool) -> Option<&payment_methods::View> {
        match text(inputs, "settle_with") {
            Some(said) => self.method(said),
            None => self.usual_method().filter(|_| costs_more),
        }
    }

    fn is_approved_unseen(&self, chosen: &Chosen) -> bool {
        let reason = chosen.problem.unwrap_or(Problem::ChangedMind).return_reason();
        self.case.policy.auto_approve_returns && reason.is_routine()
    }

    fn next(&self, chosen: &Chosen) -> &'static str {
        match chosen.remedy {
            Remedy::Return if self.is_approved_unseen(chosen) => {
                "The goods are sent back within 14 days; once they are back and accepted, after_sales with \
                 return_unpaid pays for them."
            }
            Remedy::Return => {
                "Staff look at the request first; then the goods are sent back, and once they are accepted they are \
                 paid for."
            }
            Remedy::Exchange if self.case.policy.exchange_waits_for_return => {
                "The new goods are held. Staff accept the exchange and fix the difference; the new goods leave once the \
                 old ones are back."
            }
            Remedy::Exchange => {
                "The new goods are held. Staff accept the exchange and fix the difference; then the new goods leave."
            }
            Remedy::Replace => "The same goods are packed again and sent, free.",
            Remedy::Cancel => "Nothing is sent. Money goes back to where it came from, a gift card at once.",
            Remedy::RefundUnshipped
            | Remedy::RefundKept
            | Remedy::RefundReturned
            | Remedy::ShippingFee
            | Remedy::ShippingDifference
            | Remedy::PriceAdjustment => "The money is on its way; a card shows it in a few days.",
        }
    }
}

fn settle_with(method: &payment_methods::View) -> SettleWith {
    SettleWith { payment_method_id: Some(method.id), gift_card_id: None }
}

/// Why money goes back for goods that do not come back.
fn kept_reason(problem: Problem, stage: Option<Stage>) -> RefundReason {
    if matches!(problem, Problem::Faulty | Problem::DamagedInTransit) {
        return RefundReason::Damaged;
    }
    if problem == Problem::NeverArrived || stage == Some(Stage::Shipped) {
        return RefundReason::Lost;
    }
    RefundReason::Goodwill
}

/// The whole of it in a sentence.
fn what(chosen: &Chosen, agreed: &Agreed) -> String {
    let items = Desk::titles(chosen);
    let order = &agreed.order;
    let amount = agreed.amount.map(|minor| agreed.money(minor));
    let money = amount.clone().unwrap_or_else(|| "the money".to_owned());
    let to = agreed.refund_to_label.clone().unwrap_or_default();
    let lost = if agreed.reported_lost.is_empty() {
        String::new()
    } else {
        format!("Put the parcel on record as {}. ", DeliveryException::Lost)
    };
    match chosen.remedy {
        Remedy::Cancel if agreed.amount.is_some_and(|minor| minor > 0) => {
            format!("Cancel order {order} and refund {money} to {to}")
        }
        Remedy::Cancel if agreed.released > 0 => {
            format!("Cancel order {order} and let go of {} that is held", agreed.money(agreed.released))
        }
        Remedy::Cancel => format!("Cancel order {order}"),
        Remedy::RefundUnshipped => {
            format!("Take {items} out of order {order}, which has not shipped, and refund {money} to {to}")
        }
        Remedy::RefundKept => format!("{lost}Refund {money} to {to} for {items}; nothing is sent back"),
        Remedy::RefundReturned if agreed.condition == Some(ReturnGrade::SendBack) => {
            format!("Send {items} back to the customer unpaid, as not accepted")
        }
        Remedy::RefundReturned => format!("Refund {money} to {to} for {items}, which came back"),
        Remedy::Return => format!("Send {items} back; {money} goes to {to} once they are back and accepted"),
        Remedy::Exchange => {
            let swaps = agreed.items.iter().filter_map(|item| {
                let new = item.to.as_ref()?;
                Some(format!("{} × {} for {}", item.quantity, item.name, new.name))
            });
            let swaps = swaps.collect::<Vec<_>>().join(", ");
            let difference = match agreed.amount {
                Some(0) => "at no difference".to_owned(),
                Some(minor) if minor > 0 => format!("for {} more", agreed.money(minor)),
                Some(minor) => format!("and {} come back", agreed.money(-minor)),
                None => "at the difference in price".to_owned(),
            };
            format!("Exchange {swaps} {difference}")
        }
        Remedy::Replace => format!("{lost}Send {items} again, free"),
        Remedy::ShippingFee => format!("Refund the shipping fee of order {order}, {money}, to {to}"),
        Remedy::ShippingDifference => {
            format!("Refund what faster shipping cost more on order {order}, {money}, to {to}")
        }
        Remedy::PriceAdjustment => {
            format!("Refund {money} to {to}, which order {order} cost more than it should have")
        }
    }
}
