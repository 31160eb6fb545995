//! From words to ids, by reading.

use std::collections::BTreeMap;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};

use super::{Found, items, pick};
use crate::expert::{Session, is_meant};
use crate::intent::{Item, Pay};

/// An order by the number people use. The list shows it whole, with its version.
pub(crate) async fn order(session: &mut Session<'_>, number: &str) -> anyhow::Result<Found> {
    let found = session.read("list_orders", json!({ "number": number })).await?;
    let order = items(&found.body).first().ok_or_else(|| anyhow!("there is no order {number}"))?;
    Ok(Found { body: order.clone() })
}

/// The lines that hold the units that are meant. The same thing may stand on several lines.
pub(super) fn lines(order: &Value, wanted: &[Item]) -> anyhow::Result<Vec<(Value, i64)>> {
    let all = order["lines"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut chosen: Vec<(Value, i64)> = Vec::new();
    for item in wanted {
        let mut open = item.quantity;
        for line in all.iter().filter(|line| is_meant(item, &line["title"], &line["options"])) {
            if open == 0 || chosen.iter().any(|(taken, _)| taken["id"] == line["id"]) {
                continue;
            }
            let units = open.min(line["quantity"].as_i64().unwrap_or(0));
            chosen.push((line.clone(), units));
            open -= units;
        }
        if open > 0 {
            bail!("the order has no {} units of {} {:?}", item.quantity, item.title, item.options);
        }
    }
    Ok(chosen)
}

/// The same as the tools take them.
pub(super) fn units(order: &Value, wanted: &[Item]) -> anyhow::Result<Value> {
    let lines = lines(order, wanted)?;
    Ok(lines.iter().map(|(line, units)| json!({ "line_id": line["id"], "quantity": units })).collect())
}

/// What can be bought under these words.
pub(super) async fn variant(session: &mut Session<'_>, item: &Item) -> anyhow::Result<Value> {
    // Titles put commas between the options; a search takes words.
    let words = item.title.replace(',', " ");
    let found = session.read("search_products", json!({ "q": words })).await?;
    for product in items(&found.body) {
        let listed = session.read("list_variants", json!({ "product_id": product["id"] })).await?;
        let meant =
            items(&listed.body).iter().find(|variant| is_meant(item, &variant["title"], &variant["options"]));
        if let Some(variant) = meant {
            return Ok(variant.clone());
        }
    }
    Err(anyhow!("nothing is called {}", item.title))
}

/// The other form of a line's product that has these options.
pub(super) async fn form(
    session: &mut Session<'_>,
    line: &Value,
    to: &BTreeMap<String, String>,
) -> anyhow::Result<Value> {
    let listed = session.read("list_variants", json!({ "product_id": line["product_id"] })).await?;
    let has =
        |variant: &Value| to.iter().all(|(name, value)| variant["options"][name.as_str()] == value.as_str());
    pick(items(&listed.body), &format!("{to:?}"), has).cloned()
}

/// A saved method of a customer.
pub(super) async fn method(session: &mut Session<'_>, customer: &Value, pay: &Pay) -> anyhow::Result<Value> {
    let listed = session.read("list_payment_methods", json!({ "customer_id": customer })).await?;
    let is_meant = |method: &Value| {
        method["kind"] == pay.with.instrument()
            && pay.last4.as_ref().is_none_or(|last4| method["last4"] == last4.as_str())
    };
    pick(items(&listed.body), &format!("{pay:?}"), is_meant).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(title: &str, quantity: i64) -> Item {
        Item { title: title.into(), options: [("color".to_owned(), "red".to_owned())].into(), quantity }
    }

    #[test]
    fn units_may_lie_on_several_lines_and_must_all_be_there() {
        let line = |id: &str, color: &str, quantity: i64| json!({ "id": id, "title": "Lamp", "options": { "color": color }, "quantity": quantity });
        let order = json!({ "lines": [line("a", "red", 1), line("b", "blue", 5), line("c", "red", 1)] });
        let two = units(&order, &[item("lamp", 2)]).unwrap();
        assert_eq!(two, json!([{ "line_id": "a", "quantity": 1 }, { "line_id": "c", "quantity": 1 }]));
        assert!(units(&order, &[item("lamp", 3)]).is_err());
        assert!(units(&order, &[item("chair", 1)]).is_err());
    }
}
