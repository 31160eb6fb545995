//! Forty customers: Ada Byron, Bob Stone and thirty-eight whom chance makes.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use fake::Fake;
use fake::faker::address::raw::StreetName;
use fake::faker::name::raw::{FirstName, LastName};
use fake::locales::{DE_DE, EN};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use shop_domain::address::Address;
use shop_domain::governance::Role;
use shop_domain::ids::{AddressId, CustomerId, GiftCardId, PaymentMethodId, PrincipalId};
use shop_domain::status::{CustomerStatus, InstrumentKind};
use shop_store::columns::Tags;
use shop_store::entities::{addresses, customers, payment_methods, principals, stores};

use super::org::Org;
use super::{Where, places};
use crate::ground::Ground;
use crate::value::NewCard;

const CUSTOMERS: usize = 40;
/// What Ada and others may spend besides money.
const CREDIT_MINOR: i64 = 2_000;
const GIFT_CARD_MINOR: i64 = 5_000;
const ADAS_GIFT_CARD: &str = "GIFT-ADA-0050";

/// A customer with what they buy with.
pub(crate) struct Shopper {
    pub(crate) lives_in: Where,
    pub(crate) customer: customers::Model,
    /// The default address first.
    pub(crate) addresses: Vec<addresses::Model>,
    pub(crate) methods: Vec<payment_methods::Model>,
    pub(crate) gift_card: Option<GiftCardId>,
    pub(crate) has_credit: bool,
}

/// What is known of somebody before they are a customer.
pub(super) struct Person {
    pub(super) first_name: String,
    pub(super) last_name: String,
    pub(super) email: String,
    pub(super) phone: Option<String>,
    pub(super) joined_at: DateTime<Utc>,
}

/// A saved card or account: kind, test token, brand, last digits, label.
pub(super) type Saved = (InstrumentKind, &'static str, &'static str, &'static str, &'static str);

pub(super) const VISA: Saved = (InstrumentKind::Card, "tok_visa", "visa", "4242", "Visa ending in 4242");
const MASTERCARD: Saved =
    (InstrumentKind::Card, "tok_mastercard", "mastercard", "4444", "Mastercard ending in 4444");
const AMEX: Saved = (InstrumentKind::Card, "tok_amex", "amex", "0005", "American Express ending in 0005");
const PAYPAL: Saved = (InstrumentKind::Paypal, "tok_paypal", "paypal", "", "PayPal");

pub(super) fn build(ground: &mut Ground, org: &Org) -> Result<Vec<Shopper>> {
    let mut shoppers = vec![ada(ground, org)?, bob(ground, org)?];
    let mut chance = ground.draw.chance("people");
    for nth in shoppers.len()..CUSTOMERS {
        shoppers.push(somebody(ground, org, &mut chance, nth)?);
    }
    Ok(shoppers)
}

fn ada(ground: &mut Ground, org: &Org) -> Result<Shopper> {
    let person = Person {
        first_name: "Ada".to_owned(),
        last_name: "Byron".to_owned(),
        email: "ada@example.com".to_owned(),
        phone: Some("+49 40 5550142".to_owned()),
        joined_at: ground.now - TimeDelta::days(200),
    };
    let mut shopper = customer(ground, org.stores.of(Where::De), Where::De, person);
    let office = ("Office", "7 Speicherstrasse", "Floor 4", ("Hamburg", "20457", ""));
    address(ground, &mut shopper, ("Home", "12 Harbour Road", "Flat 3", ("Hamburg", "20095", "")));
    address(ground, &mut shopper, office);
    saved(ground, &mut shopper, VISA);
    saved(ground, &mut shopper, PAYPAL);
    let store = org.stores.of(Where::De);
    gift_card(ground, &mut shopper, store, ADAS_GIFT_CARD.to_owned())?;
    credit(ground, &mut shopper, store)?;
    let ada = shopper_principal(ground, &shopper, "ada", None);
    shopper_principal(ground, &shopper, "agent", Some(ada));
    Ok(shopper)
}

fn bob(ground: &mut Ground, org: &Org) -> Result<Shopper> {
    let person = Person {
        first_name: "Bob".to_owned(),
        last_name: "Stone".to_owned(),
        email: "bob@example.com".to_owned(),
        phone: None,
        joined_at: ground.now - TimeDelta::days(150),
    };
    let mut shopper = customer(ground, org.stores.of(Where::De), Where::De, person);
    address(ground, &mut shopper, ("Home", "5 Lindenallee", "", ("Berlin", "10119", "")));
    saved(ground, &mut shopper, MASTERCARD);
    credit(ground, &mut shopper, org.stores.of(Where::De))?;
    shopper_principal(ground, &shopper, "bob", None);
    Ok(shopper)
}

