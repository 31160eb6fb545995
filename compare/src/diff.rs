//! What a run changed, row by row, and the same in a form that two runs of one task can be compared by.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use shop_stack::Rows;

/// Tables that say how something was done, not what is so: logs, keys, queues, scratch paper.
const BOOKKEEPING: [&str; 14] = [
    "action_journal",
    "actions",
    "attempts",
    "audit_log",
    "cart_lines",
    "carts",
    "consents",
    "counters",
    "events",
    "holds",
    "idempotency_keys",
    "jobs",
    "reservations",
    "settings",
];

/// Columns that differ between two runs that did the same: names drawn at random, times, counts of changes.
const ACCIDENTAL: [&str; 14] = [
    "at",
    "cart_id",
    "charge_id",
    "gateway_ref",
    "id",
    "label_tracking",
    "memo",
    "number",
    "requested_by",
    "seq",
    "tracking_number",
    "transaction_id",
    "version",
    "decided_by",
];

/// Columns that say the same in each caller's own words.
const OWN_WORDS: [(&str, &str); 5] = [
    ("approvals", "action_id"),
    ("approvals", "digest"),
    ("approvals", "input"),
    ("approvals", "reason"),
    ("returns", "note"),
];

/// One row that was added, changed or removed.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) table: String,
    pub(crate) before: Option<Map<String, Value>>,
    pub(crate) after: Option<Map<String, Value>>,
}

impl Change {
    /// The row as it is, or as it was when it is gone.
    pub(crate) fn row(&self) -> Option<&Map<String, Value>> {
        self.after.as_ref().or(self.before.as_ref())
    }

    pub(crate) fn is_bookkeeping(&self) -> bool {
        BOOKKEEPING.contains(&self.table.as_str())
    }

    fn is_new(&self) -> bool {
        self.before.is_none()
    }
}

/// Every row that is not as it was.
pub(crate) fn changes(before: &Rows, after: &Rows) -> Vec<Change> {
    let mut all = Vec::new();
    let tables: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for table in tables {
        let (old, new) = (before.get(table), after.get(table));
        let rows =
            |rows: Option<&std::collections::BTreeMap<String, String>>| rows.cloned().unwrap_or_default();
        let (old, new) = (rows(old), rows(new));
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let (was, is) = (old.get(key), new.get(key));
            if was != is {
                let (before, after) = (was.map(|row| parse(row)), is.map(|row| parse(row)));
                all.push(Change { table: table.clone(), before, after });
            }
        }
    }
    all
}

/// A row's columns. Columns of JSON are text to the database; they are opened here.
pub(crate) fn parse(row: &str) -> Map<String, Value> {
    let mut columns: Map<String, Value> = serde_json::from_str(row).unwrap_or_default();
    for value in columns.values_mut() {
        let opened = match value.as_str() {
            Some(text) if text.starts_with(['{', '[']) => serde_json::from_str(text).ok(),
            Some(_) | None => None,
        };
        if let Some(opened) = opened {
            *value = opened;
        }
    }
    columns
}

/// Orders that the run placed and cancelled again, as a declined card leaves them: nothing of them is left.
pub(crate) fn discarded(changes: &[Change]) -> BTreeSet<String> {
    let orders = changes.iter().filter(|change| change.table == "orders" && change.is_new());
    let gone = orders
        .filter_map(|change| change.after.as_ref())
        .filter(|row| row.get("status").is_some_and(|status| status == "cancelled"));
    gone.filter_map(|row| Some(row.get("id")?.as_str()?.to_owned())).collect()
}

/// What is so after a run and was not before, without the names it was given: equal for two runs that did the same.
pub(crate) fn end_state(changes: &[Change]) -> Vec<String> {
    let drawn: BTreeSet<&str> = changes
        .iter()
        .filter(|change| change.is_new())
        .filter_map(|change| change.row()?.get("id")?.as_str())
        .collect();
    let discarded = discarded(changes);
    let is_discarded = |change: &&Change| {
        // Nor is anything left of a payment that was declined.
        let failed = change.table == "payments" && change.is_new();
        if failed && change.row().is_some_and(|row| row.get("status").is_some_and(|is| is == "failed")) {
            return true;
        }
        let owner = if change.table == "orders" { "id" } else { "order_id" };
        let order = change.row().and_then(|row| row.get(owner)?.as_str());
        order.is_some_and(|order| discarded.contains(order))
    };
    let mut lines: Vec<String> = changes
        .iter()
        .filter(|change| !change.is_bookkeeping() && !is_discarded(change))
        .map(|change| {
            let kept: Map<String, Value> = change
                .after
                .iter()
                .flatten()
                .filter(|(name, _)| !ACCIDENTAL.contains(&name.as_str()) && !name.ends_with("_at"))
                .filter(|(name, _)| !OWN_WORDS.contains(&(change.table.as_str(), name.as_str())))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let mut line = format!("{} {}", change.table, Value::Object(kept));
            for id in &drawn {
                line = line.replace(id, "new");
            }
            line
        })
        .collect();
    lines.sort();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &str, rows: &[(&str, &str)]) -> Rows {
        let rows = rows.iter().map(|(key, row)| ((*key).to_owned(), (*row).to_owned())).collect();
        Rows::from([(table.to_owned(), rows)])
    }

    #[test]
    fn added_changed_and_removed_rows_are_found_and_equal_ones_are_not() {
        let before =
            rows("orders", &[("1", r#"{"id":"a","n":1}"#), ("2", r#"{"id":"b","n":1}"#), ("3", "{}")]);
        let after =
            rows("orders", &[("1", r#"{"id":"a","n":1}"#), ("2", r#"{"id":"b","n":2}"#), ("4", "{}")]);
        let found = changes(&before, &after);
        let shape: Vec<_> = found.iter().map(|c| (c.before.is_some(), c.after.is_some())).collect();
        assert_eq!(shape, [(true, true), (true, false), (false, true)]);
        assert_eq!(found[0].row().unwrap()["n"], 2);
    }

    #[test]
    fn json_in_a_column_is_opened() {
        assert_eq!(parse(r#"{"address":"{\"city\":\"Kiel\"}","code":"[x"}"#)["address"]["city"], "Kiel");
        assert_eq!(parse(r#"{"code":"[x"}"#)["code"], "[x");
    }

    #[test]
    fn two_runs_that_did_the_same_have_one_end_state() {
        let run = |id: &str, version: i64, amount: i64| {
            let refund =
                format!(r#"{{"id":"{id}","amount_minor":{amount},"version":{version},"created_at":"{id}"}}"#);
            let line = format!(r#"{{"id":"l-{id}","refund_id":"{id}"}}"#);
            let mut after = rows("refunds", &[(id, &refund)]);
            after.extend(rows("ledger_entries", &[("1", &line)]));
            after.extend(rows("events", &[("1", &refund)]));
            end_state(&changes(&Rows::new(), &after))
        };
        assert_eq!(run("rfd_1", 1, 500), run("rfd_2", 3, 500));
        assert_ne!(run("rfd_1", 1, 500), run("rfd_1", 1, 501));
        assert_eq!(run("rfd_1", 1, 500).len(), 2);
    }
}
