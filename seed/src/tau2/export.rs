//! Rows in the shape of the reference's `db.json`.
//!
//! Fields that do not apply are absent. What the shop made on its own and the reference has no name for goes by the
//! shop's id, so that a comparison sees it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Map, Value, json};
use shop_domain::ids::{GiftCardId, OrderId, PaymentMethodId, VariantId};
use shop_domain::status::InstrumentKind;
use shop_store::Db;
use shop_store::entities::{
    addresses, customers, exchanges, fulfillments, gift_cards, ledger_entries, order_lines, orders,
    payment_methods, payments, products, refunds, returns, variants,
};

use super::order::{OrderView, units};
use super::shape::{amount, postal};

/// The rows of a world as the reference's JSON.
///
/// # Errors
/// When the database does not answer, or rows contradict each other.
pub async fn export_tau2(db: &Db) -> Result<Value> {
    let rows = Rows::load(db).await?;
    let mut out = Map::new();
    out.insert("products".to_owned(), rows.products()?);
    out.insert("users".to_owned(), rows.users()?);
    out.insert("orders".to_owned(), rows.orders()?);
    Ok(Value::Object(out))
}

pub(super) struct Rows {
    products: Vec<products::Model>,
    variants: Vec<variants::Model>,
    customers: Vec<customers::Model>,
    addresses: Vec<addresses::Model>,
    methods: Vec<payment_methods::Model>,
    cards: BTreeMap<GiftCardId, gift_cards::Model>,
    orders: Vec<orders::Model>,
    parts: BTreeMap<OrderId, Parts>,
}

/// What belongs to one order.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) lines: Vec<order_lines::Model>,
    pub(super) payments: Vec<payments::Model>,
    pub(super) refunds: Vec<refunds::Model>,
    pub(super) parcels: Vec<fulfillments::Model>,
    pub(super) returns: Vec<returns::Model>,
    pub(super) exchanges: Vec<exchanges::Model>,
    /// In the order in which they were committed.
    pub(super) entries: Vec<ledger_entries::Model>,
}

impl Rows {
    async fn load(db: &Db) -> Result<Self> {
        let conn = db.reader();
        let mut parts: BTreeMap<OrderId, Parts> = BTreeMap::new();
        let lines = order_lines::Entity::find().order_by_asc(order_lines::Column::Position);
        for row in lines.all(conn).await? {
            parts.entry(row.order_id).or_default().lines.push(row);
        }
        for row in payments::Entity::find().order_by_asc(payments::Column::Id).all(conn).await? {
            parts.entry(row.order_id).or_default().payments.push(row);
        }
        for row in refunds::Entity::find().order_by_asc(refunds::Column::Id).all(conn).await? {
            parts.entry(row.order_id).or_default().refunds.push(row);
        }
        for row in fulfillments::Entity::find().order_by_asc(fulfillments::Column::Id).all(conn).await? {
            parts.entry(row.order_id).or_default().parcels.push(row);
        }
        for row in returns::Entity::find().order_by_asc(returns::Column::Id).all(conn).await? {
            parts.entry(row.order_id).or_default().returns.push(row);
        }
        for row in exchanges::Entity::find().order_by_asc(exchanges::Column::Id).all(conn).await? {
            parts.entry(row.order_id).or_default().exchanges.push(row);
        }
        for row in ledger_entries::Entity::find().order_by_asc(ledger_entries::Column::Id).all(conn).await? {
            if let Some(order) = row.order_id {
                parts.entry(order).or_default().entries.push(row);
            }
        }
        let cards = gift_cards::Entity::find().all(conn).await?;
        Ok(Self {
            products: products::Entity::find().order_by_asc(products::Column::Id).all(conn).await?,
            variants: variants::Entity::find().order_by_asc(variants::Column::Position).all(conn).await?,
            customers: customers::Entity::find().order_by_asc(customers::Column::Id).all(conn).await?,
            addresses: addresses::Entity::find().order_by_asc(addresses::Column::Id).all(conn).await?,
            methods: payment_methods::Entity::find()
                .order_by_asc(payment_methods::Column::Id)
                .all(conn)
                .await?,
            cards: cards.into_iter().map(|card| (card.id, card)).collect(),
            orders: orders::Entity::find().order_by_asc(orders::Column::Number).all(conn).await?,
            parts,
        })
    }

    fn products(&self) -> Result<Value> {
        let mut variants: BTreeMap<_, Map<String, Value>> = BTreeMap::new();
        for row in &self.variants {
            let name = name(row.external_id.as_ref(), row.id);
            let value = json!({
                "item_id": name,
                "options": row.options,
                "available": row.is_sellable,
                "price": amount(row.price_minor)?,
            });
            variants.entry(row.product_id).or_default().insert(name, value);
        }
        let mut all = Map::new();
        for row in &self.products {
            let name = name(row.external_id.as_ref(), row.id);
            let variants = variants.remove(&row.id).unwrap_or_default();
            let value = json!({ "name": row.title, "product_id": name, "variants": variants });
            all.insert(name, value);
        }
        Ok(Value::Object(all))
    }

