//! What a task expects of the rows and of the gateway's own books. Nothing here reads a reply.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shop_stack::{Rows, Truth};

use crate::diff::{Change, discarded, parse};

/// The end state, as a task's file writes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// Orders that may change at all; one that the task places has the number `new`.
    #[serde(default)]
    pub(crate) order: Vec<OrderCheck>,
    /// Rows that were added or changed.
    #[serde(default)]
    pub(crate) row: Vec<RowCheck>,
    /// Changes of stock; a variant that is not named keeps its stock.
    #[serde(default)]
    pub(crate) stock: Vec<StockCheck>,
    /// Tables that may change, beside the bookkeeping.
    #[serde(default)]
    pub(crate) tables: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderCheck {
    pub(crate) number: String,
    /// Columns of the order, such as its three statuses.
    #[serde(default, rename = "is")]
    pub(crate) columns: BTreeMap<String, Value>,
    /// Taken and not given back, in the gateway's own books.
    pub(crate) kept_minor: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowCheck {
    pub(crate) table: String,
    pub(crate) count: usize,
    /// Columns, or paths into a JSON column with dots.
    #[serde(default, rename = "where")]
    pub(crate) columns: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StockCheck {
    pub(crate) sku: String,
    #[serde(default)]
    pub(crate) on_hand: i64,
    #[serde(default)]
    pub(crate) reserved: i64,
}

/// The end of one run.
pub(crate) struct Ended<'a> {
    pub(crate) after: &'a Rows,
    pub(crate) changes: &'a [Change],
    pub(crate) truth: &'a Truth,
}

impl Expect {
    /// Everything that is not as it should be; empty when the end state is right.
    pub(crate) fn problems(&self, ended: &Ended<'_>) -> Vec<String> {
        let mut problems = invariants(ended);
        for order in &self.order {
            problems.extend(order.problems(ended));
        }
        for row in &self.row {
            problems.extend(row.problem(ended));
        }
        problems.extend(stock_problems(&self.stock, ended));
        problems.extend(self.stray_changes(ended));
        problems
    }

    /// Whatever changed without having been asked for.
    fn stray_changes(&self, ended: &Ended<'_>) -> Vec<String> {
        let mine: BTreeSet<String> =
            self.order.iter().filter_map(|order| text(order.find(ended)?.get("id")?)).collect();
        let discarded = discarded(ended.changes);
        let mut stray = BTreeSet::new();
        for change in ended.changes.iter().filter(|change| !change.is_bookkeeping()) {
            if !self.tables.contains(&change.table) {
                stray.insert(format!("{} changed, which nobody asked for", change.table));
                continue;
            }
            let owner = if change.table == "orders" { "id" } else { "order_id" };
            let order = change.row().and_then(|row| text(row.get(owner)?));
            if let Some(order) = order.filter(|order| !mine.contains(order) && !discarded.contains(order)) {
                stray.insert(format!("{} of another order ({order}) changed", change.table));
            }
        }
        stray.into_iter().collect()
    }
}

impl OrderCheck {
    fn find(&self, ended: &Ended<'_>) -> Option<Map<String, Value>> {
        if self.number == "new" {
            let added =
                ended.changes.iter().filter(|change| change.table == "orders" && change.before.is_none());
            let mut live = added.filter_map(|change| change.after.clone());
            return live.find(|order| order.get("status").and_then(Value::as_str) != Some("cancelled"));
        }
        let number = |row: &Map<String, Value>| {
            row.get("external_id").and_then(text).or_else(|| Some(format!("#{}", row.get("number")?)))
        };
        table(ended.after, "orders").find(|row| number(row).as_deref() == Some(self.number.as_str()))
    }

    fn problems(&self, ended: &Ended<'_>) -> Vec<String> {
        let Some(row) = self.find(ended) else { return vec![format!("there is no order {}", self.number)] };
        let mut problems = Vec::new();
        for (path, wanted) in &self.columns {
            let found = at(&row, path);
            if found != *wanted {
                problems.push(format!("{} of order {} is {found}, not {wanted}", path, self.number));
            }
        }
        if let Some(wanted) = self.kept_minor {
            let kept: i64 = table(ended.after, "payments")
                .filter(|payment| payment.get("order_id") == row.get("id"))
                .filter_map(|payment| Some(ended.truth.kept_minor(payment.get("id")?.as_str()?)))
                .sum();
            if kept != wanted {
                problems.push(format!("the gateway keeps {kept} for order {}, not {wanted}", self.number));
            }
        }
        problems
    }
}

impl RowCheck {
    fn problem(&self, ended: &Ended<'_>) -> Option<String> {
        let matches = |change: &&Change| {
            change.table == self.table
                && change
                    .after
                    .as_ref()
                    .is_some_and(|row| self.columns.iter().all(|(path, v)| at(row, path) == *v))
        };
        let found = ended.changes.iter().filter(matches).count();
        (found != self.count).then(|| {
            let wanted = serde_json::to_string(&self.columns).unwrap_or_default();
            format!("{found} rows of {} with {wanted} were added or changed, not {}", self.table, self.count)
        })
    }
}

fn stock_problems(expected: &[StockCheck], ended: &Ended<'_>) -> Vec<String> {
    let skus: BTreeMap<String, String> = table(ended.after, "variants")
        .filter_map(|row| Some((text(row.get("id")?)?, text(row.get("sku")?)?)))
        .collect();
    let mut found: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for change in ended.changes.iter().filter(|change| change.table == "inventory_levels") {
        let column = |row: &Option<Map<String, Value>>, name: &str| {
            row.as_ref().and_then(|row| row.get(name)?.as_i64()).unwrap_or(0)
        };
        let moved = |name: &str| column(&change.after, name) - column(&change.before, name);
        let variant = change.row().and_then(|row| text(row.get("variant_id")?)).unwrap_or_default();
        let sum = found.entry(skus.get(&variant).cloned().unwrap_or(variant)).or_default();
        sum.0 += moved("on_hand");
        sum.1 += moved("reserved");
    }
    found.retain(|_, moved| *moved != (0, 0));
    let wanted: BTreeMap<String, (i64, i64)> =
        expected.iter().map(|check| (check.sku.clone(), (check.on_hand, check.reserved))).collect();
    if found == wanted {
        return Vec::new();
    }
    vec![format!("stock moved by {found:?} (on hand, reserved), not {wanted:?}")]
}

/// What holds at the end of every run, whatever it was about.
pub(crate) fn invariants(ended: &Ended<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    for entry in table(ended.after, "ledger_entries") {
        let currency = entry.get("currency").and_then(text).unwrap_or_default();
        *sums.entry(currency).or_default() += entry.get("amount_minor").and_then(Value::as_i64).unwrap_or(0);
    }
    let unbalanced = sums.iter().filter(|(_, sum)| **sum != 0);
    problems
        .extend(unbalanced.map(|(currency, sum)| format!("the ledger sums to {sum} {currency}, not zero")));
    for order in discarded(ended.changes) {
        let payments = table(ended.after, "payments")
            .filter(|payment| payment.get("order_id").and_then(Value::as_str) == Some(order.as_str()));
        let kept: i64 =
            payments.filter_map(|payment| Some(ended.truth.kept_minor(payment.get("id")?.as_str()?))).sum();
        if kept != 0 {
            problems.push(format!("the gateway keeps {kept} for order {order}, which was cancelled at once"));
        }
    }
    // A seeded payment may be in doubt; one that this run touched may not.
    let touched = ended.changes.iter().filter(|change| change.table == "payments").filter_map(Change::row);
    for payment in touched {
        let number = |name: &str| payment.get(name).and_then(Value::as_i64).unwrap_or(0);
        let Some(id) = payment.get("id").and_then(text) else { continue };
        let at_gateway = matches!(payment.get("instrument").and_then(Value::as_str), Some("card" | "paypal"));
        let (ours, theirs) = (number("captured_minor") - paid_back(ended, &id), ended.truth.kept_minor(&id));
        if at_gateway && ours != theirs {
            problems.push(format!("the shop keeps {ours} for {id}, the gateway {theirs}"));
        }
    }
    let known: BTreeSet<String> =
        table(ended.after, "payments").filter_map(|payment| text(payment.get("id")?)).collect();
    let strangers = ended.truth.charges.iter().filter(|charge| !known.contains(&charge.reference));
    problems.extend(
        strangers.map(|charge| format!("the gateway has a charge nobody knows: {}", charge.reference)),
    );
    problems
}

/// What went back through the gateway; store credit and gift cards are the shop's own.
fn paid_back(ended: &Ended<'_>, payment: &str) -> i64 {
    table(ended.after, "refunds")
        .filter(|row| row.get("payment_id").and_then(Value::as_str) == Some(payment))
        .filter(|row| row.get("status").and_then(Value::as_str) == Some("succeeded"))
        .filter(|row| row.get("destination").and_then(Value::as_str) == Some("original_method"))
        .filter_map(|row| row.get("amount_minor")?.as_i64())
        .sum()
}

/// The rows of one table.
pub(crate) fn table<'a>(rows: &'a Rows, name: &str) -> impl Iterator<Item = Map<String, Value>> + use<'a> {
    rows.get(name).into_iter().flat_map(|rows| rows.values()).map(|row| parse(row))
}

/// A column, or a path into a column of JSON. SQLite keeps booleans as numbers.
fn at(row: &Map<String, Value>, path: &str) -> Value {
    let mut names = path.split('.');
    let first = names.next().and_then(|name| row.get(name)).cloned().unwrap_or(Value::Null);
    names.fold(first, |value, name| match name.parse::<usize>() {
        Ok(index) => value.get(index).cloned().unwrap_or(Value::Null),
        Err(_) => value.get(name).cloned().unwrap_or(Value::Null),
    })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests;
