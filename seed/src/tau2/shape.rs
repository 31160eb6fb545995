//! The reference's JSON: its fields, its countries and its amounts.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Number, Value, json};
use shop_domain::address::Address;

/// Reads `db.json` of a directory with the reference's data.
///
/// # Errors
/// When there is none, or it is not JSON.
pub fn read_tau2(directory: &Path) -> Result<Value> {
    let path = directory.join("db.json");
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is not JSON", path.display()))
}

/// The whole file. Maps keep the order of the file.
#[derive(Deserialize)]
pub(super) struct Data {
    pub(super) products: Map<String, Value>,
    pub(super) users: Map<String, Value>,
    pub(super) orders: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Product {
    pub(super) name: String,
    pub(super) product_id: String,
    pub(super) variants: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Variant {
    pub(super) item_id: String,
    pub(super) options: BTreeMap<String, String>,
    pub(super) available: bool,
    pub(super) price: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct User {
    pub(super) user_id: String,
    pub(super) name: Name,
    pub(super) address: Postal,
    pub(super) email: String,
    pub(super) payment_methods: Map<String, Value>,
    /// The same as their orders say, which is where it is taken from.
    #[serde(rename = "orders")]
    pub(super) _orders: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Name {
    pub(super) first_name: String,
    pub(super) last_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Postal {
    address1: String,
    address2: String,
    city: String,
    country: String,
    state: String,
    zip: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, tag = "source", rename_all = "snake_case")]
pub(super) enum Method {
    CreditCard { id: String, brand: String, last_four: String },
    Paypal { id: String },
    GiftCard { id: String, balance: Number },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    pub(super) order_id: String,
    pub(super) user_id: String,
    pub(super) address: Postal,
    pub(super) items: Vec<OrderItem>,
    pub(super) status: Status,
    pub(super) fulfillments: Vec<Fulfillment>,
    pub(super) payment_history: Vec<Transaction>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Pending,
    Processed,
    Delivered,
    Cancelled,
}

/// The other fields of an item are those of its variant.
#[derive(Deserialize)]
pub(super) struct OrderItem {
    pub(super) item_id: String,
    pub(super) price: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fulfillment {
    pub(super) tracking_id: Vec<String>,
    pub(super) item_ids: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transaction {
    pub(super) transaction_type: TransactionType,
    pub(super) amount: Number,
    pub(super) payment_method_id: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum TransactionType {
    Payment,
    Refund,
}

impl Postal {
    pub(super) fn to_address(&self, name: &str) -> Result<Address> {
        let country = match self.country.as_str() {
            "USA" => "US".to_owned(),
            other => bail!("the country `{other}` has no code here: the reference knows USA only"),
        };
        Ok(Address {
            name: name.to_owned(),
            line1: self.address1.clone(),
            line2: self.address2.clone(),
            city: self.city.clone(),
            region: self.state.clone(),
            postal_code: self.zip.clone(),
            country,
        })
    }
}

/// An address in the reference's words.
pub(super) fn postal(address: &Address) -> Value {
    let country = if address.country == "US" { "USA" } else { address.country.as_str() };
    json!({
        "address1": address.line1,
        "address2": address.line2,
        "city": address.city,
        "country": country,
        "state": address.region,
        "zip": address.postal_code,
    })
}

/// An amount of the reference in minor units, to the cent.
pub(super) fn cents(amount: &Number) -> Result<i64> {
    let amount = amount.as_f64().context("an amount that is no number")?;
    let text = format!("{amount:.2}");
    text.replace('.', "").parse().with_context(|| format!("{text} is no amount"))
}

/// Minor units as an amount of the reference: the only place where money becomes a float.
pub(super) fn amount(minor: i64) -> Result<Value> {
    let (sign, size) = (if minor < 0 { "-" } else { "" }, minor.unsigned_abs());
    let text = format!("{sign}{}.{:02}", size / 100, size % 100);
    let number = Number::from_f64(text.parse()?).context("an amount that no JSON number is")?;
    Ok(Value::Number(number))
}
