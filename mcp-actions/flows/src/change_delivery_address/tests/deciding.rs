//! Which address is meant, whether the order can still go there, and how.

use mcp_actions_engine::StartCall;
use shop_domain::policy::Policy;
use shop_service::testing::{oslo, reno};

use super::*;
use crate::ConsentLevel;
use crate::testing::{agent_of, starting};

#[tokio::test]
async fn one_patch_with_words_is_the_whole_job() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    let office = saved(&desk, "Office", vienna()).await;
    let ready = start(&desk, order.id, json!({ "address_id": "my office" })).await;
    assert_eq!((node(&ready), ready.missing.len()), ("CONFIRM_ADDRESS", 0), "{ready:?}");
    assert_eq!(ready.inputs[0].value, Some(json!(office)));
    let said = ready.summary.as_ref().unwrap();
    assert_eq!(said["from"], hamburg("Ada Byron").one_line());
    assert_eq!(said["to"], vienna().one_line());
    assert_eq!((&said["amount"], &said["currency"]), (&json!(IN_AUSTRIA - IN_GERMANY), &json!("EUR")));
    assert_eq!((&said["total_before"], &said["total_after"]), (&json!(IN_GERMANY), &json!(IN_AUSTRIA)));
    assert_eq!(said["settlement"], json!({ "kind": "give_back", "amount": IN_GERMANY - IN_AUSTRIA }));
    assert_eq!(
        desk.shop.order(order.id).await.shipping_address,
        hamburg("Ada Byron"),
        "nothing has happened yet"
    );

    let done = desk.carry_out(&ready).await;
    let after = desk.shop.order(order.id).await;
    assert_eq!((&after.shipping_address, after.total_minor), (&vienna(), IN_AUSTRIA));
    assert_eq!(desk.taken(), [IN_AUSTRIA]);
    assert_eq!(desk.shop.flaws().await, Vec::<String>::new());
    assert_eq!(done.observed_state.unwrap()["ship_to"]["city"], "Vienna");
}

#[tokio::test]
async fn a_new_address_is_kept_only_when_asked() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let quay = json!({ "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "Germany" });
    let ready = start(&desk, order.id, json!({ "address": quay })).await;
    assert_eq!(summary(&ready, "address")["name"], "Ada Byron", "the same person receives it");
    assert_eq!(*summary(&ready, "saved_as"), Value::Null);
    desk.carry_out(&ready).await;
    assert_eq!(t.order(order.id).await.shipping_address.country, "DE");
    assert_eq!(book(&desk).await.len(), 1);

    let pier = json!({ "line1": "7 Pier", "city": "Kiel", "postal_code": "24103", "country": "DE" });
    let patch = json!({ "address": pier, "save_address": true, "address_label": "Boat" });
    let ready = start(&desk, order.id, patch).await;
    desk.carry_out(&ready).await;
    let kept = book(&desk).await;
    assert_eq!((kept.len(), kept[1].label.as_str(), kept[1].is_default), (2, "Boat", false));
    assert_eq!(kept[1].address, t.order(order.id).await.shipping_address);
}

#[tokio::test]
async fn the_latest_word_counts_and_two_at_once_are_one_too_many() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    let office = saved(&desk, "Office", vienna()).await;
    let quay = json!({ "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "DE" });
    let both = start(&desk, order.id, json!({ "address_id": office, "address": quay })).await;
    assert_eq!(codes(&both), [("address", Reason::ValidationFailed)]);
    let first = start(&desk, order.id, json!({ "address_id": office })).await;
    let other = desk.advance(&first, json!({ "address": quay })).await;
    assert_eq!(summary(&other, "address")["city"], "Bremen", "{other:?}");
    // A new address where an entry is asked for is taken for what it is, and the other way round.
    let misplaced = start(&desk, order.id, json!({ "address_id": quay })).await;
    assert_eq!(summary(&misplaced, "address")["city"], "Bremen");
    let back = desk.advance(&other, json!({ "address": "office" })).await;
    assert_eq!(codes(&back), [], "{back:?}");
    assert_eq!(summary(&back, "address")["city"], "Vienna");
}

#[tokio::test]
async fn words_for_several_entries_or_none_are_never_guessed() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    for label in ["Office", "Summer house"] {
        saved(&desk, label, vienna()).await;
    }
    let several = start(&desk, order.id, json!({ "address_id": "the one in Vienna" })).await;
    assert_eq!(codes(&several), [("address_id", Reason::Ambiguous)]);
    assert_eq!(several.validation_errors[0].suggestions.len(), 2);
    assert_eq!(tools(&several), ["advance_action"]);
    let none = desk.advance(&several, json!({ "address_id": "the castle" })).await;
    assert_eq!(codes(&none), [("address_id", Reason::NotFound)]);
    let bobs = desk.advance(&none, json!({ "address_id": desk.shop.bob.address })).await;
    let absent = desk.advance(&bobs, json!({ "address_id": "adr_01jz8q4w7c5v6n3m2k1h0g9f8e" })).await;
    assert_eq!(codes(&bobs), codes(&absent), "another person's entry is like none");
    assert_eq!(codes(&bobs), [("address_id", Reason::NotFound)]);
    let there = desk.advance(&absent, json!({ "address_id": desk.shop.ada.address })).await;
    assert_eq!(codes(&there), [("address_id", Reason::PreconditionFailed)], "it goes there already");
}

#[tokio::test]
async fn what_was_said_waits_until_it_is_known_which_order_is_meant() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    desk.shop.paid(&[(desk.shop.goods.blue_mug, 2)]).await;
    saved(&desk, "Office", vienna()).await;
    let several = desk.start(FLOW, Some("the blue mug"), json!({ "address_id": "my office" })).await;
    assert_eq!((several.outcome, node(&several), several.candidates.len()), (Outcome::Success, "RESOLVE", 2));
    assert_eq!(several.pending, ["address_id"]);
    let ready = desk.advance(&several, json!({ "target": order.id })).await;
    assert_eq!(node(&ready), "CONFIRM_ADDRESS", "{ready:?}");
    assert_eq!(*summary(&ready, "order"), json!(order.number));
    let unknown = desk.start(FLOW, Some("the piano"), json!({})).await;
    assert_eq!((unknown.reason, unknown.candidates.is_empty()), (Some(Reason::NotFound), false));
}

