//! Whose profile, which change, and whose yes.

use mcp_actions_engine::{AdvanceCall, StartCall};

use super::*;
use crate::ConsentLevel;
use crate::testing::{agent_of, starting};

#[tokio::test]
async fn the_first_question_is_what_to_change_and_options_follow() {
    let desk = Desk::open().await;
    let open = start(&desk, json!({})).await;
    assert_eq!((node(&open), open.missing.clone()), ("CHANGE", vec!["change".to_owned()]), "{open:?}");
    assert_eq!(open.entity.as_deref(), Some("Customer"));
    let options = open.inputs[0].options.as_ref().unwrap();
    assert_eq!(options.len(), 7);
    let contact = desk.advance(&open, json!({ "change": "contact" })).await;
    assert_eq!(contact.outcome, Outcome::Success);
    assert_eq!(contact.missing, ["email", "phone", "first_name", "last_name", "accepts_marketing"]);
    assert!(contact.inputs.iter().all(|input| ["CHANGE", "CONTACT"].contains(&input.node.as_str())));
    // Another change asks for other fields, and what was said for the first one is dropped and said so.
    let phone = desk.advance(&contact, json!({ "phone": "1" })).await;
    let other = desk.advance(&phone, json!({ "change": "remove_address" })).await;
    assert_eq!(other.recoverable_errors[0].field.as_deref(), Some("phone"), "{other:?}");
    assert_eq!(node(&other), "CONFIRM_PROFILE", "the only entry there is was meant");
}

#[tokio::test]
async fn two_changes_at_once_are_asked_about_and_kept_meanwhile() {
    let desk = Desk::open().await;
    let both = start(&desk, json!({ "email": "ada@harbour.example", "address": quay() })).await;
    assert_eq!((node(&both), both.missing.clone()), ("CHANGE", vec!["change".to_owned()]));
    assert_eq!(both.pending, ["email", "address"], "{both:?}");
    let one = desk.advance(&both, json!({ "change": "contact" })).await;
    assert_eq!(node(&one), "CONFIRM_PROFILE");
    desk.carry_out(&one).await;
    assert_eq!((ada(&desk).await.email.as_str(), entries(&desk).await.len()), ("ada@harbour.example", 1));
}

#[tokio::test]
async fn a_shopper_reaches_their_own_profile_and_nobody_elses() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let ask = async |target: &str| {
        let call = StartCall { target: Some(target.to_owned()), ..starting(FLOW, None, json!({})) };
        desk.engine().start(&desk.ada, call).await
    };
    for own in
        ["my profile", "me", "my email address", "Ada Byron", "ada@example.com", &t.ada.customer.to_string()]
    {
        assert_eq!(ask(own).await.outcome, Outcome::Success, "{own}");
    }
    let foreign = [t.bob.customer.to_string(), "bob@example.com".to_owned(), "Bob Marlowe".to_owned()];
    for other in foreign.iter().map(String::as_str).chain(["cus_01jz8q4w7c5v6n3m2k1h0g9f8e"]) {
        let refused = ask(other).await;
        assert_eq!((refused.reason, refused.action_id), (Some(Reason::NotFound), None), "{other}");
    }
}

#[tokio::test]
async fn staff_name_a_customer_by_id_email_phone_or_words() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let staff = agent_of(t, &t.lead).await;
    let ask = async |target: Option<&str>| {
        desk.engine().start(&staff, starting(FLOW, target, json!({ "last_name": "Nova" }))).await
    };
    let nobody = ask(None).await;
    assert_eq!(nobody.reason, Some(Reason::ValidationFailed));
    for words in
        ["Ada Byron", "ada@example.com", "the profile of Ada", "Ada in Hamburg", &t.ada.customer.to_string()]
    {
        let ready = ask(Some(words)).await;
        assert_eq!(
            (node(&ready), summary(&ready, "customer_id")),
            ("CONFIRM_PROFILE", &json!(t.ada.customer)),
            "{words}"
        );
    }
    let none = ask(Some("Ada Marlowe")).await;
    assert_eq!(none.reason, Some(Reason::NotFound));
    assert_eq!(none.candidates.len(), 2, "near misses: {none:?}");

    let input = customers::Create {
        store_id: t.store,
        email: "ada.two@example.com".into(),
        first_name: "Ada".into(),
        last_name: "Wong".into(),
        phone: None,
        tags: None,
        accepts_marketing: None,
    };
    let wong = customers::create(&t.ctx(&t.lead), input).await.unwrap().view;
    let several = ask(Some("Ada")).await;
    assert_eq!((node(&several), several.candidates.len()), ("RESOLVE", 2), "{several:?}");
    let call = AdvanceCall {
        action_id: id(&several),
        version: several.version.unwrap(),
        patch: crate::wire::object(json!({ "target": wong.id })),
        ..AdvanceCall::default()
    };
    let ready = desk.engine().advance(&staff, call).await;
    assert_eq!(node(&ready), "CONFIRM_PROFILE", "what was said before counts now: {ready:?}");
    assert_eq!(*summary(&ready, "customer_id"), json!(wong.id));
}

#[tokio::test]
async fn a_yes_is_for_one_summary_and_a_no_keeps_everything() {
    let desk = Desk::with(ConsentLevel::Client).await;
    let ready = start(&desk, json!({ "last_name": "Lovelace" })).await;
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!((asked.reason, offers(&asked, Tool::ConfirmAction)), (Some(Reason::ConsentRequired), true));
    let digest = asked.consent.unwrap().digest;
    desk.engine().answer_consent(&desk.ada, &id(&ready), &digest, true).await.unwrap();
    let changed = desk.advance(&ready, json!({ "last_name": "King" })).await;
    assert_eq!(desk.confirm(&changed, "k").await.reason, Some(Reason::ConsentStale));
    let asked = desk.get(&changed).await.consent.unwrap();
    desk.engine().answer_consent(&desk.ada, &id(&ready), &asked.digest, false).await.unwrap();
    let refused = desk.confirm(&changed, "k2").await;
    assert_eq!((refused.reason, node(&refused)), (Some(Reason::ApprovalRejected), "CONFIRM_PROFILE"));
    assert_eq!(ada(&desk).await.last_name, "Byron");
    let stale = desk.advance(&ready, json!({ "last_name": "X" })).await;
    assert_eq!(stale.reason, Some(Reason::VersionConflict));
}
