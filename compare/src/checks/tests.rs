//! A small shop of rows, and runs that end well or badly.

use serde_json::json;

use super::*;
use crate::diff::changes;

fn rows(tables: &[(&str, &[Value])]) -> Rows {
    let keyed = |rows: &[Value]| {
        rows.iter()
            .enumerate()
            .map(|(at, row)| (row["id"].as_str().map_or(at.to_string(), str::to_owned), row.to_string()))
            .collect()
    };
    tables.iter().map(|(name, list)| ((*name).to_owned(), keyed(list))).collect()
}

fn start() -> Rows {
    rows(&[
        (
            "orders",
            &[
                json!({ "id": "o1", "number": 1001, "status": "confirmed" }),
                json!({ "id": "o2", "number": 1002, "status": "confirmed" }),
            ],
        ),
        ("variants", &[json!({ "id": "v1", "sku": "MUG" })]),
        ("inventory_levels", &[json!({ "id": "x", "variant_id": "v1", "on_hand": 5, "reserved": 1 })]),
        (
            "payments",
            &[
                json!({ "id": "p1", "order_id": "o1", "instrument": "gift_card", "captured_minor": 500, "refunded_minor": 0 }),
            ],
        ),
        (
            "ledger_entries",
            &[
                json!({ "amount_minor": 500, "currency": "EUR" }),
                json!({ "amount_minor": -500, "currency": "EUR" }),
            ],
        ),
        ("events", &[]),
    ])
}

fn problems(expect: &str, change: impl FnOnce(&mut Rows)) -> Vec<String> {
    let before = start();
    let mut after = before.clone();
    change(&mut after);
    let changes = changes(&before, &after);
    let expect: Expect = toml::from_str(expect).unwrap();
    expect.problems(&Ended { after: &after, changes: &changes, truth: &Truth::default() })
}

fn put(rows: &mut Rows, table: &str, key: &str, row: Value) {
    rows.get_mut(table).unwrap().insert(key.to_owned(), row.to_string());
}

fn cancel(rows: &mut Rows) {
    put(rows, "orders", "o1", json!({ "id": "o1", "number": 1001, "status": "cancelled" }));
    put(rows, "inventory_levels", "x", json!({ "id": "x", "variant_id": "v1", "on_hand": 5, "reserved": 0 }));
    put(rows, "events", "e", json!({ "id": "e" }));
}

const CANCELLED: &str = r##"
    tables = ["orders", "inventory_levels"]
    order = [{ number = "#1001", is = { status = "cancelled" }, kept_minor = 0 }]
    row = [{ table = "orders", count = 1, where = { status = "cancelled" } }]
    stock = [{ sku = "MUG", reserved = -1 }]
"##;

#[test]
fn the_expected_end_state_has_no_problems() {
    assert_eq!(problems(CANCELLED, cancel), Vec::<String>::new());
}

#[test]
fn doing_nothing_is_noticed() {
    let found = problems(CANCELLED, |_| {});
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_change_to_another_order_or_table_is_noticed() {
    let found = problems(CANCELLED, |rows| {
        cancel(rows);
        put(rows, "orders", "o2", json!({ "id": "o2", "number": 1002, "status": "on_hold" }));
        put(
            rows,
            "payments",
            "p1",
            json!({ "id": "p1", "order_id": "o1", "captured_minor": 500, "refunded_minor": 1 }),
        );
    });
    assert_eq!(found, ["orders of another order (o2) changed", "payments changed, which nobody asked for"]);
}

#[test]
fn a_ledger_that_does_not_balance_is_noticed() {
    let found = problems(CANCELLED, |rows| {
        cancel(rows);
        let entries = rows.get_mut("ledger_entries").unwrap();
        entries.remove("0");
    });
    assert!(found.iter().any(|problem| problem == "the ledger sums to -500 EUR, not zero"), "{found:?}");
}

#[test]
fn a_shop_and_a_gateway_that_disagree_are_noticed() {
    let found = problems("tables = [\"payments\"]\norder = [{ number = \"#1001\" }]", |rows| {
        let paid = json!({ "id": "p1", "order_id": "o1", "instrument": "card", "captured_minor": 500, "refunded_minor": 0 });
        put(rows, "payments", "p1", paid);
    });
    assert_eq!(found, ["the shop keeps 500 for p1, the gateway 0"]);
}

#[test]
fn a_path_reaches_into_json() {
    let row = parse(r#"{"address":"{\"city\":\"Kiel\"}","lines":"[{\"q\":2}]"}"#);
    assert_eq!(at(&row, "address.city"), "Kiel");
    assert_eq!(at(&row, "lines.0.q"), 2);
    assert_eq!(at(&row, "lines.1.q"), Value::Null);
}
