//! A profile as it is, and what a wish would make of it: read once per call.

use mcp_actions_engine::{Failure, Map};
use serde_json::{Value, json};
use shop_domain::address::Address;
use shop_domain::ids::CustomerId;
use shop_service::{Error, addresses, customers, payment_methods, stores};

use super::agreed::{Agreed, Entry};
use super::change::Change;
use super::{ADDRESS, ADDRESS_ID, DEFAULT, EMAIL, FIRST_NAME, LABEL, LAST_NAME, MARKETING, METHOD, PHONE};
use crate::caller::Caller;
use crate::entities::whole_page;
use crate::failure::failure;
use crate::wire::text;
use crate::{book, wallet};

pub(super) struct Desk {
    pub(super) customer: customers::View,
    pub(super) book: Vec<addresses::View>,
    pub(super) methods: Vec<payment_methods::View>,
    /// Whether there is one address, which is edited in place.
    pub(super) has_one_address: bool,
    /// Whether somebody else than the customer asks.
    pub(super) is_staff: bool,
    /// What the fields that were said leave no doubt about.
    pub(super) meant: Option<Change>,
    /// Why the shop would refuse the wish, where it would.
    pub(super) refusal: Option<Error>,
}

impl Desk {
    pub(super) async fn read(caller: &Caller, customer: CustomerId, given: &Map) -> Result<Self, Failure> {
        let mut desk = Self::look(caller, customer).await?;
        let mut wish = given.clone();
        desk.meant = Change::meant_by(given, desk.has_one_address && !desk.book.is_empty());
        if let Some(change) = desk.meant {
            wish.entry(super::CHANGE).or_insert_with(|| json!(change));
        }
        if let Some(agreed) = desk.agreed(&wish)
            && let Some(deed) = agreed.written()
        {
            desk.refusal = deed.rehearse(caller).await.err();
        }
        Ok(desk)
    }

    /// Everything but the wish.
    pub(super) async fn look(caller: &Caller, customer: CustomerId) -> Result<Self, Failure> {
        let ctx = caller.ctx();
        let customer = customers::get(&ctx, customer).await.map_err(failure)?;
        let stores =
            stores::list(&ctx, stores::Filter::default(), whole_page()).await.map_err(failure)?.items;
        let own = stores.iter().find(|store| store.id == customer.store_id);
        let is_shopper = ctx.principal.scope == shop_domain::governance::Scope::Customer(customer.id);
        Ok(Self {
            book: book::of(caller, customer.id).await?,
            methods: wallet::of(caller, customer.id).await?,
            has_one_address: own.is_some_and(|store| store.policy.one_address),
            is_staff: !is_shopper,
            meant: None,
            refusal: None,
            customer,
        })
    }

    pub(super) fn name(&self) -> String {
        format!("{} {}", self.customer.first_name, self.customer.last_name)
    }

    /// Rewrites a patch into ids. “Make it the default” without anything else is a change of its own.
    pub(super) fn understand(&self, given: &Map, patch: &mut Map) {
        if let Some(entry) = text(patch, ADDRESS_ID).and_then(|said| book::the_one(&self.book, said)) {
            patch.insert(ADDRESS_ID.to_owned(), json!(entry.id));
        }
        if let Some(method) = text(patch, METHOD).and_then(|said| wallet::the_one(&self.methods, said)) {
            patch.insert(METHOD.to_owned(), json!(method.id));
        }
        let mut said = given.clone();
        said.extend(patch.clone());
        let is_default = [Change::DefaultAddress, Change::DefaultPaymentMethod];
        if let Some(change) = Change::meant_by(&said, false).filter(|change| is_default.contains(change))
            && !said.contains_key(super::CHANGE)
        {
            patch.insert(super::CHANGE.to_owned(), json!(change));
            patch.remove(DEFAULT);
        }
    }

    /// The entry that is meant: what was said, or the only one there is.
    pub(super) fn entry(&self, inputs: &Map) -> Option<&addresses::View> {
        if let Some(said) = text(inputs, ADDRESS_ID) {
            return book::the_one(&self.book, said);
        }
        match self.book.as_slice() {
            [only] => Some(only),
            _ if self.has_one_address => self.book.iter().find(|entry| entry.is_default),
            _ => None,
        }
    }

    pub(super) fn method(&self, inputs: &Map) -> Option<&payment_methods::View> {
        wallet::the_one(&self.methods, text(inputs, METHOD)?)
    }

