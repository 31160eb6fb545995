//! A made-up world in the form of the reference, and gold calls about it.

use serde_json::json;

use super::*;
use crate::intent::{Intent, Means};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let db = json!({
        "products": { "p1": { "name": "Lamp", "product_id": "p1", "variants": {
            "i1": { "item_id": "i1", "options": { "color": "red" }, "available": true, "price": 10.0 },
            "i2": { "item_id": "i2", "options": { "color": "blue" }, "available": true, "price": 12.5 } } } },
        "users": { "ann": { "user_id": "ann", "name": { "first_name": "Ann", "last_name": "Ash" },
            "address": { "zip": "10001" },
            "payment_methods": { "c1": { "source": "credit_card", "id": "c1", "brand": "visa", "last_four": "4242" } } } },
        "orders": { "#W1": { "order_id": "#W1", "user_id": "ann", "status": "delivered", "items": [
            { "name": "Lamp", "item_id": "i1", "price": 10.0, "options": { "color": "red" } },
            { "name": "Lamp", "item_id": "i1", "price": 10.0, "options": { "color": "red" } } ] } }
    });
    let call = |name: &str, arguments| json!({ "name": name, "arguments": arguments });
    let task = |id: &str, calls| {
        json!({ "id": id, "user_scenario": { "instructions": { "reason_for_call": "Help.", "known_info": null } },
                "evaluation_criteria": { "actions": calls } })
    };
    let tasks = json!([
        task(
            "1",
            json!([call(
                "return_delivered_order_items",
                json!({ "order_id": "#W1", "item_ids": ["i1", "i1"], "payment_method_id": "c1" })
            )])
        ),
        task(
            "2",
            json!([
                call(
                    "exchange_delivered_order_items",
                    json!({ "order_id": "#W1", "item_ids": ["i1"], "new_item_ids": ["i2"], "payment_method_id": "c1" })
                ),
                call("cancel_pending_order", json!({ "order_id": "#W1", "reason": "no longer needed" }))
            ])
        ),
        task(
            "3",
            json!([
                call(
                    "modify_pending_order_items",
                    json!({ "order_id": "#W1", "item_ids": ["i1"], "new_item_ids": ["i2"], "payment_method_id": "c1" })
                ),
                call("modify_pending_order_payment", json!({ "order_id": "#W1", "payment_method_id": "c1" }))
            ])
        ),
        task("4", json!([call("get_order_details", json!({ "order_id": "#W1" }))])),
        task("5", json!(null)),
    ]);
    let ends = json!({ "note": "", "tasks": [
        { "task_id": "1", "changed": { "orders": { "#W1": { "order_id": "#W1", "status": "return requested" } }, "users": {} } } ] });
    for (name, value) in [("db.json", db), ("tasks.json", tasks), ("end_states.json", ends)] {
        std::fs::write(folder.path().join(name), value.to_string()).unwrap();
    }
    folder
}

#[test]
fn ids_become_words() {
    let folder = folder();
    let data = Data::read(folder.path()).unwrap();
    let first = words::intents(&data, &data.tasks[0]).unwrap();
    let [Intent::ReturnItems(wanted)] = first.as_slice() else { panic!("{first:?}") };
    assert_eq!((wanted.items.len(), wanted.items[0].quantity), (1, 2));
    assert_eq!(wanted.items[0].options["color"], "red");
    let pay = wanted.refund_to.as_ref().unwrap();
    assert_eq!((pay.with, pay.last4.as_deref()), (Means::Card, Some("4242")));

    let second = words::intents(&data, &data.tasks[1]).unwrap();
    let [Intent::ExchangeItems(swap), Intent::CancelOrder(cancel)] = second.as_slice() else {
        panic!("{second:?}")
    };
    assert_eq!(swap.swaps[0].to["color"], "blue");
    assert_eq!(cancel.reason, "no_longer_needed");
    let said = serde_json::to_string(&(first, second)).unwrap();
    for id in ["i1", "i2", "c1", "p1", "\"ann\""] {
        assert!(!said.contains(id), "{id} is told to the expert");
    }
}

#[test]
fn other_items_and_another_payment_are_two_wishes_and_a_task_that_writes_nothing_only_reads() {
    let folder = folder();
    let data = Data::read(folder.path()).unwrap();
    let third = words::intents(&data, &data.tasks[2]).unwrap();
    let [Intent::ModifyItems(items), Intent::ChangePayment(payment)] = third.as_slice() else {
        panic!("{third:?}")
    };
    assert_eq!((items.swaps[0].item.title.as_str(), items.swaps[0].to["color"].as_str()), ("Lamp", "blue"));
    assert_eq!(items.settle_with, payment.pay_with);
    assert!(third.iter().all(|intent| expert::can(Surface::Crud, intent)));
    assert!(matches!(words::intents(&data, &data.tasks[3]).unwrap().as_slice(), [Intent::ReadOrder(_)]));
    assert!(words::intents(&data, &data.tasks[4]).unwrap().is_empty());
}

#[test]
fn the_expected_world_is_the_old_one_with_what_the_task_changes() {
    let folder = folder();
    let data = Data::read(folder.path()).unwrap();
    let expected = data.expected(&data.tasks[0]);
    assert_eq!(expected["orders"]["#W1"]["status"], "return requested");
    assert_eq!(expected["users"], data.db["users"]);
    assert_eq!(data.expected(&data.tasks[4]), data.db);
}
