//! What may be changed, and to what.

use mcp_actions_engine::parts::{Choice, Map, Risk, RiskLevel, ValidationError};
use mcp_actions_engine::{Facts, Judgement, Preview, Reason};
use serde_json::json;
use shop_service::Error;

use super::change::Change;
use super::desk::Desk;
use super::{
    ADDRESS, ADDRESS_ID, CHANGE, CONTACT, DEFAULT, EMAIL, FIRST_NAME, LABEL, LAST_NAME, METHOD, PHONE,
};
use crate::failure::{reason, words};
use crate::wire::{choice, object, text};
use crate::{book, wallet};

impl Desk {
    fn judge_change(&self, inputs: &Map) -> Judgement {
        match Change::of(inputs) {
            Some(Change::AddAddress) if self.has_one_address && !self.book.is_empty() => {
                let words = "a customer has one address here: edit it with edit_address";
                wrong(CHANGE, Reason::NotEligible, words)
            }
            Some(_) => Judgement::valid(),
            None => {
                let meant = self.meant.map(|change| object(json!({ CHANGE: change })));
                Judgement::Valid { derived: meant.unwrap_or_default() }
            }
        }
    }

    fn judge_contact(&self, inputs: &Map) -> Judgement {
        match Change::of(inputs) {
            Some(Change::Contact) => {}
            Some(_) => return Judgement::Skipped,
            None => return Judgement::valid(),
        }
        if !CONTACT.iter().any(|field| inputs.contains_key(*field)) {
            return Judgement::Missing(CONTACT.map(str::to_owned).to_vec());
        }
        if self.agreed(inputs).is_none() {
            let field = CONTACT.into_iter().find(|field| inputs.contains_key(*field)).unwrap_or(EMAIL);
            return wrong(field, Reason::PreconditionFailed, "it says so already: nothing would change");
        }
        self.unless_refused(EMAIL)
    }

    fn judge_entry(&self, inputs: &Map) -> Judgement {
        match Change::of(inputs) {
            Some(change) if change.names_entry() => {}
            Some(_) => return Judgement::Skipped,
            None => return Judgement::valid(),
        }
        match (text(inputs, ADDRESS_ID), self.entry(inputs)) {
            (Some(said), None) => Judgement::Invalid(vec![book::unknown(&self.book, ADDRESS_ID, said)]),
            (None, None) if self.book.is_empty() => {
                wrong(ADDRESS_ID, Reason::PreconditionFailed, "the address book is empty: use add_address")
            }
            (None, None) => Judgement::Missing(vec![ADDRESS_ID.to_owned()]),
            (_, Some(entry)) if Change::of(inputs) == Some(Change::DefaultAddress) && entry.is_default => {
                wrong(
                    ADDRESS_ID,
                    Reason::PreconditionFailed,
                    "it is the default already: nothing would change",
                )
            }
            (Some(_), Some(_)) => Judgement::valid(),
            (None, Some(entry)) => Judgement::Valid { derived: object(json!({ ADDRESS_ID: entry.id })) },
        }
    }

    fn judge_address(&self, inputs: &Map) -> Judgement {
        let change = match Change::of(inputs) {
            Some(change) if change.says_address() => change,
            Some(_) => return Judgement::Skipped,
            None => return Judgement::valid(),
        };
        let says = |field: &str| inputs.contains_key(field);
        match (change, inputs.get(ADDRESS)) {
            (Change::AddAddress, None) => return Judgement::Missing(vec![ADDRESS.to_owned()]),
            (Change::AddAddress, Some(_)) if self.address(inputs, None).is_none() => {
                let words = "a new address needs line1, city, postal_code and country";
                return wrong(ADDRESS, Reason::ValidationFailed, words);
            }
            (_, None) if !says(LABEL) && !says(DEFAULT) => {
                return Judgement::Missing(vec![ADDRESS.to_owned(), LABEL.to_owned()]);
            }
            (_, _) => {}
        }
        if self.agreed(inputs).is_none() {
            let field = [ADDRESS, LABEL, DEFAULT].into_iter().find(|field| says(field)).unwrap_or(ADDRESS);
            return wrong(field, Reason::PreconditionFailed, "it says so already: nothing would change");
        }
        self.unless_refused(ADDRESS)
    }

