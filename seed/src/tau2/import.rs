//! `db.json` as a world: one brand, one store, every noun under the name it has in the reference.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};
use shop_domain::ids::{AddressId, CustomerId, PaymentMethodId, ProductId, VariantId};
use shop_domain::ledger;
use shop_domain::money::Currency;
use shop_domain::status::{CustomerStatus, InstrumentKind, ProductStatus};
use shop_store::Db;
use shop_store::columns::{DeclaredOptions, Options, Prices, StoreIds, Tags};
use shop_store::entities::{addresses, customers, payment_methods, products, variants};

use super::retail;
use super::shape::{
    Data, Method, Order, Product, Status, Transaction, TransactionType, User, Variant, cents,
};
use crate::books::Refs;
use crate::ground::Ground;
use crate::history::{Back, Basket, History, Instrument, Item, Site};
use crate::value::{NewCard, Purse};

/// The imported world is the same every time, so it needs no number of its own.
const SEED: u64 = 0;
/// How long ago the oldest order was placed; each of the others a second later than the one before.
pub(super) const AGE: TimeDelta = TimeDelta::days(10);
const FIRST_NUMBER: i64 = 1_001;

/// Fills an empty database with the reference's world; returns the lines of the gateway's ledger for what was paid
/// by card and PayPal. Everything was delivered at `now`, where the world's clock is to stand.
///
/// # Errors
/// When the data is not what the reference publishes, or the database is not empty.
pub async fn import_tau2(db: &Db, data: &Value, now: DateTime<Utc>) -> Result<Vec<u8>> {
    let data = Data::deserialize(data).context("this is not the τ² retail data")?;
    let mut ground = Ground::new(SEED, now);
    let mut world = World {
        site: retail::build(&mut ground)?,
        at: now - AGE,
        items: BTreeMap::new(),
        users: BTreeMap::new(),
    };
    for product in each::<Product>(&data.products) {
        world.product(&mut ground, product?)?;
    }
    let spending = spending(&data.orders)?;
    for user in each::<User>(&data.users) {
        world.user(&mut ground, user?, &spending)?;
    }
    for (nth, order) in (0..).zip(each::<Order>(&data.orders)) {
        let order = order?;
        let name = order.order_id.clone();
        world.order(&mut ground, order, nth).with_context(|| format!("order {name}"))?;
    }
    for (card, spent) in &spending {
        world.spent_elsewhere(&mut ground, card, spent.refunded_minor)?;
    }
    ground.set(shop_service::principals::DEMO_PRINCIPAL, retail::PRINCIPAL);
    ground.write(db).await
}

struct World {
    site: Site,
    /// Before any order.
    at: DateTime<Utc>,
    items: BTreeMap<String, variants::Model>,
    users: BTreeMap<String, Buyer>,
}

struct Buyer {
    customer: customers::Model,
    methods: BTreeMap<String, payment_methods::Model>,
}

/// What orders took from a gift card and gave back to it, before the world begins.
#[derive(Default)]
struct Spent {
    paid_minor: i64,
    refunded_minor: i64,
}

impl World {
    fn product(&mut self, ground: &mut Ground, product: Product) -> Result<()> {
        let id = ground.draw.id(self.at, ProductId::new);
        ground.rows.products.push(products::Model {
            id,
            external_id: Some(product.product_id),
            brand_id: self.site.store.brand_id,
            title: product.name.clone(),
            description: String::new(),
            category: "retail".to_owned(),
            options: DeclaredOptions::default(),
            status: ProductStatus::Published,
            store_ids: StoreIds(vec![self.site.store.id]),
            return_policy: "Delivered items can be returned or exchanged once per order.".to_owned(),
            created_at: self.at,
            updated_at: self.at,
            version: 1,
        });
        for (position, variant) in (0..).zip(each::<Variant>(&product.variants)) {
            let variant = variant?;
            let row = variants::Model {
                id: ground.draw.id(self.at, VariantId::new),
                external_id: Some(variant.item_id.clone()),
                product_id: id,
                position,
                sku: variant.item_id.clone(),
                barcode: None,
                title: product.name.clone(),
                options: Options(variant.options),
                price_minor: cents(&variant.price)?,
                compare_at_minor: None,
                currency: self.site.store.currency,
                other_prices: Prices::default(),
                weight_g: 0,
                tax_category: "standard".to_owned(),
                is_sellable: variant.available,
                is_tracked: false,
                created_at: self.at,
                version: 1,
            };
            ground.rows.variants.push(row.clone());
            self.items.insert(variant.item_id, row);
        }
        Ok(())
    }

