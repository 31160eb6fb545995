//! What the person says yes to: what it is now, what it is then, and what it takes to do exactly that.

use mcp_actions_engine::{Map, Record};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId, PaymentMethodId};
use shop_service::{addresses, customers, payment_methods};

use super::change::Change;
use crate::deeds::{Deed, Profile};
use crate::wire::{block, object};

pub(super) const WRITE: &str = "write";
pub(super) const PREFER: &str = "prefer";

/// The summary. Equal wishes give equal summaries: no time and no version is in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// The whole of it in a sentence.
    pub(super) what: String,
    pub(super) change: Change,
    pub(super) customer: String,
    pub(super) customer_id: CustomerId,
    /// Field by field, as a person reads it.
    pub(super) before: Map,
    pub(super) after: Map,
    /// What else follows from it.
    pub(super) note: Option<String>,
    pub(super) contact: Option<customers::Update>,
    pub(super) previous_contact: Option<customers::Update>,
    pub(super) entry: Option<Entry>,
    pub(super) previous_entry: Option<Entry>,
    pub(super) previous_default_id: Option<AddressId>,
    pub(super) method: Option<Method>,
    pub(super) previous_method: Option<Method>,
    pub(super) previous_default_method: Option<Method>,
}

/// An entry of the address book, as it is or is to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Absent while it is not saved.
    pub(super) id: Option<AddressId>,
    pub(super) label: String,
    pub(super) address: Address,
    pub(super) is_default: bool,
}

/// A saved way to pay, masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Method {
    pub(super) id: PaymentMethodId,
    pub(super) label: String,
    pub(super) is_default: bool,
}

impl From<&addresses::View> for Entry {
    fn from(view: &addresses::View) -> Self {
        Self {
            id: Some(view.id),
            label: view.label.clone(),
            address: view.address.clone(),
            is_default: view.is_default,
        }
    }
}

impl From<&payment_methods::View> for Method {
    fn from(view: &payment_methods::View) -> Self {
        Self { id: view.id, label: view.label.clone(), is_default: view.is_default }
    }
}

impl Agreed {
    /// A change of nothing yet.
    pub(super) fn blank(
        change: Change,
        customer: &customers::View,
        default: Option<&addresses::View>,
        default_method: Option<&payment_methods::View>,
    ) -> Self {
        Self {
            what: String::new(),
            change,
            customer: format!("{} {}, {}", customer.first_name, customer.last_name, customer.email),
            customer_id: customer.id,
            before: Map::new(),
            after: Map::new(),
            note: None,
            contact: None,
            previous_contact: None,
            entry: None,
            previous_entry: None,
            previous_default_id: default.map(|entry| entry.id),
            method: None,
            previous_method: None,
            previous_default_method: default_method.map(Method::from),
        }
    }

    /// With its words: before, after, and what follows.
    pub(super) fn told(self) -> Self {
        let (before, after) = match self.change {
            Change::Contact => (fields(self.previous_contact.as_ref()), fields(self.contact.as_ref())),
            Change::AddAddress | Change::EditAddress | Change::RemoveAddress => {
                (entry(self.previous_entry.as_ref()), entry(self.entry.as_ref()))
            }
            Change::DefaultAddress => {
                let old = object(json!({ "default_address_id": self.previous_default_id }));
                let new = self.entry.as_ref().map(|new| format!("{}: {}", new.label, new.address.one_line()));
                (old, object(json!({ "default_address": new })))
            }
            Change::DefaultPaymentMethod => {
                let old = self.previous_default_method.as_ref().map(|method| method.label.clone());
                let new = self.method.as_ref().map(|method| method.label.clone());
                (default_method(old), default_method(new))
            }
            Change::RemovePaymentMethod => (
                object(json!({ "payment_method": self.previous_method.as_ref().map(|it| &it.label) })),
                Map::new(),
            ),
        };
        let (what, note) = (self.sentence(), self.follows());
        Self { what, note, before, after, ..self }
    }

    fn sentence(&self) -> String {
        let whose = &self.customer;
        let called = |entry: Option<&Entry>| entry.map(|entry| entry.label.clone()).unwrap_or_default();
        let label = |method: Option<&Method>| method.map(|method| method.label.clone()).unwrap_or_default();
        match self.change {
            Change::Contact => {
                let new = fields(self.contact.as_ref());
                let names: Vec<String> = new.keys().map(|name| name.replace('_', " ")).collect();
                format!("The {} of {whose} changes.", names.join(", "))
            }
            Change::AddAddress => {
                format!("“{}” is added to the address book of {whose}.", called(self.entry.as_ref()))
            }
            Change::EditAddress => {
                format!("“{}” in the address book of {whose} changes.", called(self.previous_entry.as_ref()))
            }
            Change::RemoveAddress => {
                format!(
                    "“{}” is removed from the address book of {whose}.",
                    called(self.previous_entry.as_ref())
                )
            }
            Change::DefaultAddress => {
                format!("“{}” becomes the default address of {whose}.", called(self.entry.as_ref()))
            }
            Change::DefaultPaymentMethod => {
                format!("{} becomes the default way to pay of {whose}.", label(self.method.as_ref()))
            }
            Change::RemovePaymentMethod => {
                format!(
                    "{} is removed from the ways to pay of {whose}.",
                    label(self.previous_method.as_ref())
                )
            }
        }
    }

