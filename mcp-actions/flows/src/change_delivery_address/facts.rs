//! Where it may go, how it travels there and what pays, judged from what the desk knows.

use mcp_actions_engine::parts::{Choice, Map, Risk, RiskLevel, Suggestion, ValidationError};
use mcp_actions_engine::{Facts, Judgement, Preview, Reason};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::code::ErrorCode;
use shop_domain::ids::PaymentMethodId;
use shop_domain::money::Money;
use shop_service::shipping::Rate;
use shop_service::{Error, payment_methods};

use super::agreed::{Agreed, Parcel};
use super::desk::{Desk, Quote, Way, words_of};
use super::{ADDRESS, ADDRESS_ID, LABEL, METHOD, PAY_WITH, SAVE};
use crate::book;
use crate::due::Settlement;
use crate::entities;
use crate::failure::{reason, words};
use crate::wallet;
use crate::wire::{block, choice, object, text};

impl Desk {
    fn judge_address(&self, inputs: &Map) -> Judgement {
        let field = if inputs.contains_key(ADDRESS) { ADDRESS } else { ADDRESS_ID };
        let wrong = |error| Judgement::Invalid(vec![error]);
        if let Way::Closed(rule) = self.way() {
            return wrong(ValidationError::new(field, Reason::NotEligible, words_of(rule)));
        }
        let (said, new) = (text(inputs, ADDRESS_ID), inputs.get(ADDRESS));
        if said.is_some() && new.is_some() {
            let words = "say either address_id or address, not both";
            return wrong(ValidationError::new(ADDRESS, Reason::ValidationFailed, words));
        }
        if let Some(said) = said.filter(|said| self.entry(said).is_none()) {
            return wrong(book::unknown(&self.book, ADDRESS_ID, said));
        }
        let Some(address) = self.address(inputs) else {
            return Judgement::Missing(vec![ADDRESS_ID.to_owned()]);
        };
        if inputs.get(SAVE) == Some(&json!(true)) && self.case.order.customer_id.is_none() {
            let words = "a guest has no address book to keep it in";
            return wrong(ValidationError::new(SAVE, Reason::PreconditionFailed, words));
        }
        if self.is_there(&address) {
            let words = format!("it goes to {} already", address.one_line());
            return wrong(ValidationError::new(field, Reason::PreconditionFailed, words));
        }
        match &self.quote {
            Some(Err(error)) if !self.is_for_shipping(error) => wrong(self.of_shop(field, error)),
            Some(_) | None => Judgement::valid(),
        }
    }

    /// Whether nothing would change.
    fn is_there(&self, address: &Address) -> bool {
        match self.way() {
            Way::Order => self.case.order.shipping_address == *address,
            Way::Redirect => self.to_redirect(address).next().is_none(),
            Way::Closed(_) => false,
        }
    }

    /// Whether another method would help.
    fn is_for_shipping(&self, error: &Error) -> bool {
        error.code == ErrorCode::AddressUndeliverable && self.chooses_method() && !self.rates.is_empty()
    }

    fn chooses_method(&self) -> bool {
        self.way() == Way::Order && self.case.order.shipping_method_id.is_some()
    }

    /// A refusal of the shop, at the field it is about, with the ways on there are.
    fn of_shop(&self, field: &str, error: &Error) -> ValidationError {
        let pointer = error.fields.first().map_or("", |field| field.pointer.as_str());
        let field = if pointer == "/label" { LABEL } else { field };
        let rule = error.rule.as_deref().unwrap_or_default();
        let words = match rule {
            // The shop speaks of an operation that is no door here.
            "shipping_label_bought" => {
                "shipping_label_bought: its label is printed with the old address; once the \
                parcel has left it can be redirected, or staff void the label first"
                    .to_owned()
            }
            "" => words(error),
            rule => format!("{rule}: {}", words(error)),
        };
        let is_out_of_reach = error.code == ErrorCode::AddressUndeliverable;
        let suggestions = if is_out_of_reach { self.elsewhere() } else { Vec::new() };
        ValidationError::new(field, reason(error.code), words).suggesting(suggestions)
    }

    /// Entries of the book that the store delivers to.
    fn elsewhere(&self) -> Vec<Suggestion> {
        let reached = self.book.iter().filter(|entry| self.reached.contains(&entry.id));
        let others = reached.filter(|entry| entry.address != *self.goes_to());
        others
            .map(|entry| book::suggestion(ADDRESS_ID, entry, if entry.is_default { 0.6 } else { 0.5 }))
            .collect()
    }

