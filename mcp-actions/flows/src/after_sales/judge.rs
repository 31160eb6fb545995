//! The judgement of each node.

use mcp_actions_engine::parts::ValidationError;
use mcp_actions_engine::{Judgement, Map, Reason};
use serde_json::{Value, json};
use shop_domain::governance::Role;

use super::Entry;
use super::desk::Desk;
use super::dispatch::{Chosen, No, Open, places, takes_all};
use super::items::{Stage, Units};
use super::problem::{Kind, Problem};
use super::quote::field_of;
use super::remedy::Remedy;
use crate::failure::{reason, words};
use crate::wire::{object, text};

impl Desk {
    /// What is wrong, where that alone decides.
    pub(super) fn judge_problem(&self, inputs: &Map) -> Judgement {
        let Some(problem) = self.problem(inputs) else { return Judgement::valid() };
        let is_decided = !self.is_about_goods(problem) || self.is_money_unknown();
        match self.choose(inputs) {
            Err(Open::No(no)) if is_decided => Judgement::Invalid(vec![self.refused("problem", &no)]),
            Ok(_) | Err(Open::No(_) | Open::Missing(_) | Open::Wrong(_)) if is_decided => {
                self.priced(&["problem", ""], "problem", Judgement::valid())
            }
            Ok(_) | Err(_) => Judgement::valid(),
        }
    }

    fn is_about_goods(&self, problem: Problem) -> bool {
        match problem.kind() {
            Kind::Unwanted | Kind::Wrong | Kind::Missing => true,
            Kind::Money | Kind::Unpaid => false,
        }
    }

    /// The reason of a direct entry.
    pub(super) fn judge_reason(&self, inputs: &Map) -> Judgement {
        match self.entry {
            Entry::Cancel => self.judge_cancel(inputs),
            Entry::ReturnRefund if self.pays_return() => Judgement::Skipped,
            Entry::Any | Entry::RefundOnly | Entry::ReturnRefund | Entry::Exchange => Judgement::valid(),
        }
    }

    fn judge_cancel(&self, inputs: &Map) -> Judgement {
        if let Err(open) = self.choose(inputs) {
            return self.not_yet("reason", &open);
        }
        let offered = self.cancel_reasons();
        match text(inputs, "reason") {
            Some(said) if !offered.contains(&said) => {
                let words = format!("the reason is one of {}", offered.join(", "));
                let error = ValidationError::new("reason", Reason::ValidationFailed, words);
                Judgement::Invalid(vec![error.allowing(offered.iter().map(|word| json!(word)).collect())])
            }
            Some(_) => self.priced(&["reason", "items", ""], "reason", Judgement::valid()),
            None => Judgement::valid(),
        }
    }