    fn user(&mut self, ground: &mut Ground, user: User, spending: &BTreeMap<String, Spent>) -> Result<()> {
        let at = self.at;
        let customer = customers::Model {
            id: ground.draw.id(at, CustomerId::new),
            external_id: Some(user.user_id.clone()),
            brand_id: self.site.store.brand_id,
            store_id: self.site.store.id,
            email: user.email,
            first_name: user.name.first_name,
            last_name: user.name.last_name,
            phone: None,
            status: CustomerStatus::Active,
            tags: Tags::default(),
            accepts_marketing: false,
            created_at: at,
            updated_at: at,
            version: 1,
        };
        ground.rows.addresses.push(addresses::Model {
            id: ground.draw.id(at, AddressId::new),
            customer_id: customer.id,
            label: "Profile".to_owned(),
            address: user.address.to_address(&full_name(&customer))?,
            is_default: true,
            created_at: at,
            updated_at: at,
            version: 1,
        });
        ground.rows.customers.push(customer.clone());
        let mut methods = BTreeMap::new();
        for method in each::<Method>(&user.payment_methods) {
            let is_default = methods.is_empty();
            let row = self.method(ground, customer.id, method?, is_default, spending)?;
            methods.insert(row.external_id.clone().unwrap_or_default(), row.clone());
            ground.rows.payment_methods.push(row);
        }
        self.users.insert(user.user_id, Buyer { customer, methods });
        Ok(())
    }

    fn method(
        &self,
        ground: &mut Ground,
        customer_id: CustomerId,
        method: Method,
        is_default: bool,
        spending: &BTreeMap<String, Spent>,
    ) -> Result<payment_methods::Model> {
        let blank = payment_methods::Model {
            id: ground.draw.id(self.at, PaymentMethodId::new),
            external_id: None,
            customer_id,
            kind: InstrumentKind::Card,
            token: None,
            gift_card_id: None,
            brand: None,
            last4: None,
            label: String::new(),
            is_default,
            detached_at: None,
            created_at: self.at,
            version: 1,
        };
        Ok(match method {
            Method::CreditCard { id, brand, last_four } => payment_methods::Model {
                external_id: Some(id),
                token: Some(token(&brand)?.to_owned()),
                label: format!("{brand} ending in {last_four}"),
                brand: Some(brand),
                last4: Some(last_four),
                ..blank
            },
            Method::Paypal { id } => payment_methods::Model {
                external_id: Some(id),
                kind: InstrumentKind::Paypal,
                token: Some("tok_paypal".to_owned()),
                label: "PayPal".to_owned(),
                brand: Some("paypal".to_owned()),
                ..blank
            },
            Method::GiftCard { id, balance } => {
                // It must once have held what its orders took from it.
                let paid = spending.get(&id).map_or(0, |spent| spent.paid_minor);
                let card = NewCard {
                    external_id: Some(id.clone()),
                    code: id.to_uppercase(),
                    customer_id: Some(customer_id),
                    store_id: self.site.store.id,
                    currency: self.site.store.currency,
                    minor: cents(&balance)? + paid,
                };
                let card = ground.issue_card(self.at, card)?;
                payment_methods::Model {
                    external_id: Some(id),
                    kind: InstrumentKind::GiftCard,
                    gift_card_id: Some(card),
                    label: "Gift card".to_owned(),
                    ..blank
                }
            }
        })
    }