    fn judge_method(&self, inputs: &Map) -> Judgement {
        let change = match Change::of(inputs) {
            Some(change) if change.names_method() => change,
            // What no earlier node could say about the rest.
            Some(_) => {
                return if self.refusal.is_some() { self.unless_refused(CHANGE) } else { Judgement::Skipped };
            }
            None => return Judgement::valid(),
        };
        match (text(inputs, METHOD), self.method(inputs)) {
            (None, _) => Judgement::Missing(vec![METHOD.to_owned()]),
            (Some(said), None) => Judgement::Invalid(vec![wallet::unknown(&self.methods, METHOD, said)]),
            (Some(_), Some(method)) if change == Change::DefaultPaymentMethod && method.is_default => {
                wrong(METHOD, Reason::PreconditionFailed, "it is the default already: nothing would change")
            }
            (Some(_), Some(_)) => self.unless_refused(METHOD),
        }
    }

    /// Fine, unless the shop itself refuses it.
    fn unless_refused(&self, field: &str) -> Judgement {
        match &self.refusal {
            Some(error) => wrong(field_of(error).unwrap_or(field), reason(error.code), words_of(error)),
            None => Judgement::valid(),
        }
    }
}

fn wrong(field: &str, code: Reason, words: impl Into<String>) -> Judgement {
    Judgement::Invalid(vec![ValidationError::new(field, code, words)])
}

/// The field that a refusal of the shop is about.
fn field_of(error: &Error) -> Option<&'static str> {
    let pointer = error.fields.first().map_or("", |field| field.pointer.as_str());
    let named = [
        ("/email", EMAIL),
        ("/first_name", FIRST_NAME),
        ("/last_name", LAST_NAME),
        ("/phone", PHONE),
        ("/label", LABEL),
        ("/address", ADDRESS),
    ];
    named.into_iter().find(|(start, _)| pointer.starts_with(start)).map(|(_, field)| field)
}

fn words_of(error: &Error) -> String {
    match error.rule.as_deref() {
        // Whose account that is stays between them and the shop.
        Some("email_taken") => "email_taken: another account uses this email address".to_owned(),
        Some(rule) => format!("{rule}: {}", words(error)),
        None => words(error),
    }
}

impl Facts for Desk {
    fn judge(&self, node: &str, inputs: &Map) -> Judgement {
        match node {
            "CHANGE" => self.judge_change(inputs),
            "CONTACT" => self.judge_contact(inputs),
            "ENTRY" => self.judge_entry(inputs),
            "ADDRESS" => self.judge_address(inputs),
            "PAYMENT_METHOD" => self.judge_method(inputs),
            _ => Judgement::valid(),
        }
    }

    fn options(&self, field: &str, _inputs: &Map) -> Option<Vec<Choice>> {
        match field {
            CHANGE => {
                let is_open =
                    |it: &Change| *it != Change::AddAddress || !self.has_one_address || self.book.is_empty();
                let open = Change::ALL.into_iter().filter(is_open);
                Some(open.map(|change| choice(change.word(), change.label())).collect())
            }
            ADDRESS_ID => Some(self.book.iter().map(|entry| choice(entry.id, entry.label.clone())).collect()),
            METHOD => Some(self.methods.iter().map(|it| choice(it.id, it.label.clone())).collect()),
            _ => None,
        }
    }

    fn context(&self, inputs: &Map) -> Map {
        let customer = &self.customer;
        // What there is to choose from, as far as the change is about it.
        let change = Change::of(inputs);
        let is_about = |fits: fn(Change) -> bool| change.is_none_or(fits);
        let entries = self.book.iter().filter(|_| is_about(|it| it.names_entry() || it.says_address()));
        let methods = self.methods.iter().filter(|_| is_about(Change::names_method));
        object(json!({
            "customer": {
                "id": customer.id,
                "email": customer.email,
                "phone": customer.phone,
                "first_name": customer.first_name,
                "last_name": customer.last_name,
                "accepts_marketing": customer.accepts_marketing,
            },
            "addresses": entries.map(book::entry).collect::<Vec<_>>(),
            "payment_methods": methods.map(wallet::entry).collect::<Vec<_>>(),
        }))
    }

    fn preview(&self, inputs: &Map) -> Preview {
        let Some(agreed) = self.agreed(inputs).map(super::agreed::Agreed::told) else {
            let risk = Risk { level: RiskLevel::Low, factors: Vec::new() };
            return Preview { summary: Map::new(), risk, staff_approval: false };
        };
        let mut factors = Vec::new();
        if agreed.change == Change::RemovePaymentMethod {
            factors.push("irreversible: a removed way to pay has to be entered again".to_owned());
        }
        if agreed.contact.as_ref().is_some_and(|new| new.email.is_some() || new.phone.is_some()) {
            factors.push("reach: the customer is reached another way from now on".to_owned());
        }
        if self.is_staff {
            factors.push("on_behalf: it is not the customer who asks".to_owned());
        }
        let level = if factors.is_empty() { RiskLevel::Low } else { RiskLevel::Medium };
        Preview { summary: agreed.summary(), risk: Risk { level, factors }, staff_approval: false }
    }
}
