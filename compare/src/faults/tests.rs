use serde_json::json;
use shop_stack::{ChargeTruth, Truth};

use super::*;

fn charge(reference: &str, status: PaymentStatus, captured_minor: i64) -> ChargeTruth {
    ChargeTruth {
        payment: "ch".into(),
        key: None,
        reference: reference.into(),
        currency: "EUR".into(),
        instrument: "tok_visa".into(),
        status,
        authorized_minor: 500,
        captured_minor,
        refunded_minor: 0,
        disputed_minor: 0,
        at: chrono::DateTime::UNIX_EPOCH,
    }
}

fn added(table: &str, row: Value) -> Change {
    Change { table: table.into(), before: None, after: row.as_object().cloned() }
}

fn finish(charges: Vec<ChargeTruth>, orders: &[&str]) -> Finish {
    let mut changes =
        vec![added("payments", json!({ "id": "p1" })), added("payments", json!({ "id": "p2" }))];
    changes.extend(
        orders.iter().map(|status| added("orders", json!({ "payment_status": status, "status": "pending" }))),
    );
    Finish { after: shop_stack::Rows::new(), changes, truth: Truth { charges }, broken: Vec::new() }
}

#[test]
fn one_captured_charge_is_what_was_meant() {
    let books = Books::of(&finish(vec![charge("p1", PaymentStatus::Captured, 500)], &["paid"]), 500);
    assert_eq!(books, Books { charges: 1, overcharged_minor: 0, held_minor: 0, stuck: 0 });
}

#[test]
fn a_second_purchase_and_a_forgotten_hold_both_cost_the_customer() {
    let charges = vec![
        charge("p1", PaymentStatus::Captured, 500),
        charge("p2", PaymentStatus::Authorized, 0),
        charge("p2", PaymentStatus::Voided, 0),
        charge("seeded", PaymentStatus::Captured, 500),
    ];
    let books = Books::of(&finish(charges, &["paid", "authorized", "voided"]), 500);
    assert_eq!(books, Books { charges: 2, overcharged_minor: 500, held_minor: 500, stuck: 1 });
}

#[test]
fn a_row_is_right_only_without_anything_left_over() {
    let row = |actual_charges, overcharged_minor, stuck| FaultRow {
        fault: FAULT,
        operation: "capture",
        placement: "after",
        surface: Surface::Crud,
        policy: Policy::ByTheBook,
        rules: "server",
        profile: PROFILE,
        intended_charges: 1,
        actual_charges,
        overcharged_minor,
        held_minor: 0,
        stuck,
        calls: 9,
        told: "paid".into(),
        transcript: Vec::new(),
    };
    assert!(row(1, 0, 0).is_right());
    assert!(!row(0, 0, 0).is_right());
    assert!(!row(1, 1, 0).is_right());
    assert!(!row(1, 0, 1).is_right());
}

#[test]
fn every_combination_is_run() {
    assert_eq!(RUNS, 32);
}