#[tokio::test]
async fn an_address_out_of_reach_is_answered_with_what_does_reach() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let office = saved(&desk, "Office", vienna()).await;
    let north = saved(&desk, "North", oslo("Ada Byron")).await;
    let nowhere = start(&desk, order.id, json!({ "address_id": north })).await;
    assert_eq!(
        (node(&nowhere), codes(&nowhere)),
        ("ADDRESS", vec![("address_id", Reason::AddressUndeliverable)])
    );
    let offered: Vec<&Value> = nowhere.validation_errors[0].suggestions.iter().map(|it| &it.value).collect();
    assert_eq!(offered, [&json!(office)], "not where it goes anyway, and not what is out of reach");

    let nordic = t.zone("NO", "Nordic", 1_990).await;
    let other = desk.advance(&nowhere, json!({ "address_id": "north" })).await;
    assert_eq!(
        (node(&other), codes(&other)),
        ("SHIPPING", vec![("shipping_method_id", Reason::AddressUndeliverable)])
    );
    assert_eq!(other.validation_errors[0].suggestions[0].value, json!(nordic));
    let ready = desk.advance(&other, json!({ "shipping_method_id": nordic })).await;
    assert_eq!(*summary(&ready, "shipping_method"), "Nordic", "{ready:?}");
    // The method was chosen for Norway: for Vienna it is asked again.
    let again = desk.advance(&ready, json!({ "address_id": office })).await;
    assert_eq!(
        (node(&again), again.missing.clone()),
        ("SHIPPING", vec!["shipping_method_id".to_owned()]),
        "{again:?}"
    );
    let ready = desk.advance(&again, json!({ "address_id": north, "shipping_method_id": nordic })).await;
    desk.carry_out(&ready).await;
    let after = t.order(order.id).await;
    assert_eq!((after.shipping_method_id, after.total_minor), (Some(nordic), 1_990 + 1_990));
    assert_eq!(desk.taken(), [IN_GERMANY, 1_990 + 1_990 - IN_GERMANY]);
}

#[tokio::test]
async fn what_has_arrived_or_was_cancelled_goes_nowhere_and_the_right_door_is_named() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let there = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let refused = start(&desk, there.id, json!({ "address_id": "home" })).await;
    assert_eq!((refused.outcome, refused.reason), (Outcome::TerminalFailure, Some(Reason::NotEligible)));
    assert!(refused.message.as_deref().unwrap().starts_with("order_delivered: "), "{refused:?}");
    let doors = capabilities(&refused);
    assert!(doors.contains(&"return_refund") && doors.contains(&"after_sales"), "{doors:?}");
    assert!(!doors.contains(&FLOW));

    let stopped = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let reason = shop_domain::reasons::CancelReason::NoLongerNeeded;
    let cancel = orders::Cancel { reason, approval_id: None };
    orders::cancel(&t.at(&t.ada.principal, stopped.version), stopped.id, cancel).await.unwrap();
    let refused = start(&desk, stopped.id, json!({})).await;
    assert!(refused.message.as_deref().unwrap().starts_with("order_cancelled: "), "{refused:?}");
}