    /// What the contact is to be, as far as it differs from what it is.
    fn contact(&self, inputs: &Map) -> Option<customers::Update> {
        let now = &self.customer;
        let said = |field: &str, now: &str| {
            text(inputs, field).map(str::trim).filter(|new| *new != now).map(str::to_owned)
        };
        let marketing = inputs.get(MARKETING).and_then(Value::as_bool);
        let new = customers::Update {
            email: said(EMAIL, &now.email),
            first_name: said(FIRST_NAME, &now.first_name),
            last_name: said(LAST_NAME, &now.last_name),
            phone: said(PHONE, now.phone.as_deref().unwrap_or_default()),
            tags: None,
            accepts_marketing: marketing.filter(|new| *new != now.accepts_marketing),
        };
        let is_empty = new.email.is_none()
            && new.first_name.is_none()
            && new.last_name.is_none()
            && new.phone.is_none()
            && new.accepts_marketing.is_none();
        (!is_empty).then_some(new)
    }

    /// The address that was said: a new one, or parts laid over an entry.
    pub(super) fn address(&self, inputs: &Map, old: Option<&Address>) -> Option<Address> {
        let said = inputs.get(ADDRESS)?.as_object()?;
        let name = old.map_or_else(|| self.name(), |old| old.name.clone());
        book::laid_over(said, &name, old)
    }

    /// What the person would agree to; `None` while something is missing, and where nothing would change.
    pub(super) fn agreed(&self, inputs: &Map) -> Option<Agreed> {
        let change = Change::of(inputs)?;
        let becomes_default = inputs.get(DEFAULT) == Some(&json!(true));
        let blank = Agreed::blank(change, &self.customer, self.default_entry(), self.default_method());
        Some(match change {
            Change::Contact => {
                let new = self.contact(inputs)?;
                Agreed { previous_contact: Some(previous(&self.customer, &new)), contact: Some(new), ..blank }
            }
            Change::AddAddress => {
                let address = self.address(inputs, None)?;
                let label = text(inputs, LABEL).map_or_else(|| address.city.clone(), str::to_owned);
                // The first one is the one that is used, whether somebody says so or not.
                let is_default = becomes_default || self.book.is_empty();
                Agreed { entry: Some(Entry { id: None, label, address, is_default }), ..blank }
            }
            Change::EditAddress => {
                let old = self.entry(inputs)?;
                let new = Entry {
                    id: Some(old.id),
                    label: text(inputs, LABEL).map_or_else(|| old.label.clone(), str::to_owned),
                    address: self.address(inputs, Some(&old.address)).unwrap_or_else(|| old.address.clone()),
                    is_default: old.is_default || becomes_default,
                };
                let old = Entry::from(old);
                if new == old {
                    return None;
                }
                Agreed { entry: Some(new), previous_entry: Some(old), ..blank }
            }
            Change::RemoveAddress => {
                Agreed { previous_entry: Some(Entry::from(self.entry(inputs)?)), ..blank }
            }
            Change::DefaultAddress => {
                let new = self.entry(inputs).filter(|entry| !entry.is_default)?;
                Agreed { entry: Some(Entry { is_default: true, ..Entry::from(new) }), ..blank }
            }
            Change::DefaultPaymentMethod => {
                let new = self.method(inputs).filter(|method| !method.is_default)?;
                Agreed { method: Some(new.into()), ..blank }
            }
            Change::RemovePaymentMethod => {
                Agreed { previous_method: Some(self.method(inputs)?.into()), ..blank }
            }
        })
    }

    pub(super) fn default_entry(&self) -> Option<&addresses::View> {
        self.book.iter().find(|entry| entry.is_default)
    }

    fn default_method(&self) -> Option<&payment_methods::View> {
        self.methods.iter().find(|method| method.is_default)
    }
}

/// What the same fields say now.
fn previous(now: &customers::View, new: &customers::Update) -> customers::Update {
    let was = |new: &Option<String>, now: &str| new.as_ref().map(|_| now.to_owned());
    customers::Update {
        email: was(&new.email, &now.email),
        first_name: was(&new.first_name, &now.first_name),
        last_name: was(&new.last_name, &now.last_name),
        phone: was(&new.phone, now.phone.as_deref().unwrap_or_default()),
        tags: None,
        accepts_marketing: new.accepts_marketing.map(|_| now.accepts_marketing),
    }
}
