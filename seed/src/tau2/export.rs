//! Rows in the shape of the reference's `db.json`.
//!
//! Fields that do not apply are absent. What the shop made on its own and the reference has no name for goes by the
//! shop's id, so that a comparison sees it.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::{Map, Value, json};
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::{GiftCardId, OrderId, OrderLineId, PaymentMethodId, VariantId};
use shop_domain::ledger::Account;
use shop_domain::reasons::CancelReason;
use shop_domain::status::{
    ExchangeStatus, FulfillmentStatus, InstrumentKind, OrderStatus, PaymentState, RefundDestination,
    RefundStatus, ReturnStatus,
};
use shop_store::Db;
use shop_store::columns::ExchangeLine;
use shop_store::entities::{
    addresses, customers, exchanges, fulfillments, gift_cards, ledger_entries, order_lines, orders,
    payment_methods, payments, products, refunds, returns, variants,
};

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

struct Rows {
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
struct Parts {
    lines: Vec<order_lines::Model>,
    payments: Vec<payments::Model>,
    refunds: Vec<refunds::Model>,
    parcels: Vec<fulfillments::Model>,
    returns: Vec<returns::Model>,
    exchanges: Vec<exchanges::Model>,
    /// In the order in which they were committed.
    entries: Vec<ledger_entries::Model>,
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

    fn method_name(&self, id: PaymentMethodId) -> String {
        let row = self.methods.iter().find(|method| method.id == id);
        row.map_or_else(|| id.to_string(), |row| name(row.external_id.as_ref(), id))
    }

    fn card_name(&self, id: GiftCardId) -> String {
        self.cards.get(&id).map_or_else(|| id.to_string(), |row| name(row.external_id.as_ref(), id))
    }

    /// The instrument of a payment; gift cards have the same name as an instrument and as a card.
    fn instrument(&self, payment: &payments::Model) -> String {
        match (payment.payment_method_id, payment.gift_card_id) {
            (Some(method), _) => self.method_name(method),
            (None, Some(card)) => self.card_name(card),
            (None, None) => payment.instrument.to_string(),
        }
    }
}

struct OrderView<'a> {
    rows: &'a Rows,
    order: &'a orders::Model,
    parts: &'a Parts,
    item_id: &'a dyn Fn(VariantId) -> String,
}