    fn users(&self) -> Result<Value> {
        let mut all = Map::new();
        for row in &self.customers {
            let user_id = name(row.external_id.as_ref(), row.id);
            let own = self.addresses.iter().filter(|address| address.customer_id == row.id);
            let address = own.max_by_key(|address| address.is_default);
            let mut methods = Map::new();
            for method in self.methods.iter().filter(|method| method.customer_id == row.id) {
                if method.detached_at.is_none() {
                    let id = name(method.external_id.as_ref(), method.id);
                    methods.insert(id.clone(), self.method(&id, method)?);
                }
            }
            let orders = self.orders.iter().filter(|order| order.customer_id == Some(row.id));
            let value = json!({
                "user_id": user_id,
                "name": { "first_name": row.first_name, "last_name": row.last_name },
                "address": address.map(|row| postal(&row.address)),
                "email": row.email,
                "payment_methods": methods,
                "orders": orders.map(order_name).collect::<Vec<_>>(),
            });
            all.insert(user_id, value);
        }
        Ok(Value::Object(all))
    }

    fn method(&self, id: &str, method: &payment_methods::Model) -> Result<Value> {
        Ok(match method.kind {
            InstrumentKind::Card => json!({
                "source": "credit_card",
                "id": id,
                "brand": method.brand,
                "last_four": method.last4,
            }),
            InstrumentKind::Paypal => json!({ "source": "paypal", "id": id }),
            InstrumentKind::StoreCredit => json!({ "source": "store_credit", "id": id }),
            InstrumentKind::GiftCard => {
                let card = method.gift_card_id.and_then(|card| self.cards.get(&card));
                let balance = card.context("a gift card without a card")?.balance_minor;
                json!({ "source": "gift_card", "id": id, "balance": amount(balance)? })
            }
        })
    }

    fn orders(&self) -> Result<Value> {
        let nothing = Parts::default();
        let variants: BTreeMap<VariantId, &variants::Model> =
            self.variants.iter().map(|row| (row.id, row)).collect();
        let products: BTreeMap<_, &products::Model> = self.products.iter().map(|row| (row.id, row)).collect();
        let users: BTreeMap<_, String> =
            self.customers.iter().map(|row| (row.id, name(row.external_id.as_ref(), row.id))).collect();
        let mut all = Map::new();
        for order in &self.orders {
            let parts = self.parts.get(&order.id).unwrap_or(&nothing);
            let item_id = |id: VariantId| {
                variants.get(&id).map_or_else(|| id.to_string(), |row| name(row.external_id.as_ref(), id))
            };
            let view = OrderView { rows: self, order, parts, item_id: &item_id };
            let mut items = Vec::new();
            for line in parts.lines.iter().filter(|line| view.is_in(line)) {
                let product = products.get(&line.product_id).context("a line without a product")?;
                let item = json!({
                    "name": product.title,
                    "product_id": name(product.external_id.as_ref(), product.id),
                    "item_id": item_id(line.variant_id),
                    "price": amount(line.unit_price_minor)?,
                    "options": line.options,
                });
                items.extend(units(line.quantity).map(|_| item.clone()));
            }
            let mut value = json!({
                "order_id": order_name(order),
                "user_id": order.customer_id.and_then(|id| users.get(&id)),
                "address": postal(&order.shipping_address),
                "items": items,
                "status": view.status(),
                "fulfillments": view.fulfillments(),
                "payment_history": view.payment_history()?,
            });
            if let Value::Object(fields) = &mut value {
                view.after_sales(fields)?;
            }
            all.insert(order_name(order), value);
        }
        Ok(Value::Object(all))
    }

    pub(super) fn method_name(&self, id: PaymentMethodId) -> String {
        let row = self.methods.iter().find(|method| method.id == id);
        row.map_or_else(|| id.to_string(), |row| name(row.external_id.as_ref(), id))
    }

    pub(super) fn card_name(&self, id: GiftCardId) -> String {
        self.cards.get(&id).map_or_else(|| id.to_string(), |row| name(row.external_id.as_ref(), id))
    }

    /// The instrument of a payment; gift cards have the same name as an instrument and as a card.
    pub(super) fn instrument(&self, payment: &payments::Model) -> String {
        match (payment.payment_method_id, payment.gift_card_id) {
            (Some(method), _) => self.method_name(method),
            (None, Some(card)) => self.card_name(card),
            (None, None) => payment.instrument.to_string(),
        }
    }
}

/// The reference's name, or the shop's own where it has none.
fn name(external_id: Option<&String>, id: impl ToString) -> String {
    external_id.cloned().unwrap_or_else(|| id.to_string())
}

fn order_name(order: &orders::Model) -> String {
    order.external_id.clone().unwrap_or_else(|| format!("#{}", order.number))
}