    fn follows(&self) -> Option<String> {
        let words = match self.change {
            Change::RemoveAddress if self.previous_entry.as_ref().is_some_and(|entry| entry.is_default) => {
                "It was the default address: there is none then. Orders that were placed keep their address."
            }
            Change::EditAddress | Change::RemoveAddress => {
                "Orders that were placed keep their address; change_delivery_address changes those."
            }
            Change::RemovePaymentMethod if self.previous_method.as_ref().is_some_and(|it| it.is_default) => {
                "It was the default: there is none then. To use it again, it has to be entered again."
            }
            Change::RemovePaymentMethod => "To use it again, it has to be entered again.",
            Change::Contact if self.contact.as_ref().is_some_and(|new| new.email.is_some()) => {
                "Notices of later orders go to the new email address."
            }
            Change::Contact | Change::AddAddress | Change::DefaultAddress | Change::DefaultPaymentMethod => {
                return None;
            }
        };
        Some(words.to_owned())
    }

    pub(super) fn summary(&self) -> Map {
        object(block(self))
    }

    /// What was agreed to in an action that was confirmed.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let summary = record.preview.as_ref()?.summary.clone();
        serde_json::from_value(Value::Object(summary)).ok()
    }

    /// The effects, in order. An entry that is corrected and preferred from now on takes two.
    pub(super) fn steps(&self) -> Vec<&'static str> {
        let mut steps = Vec::new();
        if self.written().is_some() {
            steps.push(WRITE);
        }
        if self.preferred().is_some() {
            steps.push(PREFER);
        }
        steps
    }

    /// The deed of a step, with the one that takes it back.
    pub(super) fn deed(&self, step: &str) -> Option<(Deed, Option<Deed>)> {
        match step {
            WRITE => Some((self.written()?, self.back())),
            PREFER => Some((self.preferred()?, self.back_to_default())),
            _ => None,
        }
    }

    pub(super) fn written(&self) -> Option<Deed> {
        self.profile(match self.change {
            Change::Contact => Profile::Contact(self.contact.clone()?),
            Change::AddAddress => Profile::SaveAddress(create(self.entry.as_ref()?)),
            Change::EditAddress => edit(self.previous_entry.as_ref()?, self.entry.as_ref()?)?,
            Change::RemoveAddress => Profile::RemoveAddress(self.previous_entry.as_ref()?.id?),
            Change::DefaultAddress => return None,
            Change::DefaultPaymentMethod => Profile::DefaultMethod(self.method.as_ref()?.id),
            Change::RemovePaymentMethod => Profile::RemoveMethod(self.previous_method.as_ref()?.id),
        })
    }

    fn preferred(&self) -> Option<Deed> {
        let entry = self.entry.as_ref().filter(|entry| entry.is_default)?;
        let was_default = self.previous_entry.as_ref().is_some_and(|old| old.is_default);
        match self.change {
            Change::DefaultAddress | Change::EditAddress if !was_default => {
                self.profile(Profile::DefaultAddress(entry.id?))
            }
            Change::Contact
            | Change::AddAddress
            | Change::EditAddress
            | Change::RemoveAddress
            | Change::DefaultAddress
            | Change::DefaultPaymentMethod
            | Change::RemovePaymentMethod => None,
        }
    }

    fn back(&self) -> Option<Deed> {
        self.profile(match self.change {
            Change::Contact => Profile::Contact(self.previous_contact.clone()?),
            Change::EditAddress => edit(self.entry.as_ref()?, self.previous_entry.as_ref()?)?,
            Change::RemoveAddress => Profile::SaveAddress(create(self.previous_entry.as_ref()?)),
            Change::DefaultPaymentMethod => Profile::DefaultMethod(self.previous_default_method.as_ref()?.id),
            // A new entry is forgotten by its id, and a card is nothing the shop could enter again.
            Change::AddAddress | Change::DefaultAddress | Change::RemovePaymentMethod => return None,
        })
    }

    /// The entry that was preferred before is so again.
    pub(super) fn back_to_default(&self) -> Option<Deed> {
        self.profile(Profile::DefaultAddress(self.previous_default_id?))
    }

    /// Whether an entry that is new takes the place of the default one.
    pub(super) fn replaces_default(&self) -> bool {
        self.change == Change::AddAddress && self.entry.as_ref().is_some_and(|entry| entry.is_default)
    }

    #[expect(clippy::unnecessary_wraps, reason = "every caller goes on with an option")]
    fn profile(&self, profile: Profile) -> Option<Deed> {
        Some(Deed::Profile(self.customer_id, profile))
    }
}

fn create(entry: &Entry) -> addresses::Create {
    addresses::Create {
        label: entry.label.clone(),
        address: entry.address.clone(),
        is_default: entry.is_default,
    }
}

/// From one state of an entry to another; `None` where label and address are the same.
fn edit(from: &Entry, to: &Entry) -> Option<Profile> {
    let update = addresses::Update {
        label: (from.label != to.label).then(|| to.label.clone()),
        address: (from.address != to.address).then(|| to.address.clone()),
    };
    (update.label.is_some() || update.address.is_some())
        .then_some(Profile::EditAddress(from.id.or(to.id)?, update))
}

/// The fields of a contact that are said.
fn fields(contact: Option<&customers::Update>) -> Map {
    let mut fields = contact.map(|contact| object(block(contact))).unwrap_or_default();
    fields.retain(|_, value| !value.is_null());
    fields
}

fn entry(entry: Option<&Entry>) -> Map {
    let Some(entry) = entry else { return Map::new() };
    object(
        json!({ "label": entry.label, "address": entry.address.one_line(), "is_default": entry.is_default }),
    )
}

fn default_method(label: Option<String>) -> Map {
    object(json!({ "default_payment_method": label }))
}