fn somebody(ground: &mut Ground, org: &Org, chance: &mut ChaCha8Rng, nth: usize) -> Result<Shopper> {
    let lives_in = match nth % 4 {
        1 => Where::Gb,
        2 => Where::Us,
        _ => Where::De,
    };
    let (first_name, last_name): (&str, &str) = match lives_in {
        Where::De => (FirstName(DE_DE).fake_with_rng(chance), LastName(DE_DE).fake_with_rng(chance)),
        Where::Gb | Where::Us => (FirstName(EN).fake_with_rng(chance), LastName(EN).fake_with_rng(chance)),
    };
    let person = Person {
        email: format!("{}.{}{nth}@example.com", plain(first_name), plain(last_name)),
        first_name: first_name.to_owned(),
        last_name: last_name.to_owned(),
        phone: None,
        joined_at: ground.now - TimeDelta::hours(24 * chance.random_range(90..390)),
    };
    let mut shopper = customer(ground, org.stores.of(lives_in), lives_in, person);
    for label in ["Home", "Office"].into_iter().take(chance.random_range(1..3)) {
        let street: String = StreetName(EN).fake_with_rng(chance);
        let town = places::towns(lives_in).choose(chance).context("a country without towns")?;
        let line1 = format!("{} {street}", chance.random_range(1..180));
        address(ground, &mut shopper, (label, &line1, "", *town));
    }
    let wallet = [VISA, MASTERCARD, AMEX, PAYPAL];
    let first = chance.random_range(0..wallet.len());
    let count = chance.random_range(1..3);
    for method in wallet.into_iter().cycle().skip(first).take(count) {
        saved(ground, &mut shopper, method);
    }
    let store = org.stores.of(lives_in);
    if nth.is_multiple_of(3) {
        credit(ground, &mut shopper, store)?;
    }
    if nth.is_multiple_of(4) {
        let code = format!("GIFT-{:08}", chance.random_range(0..100_000_000));
        gift_card(ground, &mut shopper, store, code)?;
    }
    Ok(shopper)
}

pub(super) fn customer(
    ground: &mut Ground,
    store: &stores::Model,
    lives_in: Where,
    person: Person,
) -> Shopper {
    let at = person.joined_at;
    let customer = customers::Model {
        id: ground.draw.id(at, CustomerId::new),
        external_id: None,
        brand_id: store.brand_id,
        store_id: store.id,
        email: person.email,
        first_name: person.first_name,
        last_name: person.last_name,
        phone: person.phone,
        status: CustomerStatus::Active,
        tags: Tags::default(),
        accepts_marketing: false,
        merged_into: None,
        created_at: at,
        updated_at: at,
        version: 1,
    };
    ground.rows.customers.push(customer.clone());
    let (addresses, methods) = (Vec::new(), Vec::new());
    Shopper { lives_in, customer, addresses, methods, gift_card: None, has_credit: false }
}

pub(super) fn address(
    ground: &mut Ground,
    shopper: &mut Shopper,
    (label, line1, line2, town): (&str, &str, &str, places::Town),
) {
    let customer = &shopper.customer;
    let at = customer.created_at;
    let row = addresses::Model {
        id: ground.draw.id(at, AddressId::new),
        customer_id: customer.id,
        label: label.to_owned(),
        address: Address {
            name: format!("{} {}", customer.first_name, customer.last_name),
            line1: line1.to_owned(),
            line2: line2.to_owned(),
            city: town.0.to_owned(),
            region: town.2.to_owned(),
            postal_code: town.1.to_owned(),
            country: shopper.lives_in.country().to_owned(),
        },
        is_default: shopper.addresses.is_empty(),
        created_at: at,
        updated_at: at,
        version: 1,
    };
    ground.rows.addresses.push(row.clone());
    shopper.addresses.push(row);
}

pub(super) fn saved(ground: &mut Ground, shopper: &mut Shopper, (kind, token, brand, last4, label): Saved) {
    let at = shopper.customer.created_at;
    let row = payment_methods::Model {
        id: ground.draw.id(at, PaymentMethodId::new),
        external_id: None,
        customer_id: shopper.customer.id,
        kind,
        token: Some(token.to_owned()),
        gift_card_id: None,
        brand: Some(brand.to_owned()),
        last4: Some(last4.to_owned()).filter(|digits| !digits.is_empty()),
        label: label.to_owned(),
        is_default: shopper.methods.is_empty(),
        detached_at: None,
        created_at: at,
        version: 1,
    };
    ground.rows.payment_methods.push(row.clone());
    shopper.methods.push(row);
}

fn gift_card(ground: &mut Ground, shopper: &mut Shopper, store: &stores::Model, code: String) -> Result<()> {
    let card = NewCard {
        external_id: None,
        code,
        customer_id: Some(shopper.customer.id),
        store_id: store.id,
        currency: store.currency,
        minor: GIFT_CARD_MINOR,
    };
    shopper.gift_card = Some(ground.issue_card(shopper.customer.created_at, card)?);
    Ok(())
}

fn credit(ground: &mut Ground, shopper: &mut Shopper, store: &stores::Model) -> Result<()> {
    let at = shopper.customer.created_at;
    ground.issue_credit(at, shopper.customer.id, store.currency, CREDIT_MINOR)?;
    shopper.has_credit = true;
    Ok(())
}

fn shopper_principal(
    ground: &mut Ground,
    shopper: &Shopper,
    name: &str,
    on_behalf_of: Option<PrincipalId>,
) -> PrincipalId {
    let at = shopper.customer.created_at;
    let id = ground.draw.id(at, PrincipalId::new);
    ground.rows.principals.push(principals::Model {
        id,
        name: name.to_owned(),
        role: Role::Shopper,
        token: crate::staff::demo_token(name),
        is_agent: on_behalf_of.is_some(),
        on_behalf_of,
        brand_id: Some(shopper.customer.brand_id),
        store_id: Some(shopper.customer.store_id),
        customer_id: Some(shopper.customer.id),
        created_at: at,
        deactivated_at: None,
    });
    id
}

/// The letters of a name that an email address takes.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase()
}
