//! The address book.

use shop_domain::policy::Policy;

use super::*;
use crate::testing::{agent_of, starting};

#[tokio::test]
async fn an_address_is_added_corrected_preferred_and_removed() {
    let desk = Desk::open().await;
    let added = start(&desk, json!({ "address": quay(), "address_label": "Office" })).await;
    assert_eq!((summary(&added, "change"), summary(&added, "before")), (&json!("add_address"), &json!({})));
    desk.carry_out(&added).await;
    let book = entries(&desk).await;
    assert_eq!((book.len(), book[1].label.as_str(), book[1].is_default), (2, "Office", false));
    assert_eq!((book[1].address.name.as_str(), book[1].address.country.as_str()), ("Ada Byron", "DE"));

    let edited =
        start(&desk, json!({ "address_id": "my office", "address": { "postal_code": "28199" } })).await;
    assert_eq!(*summary(&edited, "change"), "edit_address");
    assert_eq!(summary(&edited, "before")["address"], "Ada Byron, 5 Quay, 28195, Bremen, DE");
    assert_eq!(summary(&edited, "after")["address"], "Ada Byron, 5 Quay, 28199, Bremen, DE");
    desk.carry_out(&edited).await;
    assert_eq!(entries(&desk).await[1].address.postal_code, "28199");

    let preferred = start(&desk, json!({ "address_id": "office", "is_default": true })).await;
    assert_eq!(*summary(&preferred, "change"), "default_address");
    desk.carry_out(&preferred).await;
    let defaults: Vec<bool> = entries(&desk).await.iter().map(|entry| entry.is_default).collect();
    assert_eq!(defaults, [false, true]);

    let gone = start(&desk, json!({ "change": "remove_address", "address_id": "office" })).await;
    assert!(summary(&gone, "note").as_str().unwrap().starts_with("It was the default"), "{gone:?}");
    desk.carry_out(&gone).await;
    let left = entries(&desk).await;
    assert_eq!((left.len(), left[0].label.as_str()), (1, "Home"));
}

#[tokio::test]
async fn an_entry_is_corrected_and_preferred_in_one_action() {
    let desk = Desk::open().await;
    desk.carry_out(&start(&desk, json!({ "address": quay(), "address_label": "Office" })).await).await;
    let patch = json!({ "address_id": "office", "address_label": "Works", "is_default": true });
    let ready = start(&desk, patch).await;
    assert_eq!(summary(&ready, "after")["is_default"], true, "{ready:?}");
    desk.carry_out(&ready).await;
    let works = &entries(&desk).await[1];
    assert_eq!((works.label.as_str(), works.is_default), ("Works", true));
    assert!(!entries(&desk).await[0].is_default);
}

#[tokio::test]
async fn orders_keep_the_address_they_have() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    let ready = start(&desk, json!({ "address_id": "home", "address": quay() })).await;
    assert!(summary(&ready, "note").as_str().unwrap().contains("change_delivery_address"));
    desk.carry_out(&ready).await;
    assert_eq!(entries(&desk).await[0].address.city, "Bremen");
    assert_eq!(desk.shop.order(order.id).await.shipping_address, hamburg("Ada Byron"));
}

#[tokio::test]
async fn which_entry_is_meant_is_asked_and_never_guessed() {
    let desk = Desk::open().await;
    for label in ["Office", "Old office"] {
        desk.carry_out(&start(&desk, json!({ "address": quay(), "address_label": label })).await).await;
    }
    let open = start(&desk, json!({ "change": "remove_address" })).await;
    assert_eq!((node(&open), open.missing.clone()), ("ENTRY", vec!["address_id".to_owned()]), "{open:?}");
    let several = desk.advance(&open, json!({ "address_id": "the one in Bremen" })).await;
    assert_eq!(codes(&several), [("address_id", Reason::Ambiguous)]);
    let bobs = desk.advance(&several, json!({ "address_id": desk.shop.bob.address })).await;
    assert_eq!(codes(&bobs), [("address_id", Reason::NotFound)], "another person's entry looks absent");
    let old = desk.advance(&bobs, json!({ "address_id": "old office" })).await;
    desk.carry_out(&old).await;
    let labels: Vec<String> = entries(&desk).await.into_iter().map(|entry| entry.label).collect();
    assert_eq!(labels, ["Home", "Office"]);
    let same = start(&desk, json!({ "change": "default_address", "address_id": "home" })).await;
    assert_eq!(codes(&same), [("address_id", Reason::PreconditionFailed)]);
}

#[tokio::test]
async fn a_new_address_needs_all_its_parts() {
    let desk = Desk::open().await;
    let part = start(&desk, json!({ "address": { "city": "Bremen" } })).await;
    assert_eq!((node(&part), codes(&part)), ("ADDRESS", vec![("address", Reason::ValidationFailed)]));
    let odd = json!({ "line1": "1 Way", "city": "Far", "postal_code": "1", "country": "Atlantis" });
    let odd = desk.advance(&part, json!({ "address": odd })).await;
    assert_eq!(codes(&odd), [("address", Reason::ValidationFailed)]);
    assert!(odd.message.as_deref().unwrap().contains("ISO 3166"), "{odd:?}");
}

/// The world of the reference: one address a customer, changed by staff who know them by name or id.
#[tokio::test]
async fn where_a_customer_has_one_address_it_is_edited_in_place() {
    let desk = Desk::open().await;
    desk.shop.decide_by(Policy::tau2()).await;
    let staff = agent_of(&desk.shop, &desk.shop.lead).await;
    let new = json!({
        "line1": "2 Kite Way", "line2": "Suite 9", "city": "Reno", "region": "NV", "postal_code": "89502",
        "country": "USA",
    });
    let ready =
        desk.engine().start(&staff, starting(FLOW, Some("Ada Byron"), json!({ "address": new }))).await;
    assert_eq!(*summary(&ready, "change"), "edit_address", "{ready:?}");
    assert_eq!(ready.risk.as_ref().unwrap().factors.len(), 1, "it is not the customer who asks");
    let approve = mcp_actions_engine::testing::canned::approve(&ready, "k");
    assert_eq!(desk.engine().confirm(&staff, approve).await.outcome, Outcome::Success);
    let verified = desk.engine().verify(&staff, &id(&ready), false).await;
    assert_eq!(verified.status, Some(Status::Completed));
    let book = entries(&desk).await;
    assert_eq!((book.len(), book[0].id, book[0].is_default), (1, desk.shop.ada.address, true));
    assert_eq!(book[0].address.one_line(), "Ada Byron, 2 Kite Way, Suite 9, 89502, Reno, NV, US");

    let second = start(&desk, json!({ "change": "add_address", "address": quay() })).await;
    assert_eq!(codes(&second), [("change", Reason::NotEligible)]);
}