    fn judge_shipping(&self, inputs: &Map) -> Judgement {
        if !self.chooses_method() {
            return Judgement::Skipped;
        }
        if self.address(inputs).is_none() {
            return Judgement::valid();
        }
        let own = self.case.order.shipping_method_id;
        let said = text(inputs, METHOD).map(str::to_owned).or_else(|| own.map(|id| id.to_string()));
        let goes = |said: &str| self.rates.iter().any(|rate| rate.shipping_method_id.to_string() == said);
        match (said, text(inputs, METHOD)) {
            (Some(said), Some(_)) if goes(&said) => Judgement::valid(),
            (Some(said), None) if goes(&said) => {
                Judgement::Valid { derived: object(json!({ METHOD: said })) }
            }
            (_, said) => {
                let words = match said {
                    Some(said) => format!("shipping method {said} does not go there"),
                    None => {
                        "the shipping method of the order does not go there; choose another one".to_owned()
                    }
                };
                let methods = self.rates.iter().map(|rate| Suggestion {
                    field: METHOD.to_owned(),
                    value: json!(rate.shipping_method_id),
                    label: rate_words(rate),
                    confidence: 0.6,
                });
                let allowed = self.rates.iter().map(|rate| json!(rate.shipping_method_id)).collect();
                let error =
                    ValidationError::new(METHOD, Reason::AddressUndeliverable, words).allowing(allowed);
                Judgement::Invalid(vec![error.suggesting(methods.chain(self.elsewhere()).collect())])
            }
        }
    }

    fn judge_payment(&self, inputs: &Map) -> Judgement {
        match &self.quote {
            // What no earlier node could say.
            Some(Err(error)) => return Judgement::Invalid(vec![self.of_shop(METHOD, error)]),
            Some(Ok(quote)) if quote.asks_payment() => {}
            Some(Ok(_)) => return Judgement::Skipped,
            None => return Judgement::valid(),
        }
        match (text(inputs, PAY_WITH), self.pays_with(inputs)) {
            (Some(_), Some(_)) => Judgement::valid(),
            (None, Some(method)) => Judgement::Valid { derived: object(json!({ PAY_WITH: method.id })) },
            (Some(said), None) => Judgement::Invalid(vec![wallet::unknown(&self.methods, PAY_WITH, said)]),
            (None, None) => {
                let words =
                    "it costs more there, and no way to pay is saved; the person adds one on the console";
                Judgement::Invalid(vec![ValidationError::new(PAY_WITH, Reason::PreconditionFailed, words)])
            }
        }
    }

    /// What was said, or else what paid last, or else the default.
    fn pays_with(&self, inputs: &Map) -> Option<&payment_methods::View> {
        let saved = |id: PaymentMethodId| self.methods.iter().find(|method| method.id == id);
        if let Some(said) = text(inputs, PAY_WITH) {
            return wallet::the_one(&self.methods, said);
        }
        let paid = self.payments.iter().filter(|payment| payment.authorized_minor > 0);
        let usual = paid.filter_map(|payment| payment.payment_method_id).find_map(saved);
        let default = || self.methods.iter().find(|method| method.is_default);
        usual.or_else(default).or_else(|| self.methods.first())
    }

    fn agreed(&self, inputs: &Map) -> Option<Agreed> {
        let (address, quote) = (self.address(inputs)?, self.quote.as_ref()?.as_ref().ok()?);
        let order = &self.case.order;
        let after = quote.after.as_ref().map_or(order, |requoted| &requoted.order);
        let amount = after.total_minor - order.total_minor + quote.fee_minor;
        let pays = self.pays_with(inputs).filter(|_| quote.asks_payment());
        let redirects = self.way() == Way::Redirect;
        let parcel = |it: &shop_service::fulfillments::View| Parcel {
            id: it.id,
            tracking_number: it.tracking_number.clone(),
            from: it.destination.clone(),
        };
        let parcels: Vec<Parcel> =
            if redirects { self.to_redirect(&address).map(parcel).collect() } else { Vec::new() };
        let method = self.rates.iter().find(|rate| Some(rate.shipping_method_id) == after.shipping_method_id);
        let money = |minor| Money { minor, currency: order.currency }.to_string();
        Some(Agreed {
            what: format!(
                "{} {}",
                sentence(order, &address, &parcels),
                costs(quote.settlement, amount, money)
            ),
            order: order.number.clone(),
            from: self.goes_to().one_line(),
            to: address.one_line(),
            previous_address: self.goes_to().clone(),
            parcels,
            shipping_method: method.filter(|_| !redirects).map(|rate| rate.name.clone()),
            shipping_method_id: after.shipping_method_id.filter(|_| !redirects),
            previous_shipping_method_id: order.shipping_method_id.filter(|_| !redirects),
            amount,
            currency: order.currency,
            total_before: order.total_minor,
            total_after: after.total_minor,
            shipping_after: after.shipping_minor,
            tax_after: after.tax_minor,
            settlement: quote.settlement,
            payment_method_id: pays.map(|method| method.id),
            payment: pays.map(|method| method.label.clone()),
            saved_as: self.kept(inputs).map(|kept| kept.label),
            customer_id: order.customer_id,
            staff_approval: quote.noted.approval.is_some(),
            address,
        })
    }
}