#[tokio::test]
async fn a_printed_label_is_told_before_anybody_agrees() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let ctx = t.at(&t.lead, order.version);
    let parcel = fulfillments::create(&ctx, order.id, Default::default()).await.unwrap().view;
    fulfillments::buy_label(&t.at(&t.lead, parcel.version), parcel.id).await.unwrap();
    saved(&desk, "Office", vienna()).await;
    let refused = start(&desk, order.id, json!({ "address_id": "office" })).await;
    assert_eq!(codes(&refused), [("address_id", Reason::PreconditionFailed)]);
    assert!(refused.message.as_deref().unwrap().starts_with("shipping_label_bought"), "{refused:?}");
    assert!(!offers(&refused, Tool::ConfirmAction));
}

#[tokio::test]
async fn other_peoples_orders_look_absent_and_unknown_fields_refuse_the_whole_patch() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    let bob = agent_of(&desk.shop, &desk.shop.bob.principal).await;
    let ask = |target: String| StartCall { target: Some(target), ..starting(FLOW, None, json!({})) };
    let foreign = desk.engine().start(&bob, ask(order.id.to_string())).await;
    let absent = desk.engine().start(&bob, ask("ord_01jz8q4w7c5v6n3m2k1h0g9f8e".into())).await;
    assert_eq!((foreign.reason, absent.reason), (Some(Reason::NotFound), Some(Reason::NotFound)));

    let begun = start(&desk, order.id, json!({})).await;
    assert_eq!((node(&begun), begun.missing.clone()), ("ADDRESS", vec!["address_id".to_owned()]));
    let quay = json!({ "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "DE" });
    let mut odd = quay.clone();
    odd["zip"] = json!("28195");
    for patch in [json!({ "address": quay, "gift_wrap": true }), json!({ "address": odd })] {
        let refused = desk.advance(&begun, patch).await;
        assert_eq!(refused.reason, Some(Reason::FieldNotAllowed));
        assert_eq!((refused.version, node(&refused)), (begun.version, "ADDRESS"), "nothing was taken in");
    }
    let one = desk.advance(&begun, json!({ "address": quay })).await;
    let stale = desk.advance(&begun, json!({ "address_id": "home" })).await;
    assert_eq!((stale.reason, stale.version), (Some(Reason::VersionConflict), one.version));
}

#[tokio::test]
async fn a_parcel_that_left_meanwhile_voids_the_yes() {
    let desk = Desk::with(ConsentLevel::Client).await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    saved(&desk, "Office", vienna()).await;
    let ready = start(&desk, order.id, json!({ "address_id": "office" })).await;
    assert_eq!(desk.confirm(&ready, "k").await.reason, Some(Reason::ConsentRequired));
    let consent = desk.get(&ready).await.consent.unwrap();
    desk.engine().answer_consent(&desk.ada, &id(&ready), &consent.digest, true).await.unwrap();
    let ctx = t.at(&t.lead, t.order(order.id).await.version);
    let parcel = fulfillments::create(&ctx, order.id, Default::default()).await.unwrap().view;
    fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, Default::default()).await.unwrap();
    let stale = desk.confirm(&ready, "k").await;
    assert_eq!(stale.reason, Some(Reason::ConsentStale), "{stale:?}");
    assert_eq!(summary(&stale, "parcels").as_array().unwrap().len(), 1, "now the carrier would be asked");
    assert_eq!(parcels(&desk, order.id).await[0].destination, hamburg("Ada Byron"));
    assert_eq!(desk.taken(), [IN_GERMANY]);
}

/// The world of the reference: no tax, no shipping, orders that no zone covers.
#[tokio::test]
async fn an_imported_order_goes_anywhere_for_nothing() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    t.decide_by(Policy::tau2()).await;
    let order = t.imported("#W2378156", &[(t.goods.blue_mug, 1), (t.goods.blue_mug, 1)]).await;
    let staff = agent_of(t, &t.lead).await;
    let address = json!({
        "line1": "2 Kite Way", "line2": "Suite 9", "city": "Reno", "region": "NV", "postal_code": "89502",
        "country": "USA",
    });
    let call = starting(FLOW, Some("#W2378156"), json!({ "address": address }));
    let ready = desk.engine().start(&staff, call).await;
    assert_eq!((node(&ready), summary(&ready, "amount")), ("CONFIRM_ADDRESS", &json!(0)), "{ready:?}");
    assert!(!summary(&ready, "staff_approval").as_bool().unwrap());
    let approve = mcp_actions_engine::testing::canned::approve(&ready, "k");
    assert_eq!(desk.engine().confirm(&staff, approve).await.outcome, Outcome::Success);
    let done = desk.engine().verify(&staff, &id(&ready), false).await;
    assert_eq!(done.status, Some(Status::Completed), "{done:?}");
    let expected = Address {
        line1: "2 Kite Way".into(),
        line2: "Suite 9".into(),
        postal_code: "89502".into(),
        ..reno()
    };
    let after = t.order(order.id).await;
    assert_eq!((after.shipping_address, after.total_minor), (expected, order.total_minor));
    assert_eq!((desk.taken(), t.flaws().await), (vec![order.total_minor], Vec::<String>::new()));
}