    fn order(&self, ground: &mut Ground, order: Order, nth: i64) -> Result<()> {
        let buyer = self.users.get(&order.user_id).context("it belongs to nobody")?;
        let mut items = Vec::with_capacity(order.items.len());
        for item in &order.items {
            let mut variant = self.items.get(&item.item_id).context("it has an unknown item")?.clone();
            variant.price_minor = cents(&item.price)?;
            items.push(Item { variant, quantity: 1 });
        }
        let lines: Vec<usize> = (0..items.len()).collect();
        let history = History::placed(
            ground,
            Basket {
                site: &self.site,
                customer: &buyer.customer,
                address: order.address.to_address(&full_name(&buyer.customer))?,
                items,
                method: None,
                coupon: None,
                placed_at: self.at + TimeDelta::seconds(nth),
            },
        )?;
        let history = history.numbered(FIRST_NUMBER + nth).known_as(&order.order_id);
        let payment = expect_history(&order, history.total_minor())?;
        let method = buyer.methods.get(&payment.payment_method_id).context("it was paid by a stranger")?;
        let history = history.paid(&Instrument::saved(method))?;
        let history = match order.status {
            Status::Pending => history,
            // Their parcels had a number already, and never left.
            Status::Cancelled => {
                labelled(history, &order, &lines)?.cancelled(None)?.refunded(Back::unshipped(&lines))?
            }
            Status::Processed | Status::Delivered => labelled(history, &order, &lines)?.shipped()?,
        };
        // The reference knows no dates: whatever was delivered was delivered just now.
        let history = if order.status == Status::Delivered { history.delivered_just_now()? } else { history };
        history.end()?;
        Ok(())
    }

    /// The reference's balances do not contain what cancelled orders gave back, so it went elsewhere since.
    fn spent_elsewhere(&self, ground: &mut Ground, card: &str, minor: i64) -> Result<()> {
        if minor == 0 {
            return Ok(());
        }
        let row = ground.rows.gift_cards.iter().find(|row| row.external_id.as_deref() == Some(card));
        let id = row.context("an order was paid with a gift card that nobody has")?.id;
        let at = ground.now;
        ground.change(at, Purse::Card(id), -minor, "spent elsewhere", None)?;
        let refs = Refs::of(Currency::Usd);
        ground.books.post(&ground.draw, at, &ledger::gift_card_disabled(minor)?, refs, "spent elsewhere")
    }
}

/// One payment of the whole, and one refund of the whole when it is cancelled.
fn expect_history(order: &Order, total_minor: i64) -> Result<&Transaction> {
    let is_cancelled = order.status == Status::Cancelled;
    let (payment, refunds) = order.payment_history.split_first().context("it was never paid")?;
    ensure!(payment.transaction_type == TransactionType::Payment, "its first transaction is no payment");
    ensure!(cents(&payment.amount)? == total_minor, "its payment is not the sum of its items");
    ensure!(refunds.len() == usize::from(is_cancelled), "it has transactions that nothing explains");
    for refund in refunds {
        ensure!(
            refund.transaction_type == TransactionType::Refund
                && refund.payment_method_id == payment.payment_method_id
                && cents(&refund.amount)? == total_minor,
            "its refund is not of its payment"
        );
    }
    Ok(payment)
}

fn labelled<'g>(history: History<'g>, order: &Order, lines: &[usize]) -> Result<History<'g>> {
    let [parcel] = order.fulfillments.as_slice() else { bail!("it is not packed in one parcel") };
    let [tracking_number] = parcel.tracking_id.as_slice() else { bail!("its parcel has not one number") };
    let ordered: Vec<&String> = order.items.iter().map(|item| &item.item_id).collect();
    ensure!(parcel.item_ids.iter().eq(ordered), "its parcel holds something else");
    history.packed(lines)?.labelled_as(tracking_number.clone(), 0)
}

/// What gift cards paid and got back, by their names.
fn spending(orders: &Map<String, Value>) -> Result<BTreeMap<String, Spent>> {
    let mut spending: BTreeMap<String, Spent> = BTreeMap::new();
    for order in each::<Order>(orders) {
        for entry in order?.payment_history {
            if !entry.payment_method_id.starts_with("gift_card_") {
                continue;
            }
            let amount = cents(&entry.amount)?;
            let spent = spending.entry(entry.payment_method_id).or_default();
            match entry.transaction_type {
                TransactionType::Payment => spent.paid_minor += amount,
                TransactionType::Refund => spent.refunded_minor += amount,
            }
        }
    }
    Ok(spending)
}

/// The values of a map of the file, typed.
fn each<'a, T: Deserialize<'a>>(map: &'a Map<String, Value>) -> impl Iterator<Item = Result<T>> {
    map.iter()
        .map(|(name, value)| T::deserialize(value).with_context(|| format!("{name} is not as published")))
}

fn full_name(customer: &customers::Model) -> String {
    format!("{} {}", customer.first_name, customer.last_name)
}

fn token(brand: &str) -> Result<&'static str> {
    match brand {
        "visa" => Ok("tok_visa"),
        "mastercard" => Ok("tok_mastercard"),
        other => bail!("a card of the brand {other}"),
    }
}