impl Quote {
    fn asks_payment(&self) -> bool {
        matches!(self.settlement, Settlement::Charge(_) | Settlement::Hold(_))
    }
}

fn sentence(order: &shop_service::orders::View, to: &Address, parcels: &[Parcel]) -> String {
    match parcels {
        [] => format!("Order {} goes to {} instead.", order.number, to.one_line()),
        [_] => format!("The carrier redirects the parcel of order {} to {}.", order.number, to.one_line()),
        more => {
            format!(
                "The carrier redirects {} parcels of order {} to {}.",
                more.len(),
                order.number,
                to.one_line()
            )
        }
    }
}

fn costs(settlement: Settlement, amount: i64, money: impl Fn(i64) -> String) -> String {
    match settlement {
        Settlement::Charge(minor) => format!("{} more are charged.", money(minor)),
        Settlement::Hold(minor) => format!("{} more are held and taken with the rest.", money(minor)),
        Settlement::GiveBack(minor) => format!("{} go back.", money(minor)),
        Settlement::Later(minor) => format!("{} more are due.", money(minor)),
        Settlement::Nothing if amount < 0 => format!("It costs {} less.", money(-amount)),
        Settlement::Nothing => "It costs nothing.".to_owned(),
    }
}

fn rate_words(rate: &Rate) -> String {
    let price = Money { minor: rate.price_minor, currency: rate.currency };
    format!("{}, {price}, {} to {} days", rate.name, rate.days_min, rate.days_max)
}

impl Facts for Desk {
    fn judge(&self, node: &str, inputs: &Map) -> Judgement {
        match node {
            "ADDRESS" => self.judge_address(inputs),
            "SHIPPING" => self.judge_shipping(inputs),
            "PAYMENT" => self.judge_payment(inputs),
            _ => Judgement::valid(),
        }
    }

    fn options(&self, field: &str, _inputs: &Map) -> Option<Vec<Choice>> {
        match field {
            ADDRESS_ID => {
                let reached = self.book.iter().filter(|entry| self.reached.contains(&entry.id));
                Some(reached.map(|entry| choice(entry.id, entry.label.clone())).collect())
            }
            METHOD if !self.rates.is_empty() => Some(
                self.rates.iter().map(|rate| choice(rate.shipping_method_id, rate_words(rate))).collect(),
            ),
            PAY_WITH => {
                Some(self.methods.iter().map(|method| choice(method.id, method.label.clone())).collect())
            }
            _ => None,
        }
    }

    fn context(&self, _inputs: &Map) -> Map {
        let order = &self.case.order;
        let entry = |entry| {
            let mut block = object(book::entry(entry));
            block.insert("is_deliverable".to_owned(), json!(self.reached.contains(&entry.id)));
            block
        };
        object(json!({
            "order": {
                "id": order.id,
                "number": order.number,
                "status": entities::headline(order),
                "ship_to": block(&order.shipping_address),
                "shipping_method_id": order.shipping_method_id,
                "total": order.total_minor,
                "currency": order.currency,
            },
            "how": match self.way() {
                Way::Order => "the order itself changes: nothing of it has shipped",
                Way::Redirect => "the carrier redirects what travels; the order keeps its address",
                Way::Closed(_) => "it cannot go anywhere else any more",
            },
            "parcels": self.parcels.iter().map(|parcel| json!({
                "id": parcel.id,
                "status": parcel.status,
                "tracking_number": parcel.tracking_number,
                "ship_to": block(&parcel.destination),
            })).collect::<Vec<_>>(),
            "addresses": self.book.iter().map(entry).collect::<Vec<_>>(),
            "shipping_methods": self.rates.iter().map(|rate| json!({
                "id": rate.shipping_method_id,
                "label": rate.name,
                "price": rate.price_minor,
                "days": [rate.days_min, rate.days_max],
            })).collect::<Vec<_>>(),
            "payment_methods": self.methods.iter().map(wallet::entry).collect::<Vec<_>>(),
        }))
    }

    fn preview(&self, inputs: &Map) -> Preview {
        let Some(agreed) = self.agreed(inputs) else {
            let risk = Risk { level: RiskLevel::Low, factors: Vec::new() };
            return Preview { summary: Map::new(), risk, staff_approval: false };
        };
        let mut factors = Vec::new();
        if !agreed.parcels.is_empty() {
            factors.push("outside: a carrier is told, and may be too late".to_owned());
        }
        if agreed.amount != 0 {
            factors.push(format!("moves_money: the difference is {} {}", agreed.amount, agreed.currency));
        }
        // Parcels sent to a stranger are how accounts are robbed.
        let level = if agreed.customer_id.is_some() && self.book.iter().any(|it| it.address == agreed.address)
        {
            RiskLevel::Low
        } else {
            factors.push("new_address: it is not in the address book".to_owned());
            RiskLevel::Medium
        };
        let staff_approval = agreed.staff_approval;
        Preview { summary: agreed.summary(), risk: Risk { level, factors }, staff_approval }
    }
}