impl OrderView<'_> {
    fn is_cancelled(&self) -> bool {
        self.order.status == OrderStatus::Cancelled
    }

    /// A cancelled order still says what it was about; a line that an edit took out does not.
    fn is_in(&self, line: &order_lines::Model) -> bool {
        self.is_cancelled() || line.quantity > line.cancelled_quantity
    }

    /// The first of these that is true.
    fn status(&self) -> &'static str {
        let is_at = |wanted: fn(FulfillmentStatus) -> bool| {
            self.parts
                .parcels
                .iter()
                .any(|parcel| parcel.purpose == FulfillmentPurpose::Order && wanted(parcel.status))
        };
        if self.is_cancelled() {
            "cancelled"
        } else if self.asked_return().is_some() {
            "return requested"
        } else if self.asked_exchange().is_some() {
            "exchange requested"
        } else if is_at(|status| status == FulfillmentStatus::Delivered) {
            "delivered"
        } else if is_at(FulfillmentStatus::has_left) {
            "processed"
        } else if self.order.is_edited {
            "pending (item modified)"
        } else {
            "pending"
        }
    }

    fn asked_return(&self) -> Option<&returns::Model> {
        self.parts.returns.iter().find(|row| {
            row.exchange_id.is_none()
                && !matches!(row.status, ReturnStatus::Rejected | ReturnStatus::Cancelled)
        })
    }

    fn asked_exchange(&self) -> Option<&exchanges::Model> {
        self.parts.exchanges.iter().find(|row| row.status != ExchangeStatus::Cancelled)
    }

    /// Parcels with a number: those of cancelled orders too, whose numbers the reference keeps.
    fn fulfillments(&self) -> Vec<Value> {
        let parcels = self.parts.parcels.iter().filter(|parcel| parcel.purpose == FulfillmentPurpose::Order);
        parcels
            .filter_map(|parcel| {
                let tracking = parcel.tracking_number.as_ref()?;
                let items = self.items(parcel.lines.0.iter().map(|line| (line.line_id, line.quantity)));
                Some(json!({ "tracking_id": [tracking], "item_ids": items }))
            })
            .collect()
    }

    /// What moved, in the order it was committed, which is the order of the ledger; then what is only held.
    fn payment_history(&self) -> Result<Vec<Value>> {
        let mut history = Vec::new();
        for entry in self.parts.entries.iter().filter(|entry| is_money(entry.account)) {
            if let Some(id) = entry.refund_id {
                let refund = self.parts.refunds.iter().find(|refund| refund.id == id);
                let refund = refund.context("the ledger names a refund that is not there")?;
                // One that bounced is not a refund; neither is its way back.
                if refund.status == RefundStatus::Succeeded && entry.amount_minor < 0 {
                    history.push(transaction("refund", -entry.amount_minor, self.destination(refund))?);
                }
            } else if let Some(id) = entry.payment_id
                && entry.amount_minor > 0
            {
                let payment = self.parts.payments.iter().find(|payment| payment.id == id);
                let payment = payment.context("the ledger names a payment that is not there")?;
                history.push(transaction("payment", entry.amount_minor, self.rows.instrument(payment))?);
            }
        }
        for payment in self.parts.payments.iter().filter(|payment| payment.captured_minor == 0) {
            let method = self.rows.instrument(payment);
            let held = payment.authorized_minor;
            if held > 0 && matches!(payment.status, PaymentState::Authorized | PaymentState::Voided) {
                history.push(transaction("payment", held, method.clone())?);
            }
            if held > 0 && payment.status == PaymentState::Voided {
                history.push(transaction("refund", held, method)?);
            }
        }
        Ok(history)
    }

    fn destination(&self, refund: &refunds::Model) -> String {
        match (refund.destination, refund.gift_card_id) {
            (RefundDestination::StoreCredit, _) => "store_credit".to_owned(),
            (RefundDestination::GiftCard, Some(card)) => self.rows.card_name(card),
            (RefundDestination::OriginalMethod | RefundDestination::GiftCard, _) => self.paid_with(refund),
        }
    }

    fn paid_with(&self, refund: &refunds::Model) -> String {
        let payment = self.parts.payments.iter().find(|payment| Some(payment.id) == refund.payment_id);
        payment.map_or_else(String::new, |payment| self.rows.instrument(payment))
    }

    fn after_sales(&self, fields: &mut Map<String, Value>) -> Result<()> {
        if let Some(reason) = &self.order.cancel_reason {
            let label = reason.parse::<CancelReason>().map(CancelReason::label);
            fields.insert("cancel_reason".to_owned(), json!(label.unwrap_or(reason)));
        }
        if let Some(row) = self.asked_return() {
            let lines = row.lines.0.iter().map(|line| (line.line_id, line.quantity));
            fields.insert("return_items".to_owned(), json!(sorted(self.items(lines))));
            fields.insert("return_payment_method_id".to_owned(), json!(self.refund_method(row)));
        }
        if let Some(row) = self.asked_exchange() {
            let swapped = |variant: fn(&ExchangeLine) -> VariantId| -> Vec<String> {
                let of_line =
                    |line: &ExchangeLine| units(line.quantity).map(|_| (self.item_id)(variant(line)));
                sorted(row.lines.0.iter().flat_map(of_line).collect())
            };
            fields.insert("exchange_items".to_owned(), json!(swapped(|line| line.old_variant_id)));
            fields.insert("exchange_new_items".to_owned(), json!(swapped(|line| line.variant_id)));
            let card = row.settle_gift_card_id.map(|id| self.rows.card_name(id));
            let method = row.settle_method_id.map(|id| self.rows.method_name(id)).or(card);
            fields.insert("exchange_payment_method_id".to_owned(), json!(method));
            fields.insert("exchange_price_difference".to_owned(), amount(row.difference_minor)?);
        }
        Ok(())
    }

    /// Where a return is to be paid: the instrument that was named, else what was paid with.
    fn refund_method(&self, row: &returns::Model) -> Option<String> {
        let original = || self.parts.payments.iter().find(|payment| payment.captured_minor > 0);
        match row.refund_method_id {
            Some(id) => Some(self.rows.method_name(id)),
            None => original().map(|payment| self.rows.instrument(payment)),
        }
    }

    /// The items of some lines, one for each unit.
    fn items(&self, lines: impl Iterator<Item = (OrderLineId, i64)>) -> Vec<String> {
        lines
            .flat_map(|(id, quantity)| {
                let line = self.parts.lines.iter().find(|line| line.id == id);
                units(quantity).filter_map(move |_| line)
            })
            .map(|line| (self.item_id)(line.variant_id))
            .collect()
    }
}

/// Accounts on which money or money-like value of customers comes and goes.
const fn is_money(account: Account) -> bool {
    match account {
        Account::CashAtGateway | Account::StoreCredit | Account::GiftCards | Account::OfflineCash => true,
        Account::Receivable
        | Account::Revenue
        | Account::TaxPayable
        | Account::ShippingRevenue
        | Account::Discounts
        | Account::RefundsPayable
        | Account::Goodwill
        | Account::Postage
        | Account::Disputes => false,
    }
}

fn transaction(kind: &str, minor: i64, method: String) -> Result<Value> {
    Ok(json!({ "transaction_type": kind, "amount": amount(minor)?, "payment_method_id": method }))
}

fn units(quantity: i64) -> std::ops::Range<i64> {
    0..quantity
}

fn sorted(mut items: Vec<String>) -> Vec<String> {
    items.sort();
    items
}

/// The reference's name, or the shop's own where it has none.
fn name(external_id: Option<&String>, id: impl ToString) -> String {
    external_id.cloned().unwrap_or_else(|| id.to_string())
}

fn order_name(order: &orders::Model) -> String {
    order.external_id.clone().unwrap_or_else(|| format!("#{}", order.number))
}