    /// What the store lets this caller give as a reason.
    pub(super) fn cancel_reasons(&self) -> Vec<&'static str> {
        let offered = self.case.policy.cancel_reasons.iter();
        let offered = offered.filter(|reason| self.role != Role::Shopper || reason.is_customers());
        offered.map(|reason| reason.as_str()).collect()
    }

    pub(super) fn judge_items(&self, inputs: &Map) -> Judgement {
        match (self.entry, self.problem(inputs)) {
            (Entry::Any, None) => Judgement::valid(),
            (Entry::Any, Some(problem)) if !self.is_about_goods(problem) => Judgement::Skipped,
            // What is wanted is asked next, so only what the goods themselves rule out counts here.
            (Entry::Any, Some(problem)) => {
                let picked = match self.pick(inputs, places(problem), |stage| takes_all(problem, stage)) {
                    Ok(picked) => picked,
                    Err(unclear) => return self.not_yet("items", &Open::from(unclear)),
                };
                match self.remedies(problem, &picked) {
                    Ok(_) => self.derive_items(inputs, &picked.units),
                    Err(open) => self.not_yet("items", &open),
                }
            }
            (Entry::ReturnRefund, _) if self.pays_return() => Judgement::Skipped,
            (Entry::Exchange, _) if !inputs.contains_key("items") => Judgement::valid(),
            (Entry::RefundOnly | Entry::ReturnRefund | Entry::Exchange | Entry::Cancel, _) => {
                match self.choose(inputs) {
                    Ok(Some(chosen)) => self.derive_items(inputs, &chosen.units),
                    Ok(None) => Judgement::valid(),
                    Err(open) => self.not_yet("items", &open),
                }
            }
        }
    }

    /// Says which units are meant where nobody named them.
    fn derive_items(&self, inputs: &Map, units: &[Units]) -> Judgement {
        let items = units.iter().map(|units| json!({ "id": units.line_id, "quantity": units.quantity }));
        let derived = match inputs.contains_key("items") {
            true => Map::new(),
            false => object(json!({ "items": items.collect::<Vec<Value>>() })),
        };
        self.priced(&["items"], "items", Judgement::Valid { derived })
    }

    pub(super) fn judge_remedy(&self, inputs: &Map) -> Judgement {
        let Some(problem) = self.problem(inputs) else { return Judgement::valid() };
        if !self.is_about_goods(problem) {
            return Judgement::valid();
        }
        let chosen = match self.choose(inputs) {
            Ok(Some(chosen)) => chosen,
            Ok(None) => return Judgement::valid(),
            Err(open) => return self.not_yet("wants", &open),
        };
        let staff_decide = matches!(chosen.remedy, Remedy::RefundKept | Remedy::Replace);
        if staff_decide && chosen.stage == Some(Stage::Delivered) && !inputs.contains_key("details") {
            return Judgement::Missing(vec!["details".to_owned()]);
        }
        self.priced(&["details", "wants"], "wants", Judgement::valid())
    }

    pub(super) fn judge_coupon(&self, inputs: &Map) -> Judgement {
        match (self.problem(inputs), text(inputs, "coupon_code")) {
            (Some(Problem::MissedCoupon), None) => Judgement::Missing(vec!["coupon_code".to_owned()]),
            (Some(Problem::MissedCoupon), Some(_)) => {
                self.priced(&["coupon_code"], "coupon_code", Judgement::valid())
            }
            (Some(_) | None, _) => Judgement::Skipped,
        }
    }

    pub(super) fn judge_refund_to(&self, inputs: &Map) -> Judgement {
        let Ok(Some(chosen)) = self.choose(inputs) else { return Judgement::valid() };
        if !self.gives_money(&chosen) {
            return Judgement::Skipped;
        }
        let offered = self.destinations();
        let Some(to) = self.refund_to(inputs, chosen.remedy).filter(|to| offered.contains(to)) else {
            let words: Vec<&str> = offered.iter().map(|to| to.as_str()).collect();
            let message = format!("this store refunds to {}", words.join(" or "));
            let error = ValidationError::new("refund_to", Reason::NotEligible, message);
            return Judgement::Invalid(vec![error.allowing(words.iter().map(|word| json!(word)).collect())]);
        };
        if let Some(error) = self.wrong_refund_method(inputs, to, chosen.remedy) {
            return Judgement::Invalid(vec![error]);
        }
        let valid = Judgement::Valid { derived: object(json!({ "refund_to": to })) };
        match self.entry {
            Entry::RefundOnly => self.rest("items", valid),
            Entry::Cancel => self.rest("reason", valid),
            Entry::Any | Entry::ReturnRefund | Entry::Exchange => {
                self.priced(&["refund_to", "refund_method_id"], "refund_to", valid)
            }
        }
    }

    /// Whether money goes back, now or once the goods are back.
    pub(super) fn gives_money(&self, chosen: &Chosen) -> bool {
        chosen.remedy.is_refund()
            || chosen.remedy == Remedy::Return
            || (chosen.remedy == Remedy::Cancel && self.case.facts.has_refundable)
    }

    pub(super) fn judge_settle(&self, inputs: &Map) -> Judgement {
        match self.choose(inputs) {
            Ok(Some(chosen)) if chosen.remedy == Remedy::Exchange => {}
            Ok(None) | Err(_) => return Judgement::valid(),
            Ok(Some(_)) => return Judgement::Skipped,
        }
        let Some(said) = text(inputs, "settle_with") else {
            // Where there is no difference, nothing settles it unless somebody says so.
            let differs = !matches!(&self.quote, Some(Ok(quote)) if quote.minor == 0);
            let usual = self.usual_method().filter(|_| differs);
            let derived = usual.map(|method| json!({ "settle_with": method.id }));
            let derived = derived.map(object).unwrap_or_default();
            return self.priced(&["settle_with"], "settle_with", Judgement::Valid { derived });
        };
        if self.method(said).is_none() {
            return Judgement::Invalid(vec![self.no_method("settle_with", said)]);
        }
        self.priced(&["settle_with"], "settle_with", Judgement::valid())
    }

    pub(super) fn judge_inspection(&self, inputs: &Map) -> Judgement {
        match self.choose(inputs) {
            Ok(Some(chosen)) if self.is_unjudged(&chosen) => {}
            Ok(None) | Err(_) => return Judgement::valid(),
            Ok(Some(_)) => return Judgement::Skipped,
        }
        if !self.may_inspect {
            let words = "the goods are back and staff have not looked at them yet; the money follows then";
            let no = No::because("return_not_inspected", words);
            let field = if self.entry == Entry::Any { "problem" } else { "items" };
            return Judgement::Invalid(vec![self.refused(field, &no)]);
        }
        match inputs.contains_key("condition") {
            true => Judgement::valid(),
            false => Judgement::Missing(vec!["condition".to_owned()]),
        }
    }

    pub(super) fn judge_delivery(&self, inputs: &Map) -> Judgement {
        match self.choose(inputs) {
            Ok(Some(chosen)) if self.waits(&chosen) => {
                let travelling = self.parcels.iter().filter(|parcel| parcel.travels());
                let by = travelling.filter_map(|parcel| parcel.expected_by).max();
                let by = by.map(|by| format!(", expected by {}", by.format("%-d %B %Y"))).unwrap_or_default();
                let message = format!("the parcel is on its way{by}; this goes on once it has arrived");
                Judgement::Waiting { message }
            }
            Ok(_) => self.rest("items", Judgement::valid()),
            Err(_) => Judgement::valid(),
        }
    }

    /// Whether this return entry pays for goods that are back instead of asking for others.
    pub(super) fn pays_return(&self) -> bool {
        self.unpaid_return().is_some() && !self.has_returnable()
    }

    fn not_yet(&self, field: &str, open: &Open) -> Judgement {
        match open {
            Open::Missing(field) => Judgement::Missing(vec![(*field).to_owned()]),
            Open::Wrong(error) => Judgement::Invalid(vec![(**error).clone()]),
            Open::No(no) => Judgement::Invalid(vec![self.refused(field, no)]),
        }
    }

    /// A judgement, unless the shop itself refuses the wish for one of these fields.
    fn priced(&self, fields: &[&str], own: &str, judgement: Judgement) -> Judgement {
        match &self.quote {
            Some(Err(error)) if fields.contains(&field_of(error)) => {
                let field = if field_of(error).is_empty() { own } else { field_of(error) };
                Judgement::Invalid(vec![self.of_shop(field, error)])
            }
            Some(_) | None => judgement,
        }
    }

    /// The same for whatever no earlier node took.
    fn rest(&self, own: &str, judgement: Judgement) -> Judgement {
        match &self.quote {
            Some(Err(error)) => {
                let field = if field_of(error).is_empty() { own } else { field_of(error) };
                Judgement::Invalid(vec![self.of_shop(field, error)])
            }
            Some(Ok(_)) | None => judgement,
        }
    }

    fn of_shop(&self, field: &str, error: &shop_service::Error) -> ValidationError {
        let rule = error.rule.as_ref().map(|rule| format!("{rule}: ")).unwrap_or_default();
        ValidationError::new(field, reason(error.code), format!("{rule}{}", words(error)))
    }
}
