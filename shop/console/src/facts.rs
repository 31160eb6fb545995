//! A summary or an operation's body as lines a person can check.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use shop_domain::money::{Currency, Money};

use crate::page::human;

/// Names of the one amount that everything is about.
const HEADLINES: &[&str] = &["amount", "amount_minor", "total_minor"];

/// The last words of names of amounts. Another integer, such as a quantity, is shown as it is.
const MONEY: &[&str] = &[
    "amount",
    "balance",
    "charge",
    "credit",
    "difference",
    "discount",
    "due",
    "fee",
    "minor",
    "price",
    "refund",
    "shipping",
    "subtotal",
    "tax",
    "total",
];

/// One thing a person should know, with one line or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) label: String,
    pub(crate) lines: Vec<String>,
}

/// What a record of any shape says beside its headline, in its own order. Fields that do not apply are left out.
pub(crate) fn facts(record: &Map<String, Value>) -> Vec<Fact> {
    let currency = currency_of(record);
    let headline = headline(record).map(|(name, _)| name);
    shown(record)
        .filter(|(name, _)| Some(name.as_str()) != headline)
        .map(|(name, value)| Fact { label: label(name), lines: lines(name, value, currency) })
        .collect()
}

/// The amount everything is about, where there is one.
pub(crate) fn amount(record: &Map<String, Value>) -> Option<String> {
    headline(record).map(|(_, amount)| amount.to_string())
}

fn headline(record: &Map<String, Value>) -> Option<(&'static str, Money)> {
    let currency = currency_of(record)?;
    let found = |name: &&'static str| Some((*name, Money::new(record.get(*name)?.as_i64()?, currency)));
    HEADLINES.iter().find_map(found)
}

/// An amount as a person writes it; minor units where the currency is not known.
pub(crate) fn money(minor: i64, currency: Option<&str>) -> String {
    match currency.and_then(|code| code.parse().ok()) {
        Some(currency) => Money::new(minor, currency).to_string(),
        None => format!("{minor} (minor units)"),
    }
}

pub(crate) fn time(at: DateTime<Utc>) -> String {
    at.format("%-d %B %Y, %H:%M UTC").to_string()
}

fn shown(record: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    record.iter().filter(|(name, value)| *name != "currency" && !is_empty(value))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn currency_of(record: &Map<String, Value>) -> Option<Currency> {
    record.get("currency")?.as_str()?.parse().ok()
}

fn label(name: &str) -> String {
    human(name.trim_end_matches("_minor").trim_end_matches("_id"))
}

fn lines(name: &str, value: &Value, currency: Option<Currency>) -> Vec<String> {
    match value {
        Value::Array(list) => list.iter().map(|entry| line(name, entry, currency)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![line(name, value, currency)]
        }
    }
}

fn line(name: &str, value: &Value, currency: Option<Currency>) -> String {
    match (value, value.as_i64(), currency) {
        (Value::Null, _, _) => "none".to_owned(),
        (Value::Bool(yes), _, _) => if *yes { "yes" } else { "no" }.to_owned(),
        (Value::String(text), _, _) => text.clone(),
        (Value::Number(_), Some(minor), Some(currency)) if is_money(name) => {
            Money::new(minor, currency).to_string()
        }
        (Value::Number(number), _, _) => number.to_string(),
        (Value::Array(list), _, _) => {
            list.iter().map(|entry| line(name, entry, currency)).collect::<Vec<_>>().join(", ")
        }
        (Value::Object(object), _, _) => object_line(object, currency),
    }
}

/// "2 × Blue mug · unit price 19.90 EUR"; an address is its lines.
fn object_line(object: &Map<String, Value>, currency: Option<Currency>) -> String {
    let currency = currency_of(object).or(currency);
    let text = |name: &str| object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if text("line1").is_some() {
        let city = [text("postal_code"), text("city")].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let parts = [
            text("name"),
            text("line1"),
            text("line2"),
            Some(city.as_str()),
            text("region"),
            text("country"),
        ];
        return parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    }
    let title = ["title", "label", "name"].into_iter().find(|name| text(name).is_some());
    let quantity = object.get("quantity").and_then(Value::as_i64);
    let mut parts = Vec::new();
    match (title.and_then(text), quantity) {
        (Some(title), Some(quantity)) => parts.push(format!("{quantity} × {title}")),
        (Some(title), None) => parts.push(title.to_owned()),
        (None, _) => {}
    }
    // What the title already says is not said twice, and a title makes an id superfluous.
    let is_said = |name: &str| {
        title.is_some()
            && (Some(name) == title || name == "quantity" || name == "id" || name.ends_with("_id"))
    };
    for (name, value) in shown(object).filter(|(name, _)| !is_said(name)) {
        parts.push(format!("{} {}", label(name).to_lowercase(), line(name, value, currency)));
    }
    parts.join(" · ")
}

fn is_money(name: &str) -> bool {
    name.rsplit('_').next().is_some_and(|last| MONEY.contains(&last))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fact(label: &str, lines: &[&str]) -> Fact {
        Fact { label: label.to_owned(), lines: lines.iter().map(|line| (*line).to_owned()).collect() }
    }

    #[test]
    fn a_summary_reads_like_a_receipt() {
        let summary = json!({
            "amount": 5_293, "currency": "EUR", "coupon": null, "note": "",
            "items": [
                { "id": "lin_1", "title": "Blue mug", "quantity": 2, "total_minor": 3_980 },
                { "variant_id": "var_9", "quantity": 1 },
            ],
            "address": { "name": "Ada Byron", "line1": "12 Harbour Road", "line2": "", "city": "Hamburg", "postal_code": "20095", "country": "DE" },
            "shipping": 1_290, "shipping_method": { "label": "Express", "days": 2 },
            "payment_type": "card", "gift_wrap": true,
        });
        let Value::Object(summary) = summary else { panic!("an object") };
        assert_eq!(amount(&summary).as_deref(), Some("52.93 EUR"));
        let expected = [
            fact("Items", &["2 × Blue mug · total 39.80 EUR", "variant var_9 · quantity 1"]),
            fact("Address", &["Ada Byron, 12 Harbour Road, 20095 Hamburg, DE"]),
            fact("Shipping", &["12.90 EUR"]),
            fact("Shipping method", &["Express · days 2"]),
            fact("Payment type", &["card"]),
            fact("Gift wrap", &["yes"]),
        ];
        assert_eq!(facts(&summary), expected);
    }

    #[test]
    fn an_amount_without_a_currency_is_not_guessed() {
        assert_eq!(money(1_990, None), "1990 (minor units)");
        assert_eq!(money(1_990, Some("JPY")), "1990 JPY");
        assert_eq!(amount(&Map::from_iter([("amount".to_owned(), json!(5))])), None);
    }
}
