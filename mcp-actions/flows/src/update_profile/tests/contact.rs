//! Email, phone, name and consent.

use super::*;

#[tokio::test]
async fn a_contact_changes_as_the_summary_said_and_nothing_else() {
    let desk = Desk::open().await;
    let before = ada(&desk).await;
    let ready = start(&desk, json!({ "email": "ada@harbour.example", "phone": "+49 40 1" })).await;
    let said = ready.summary.as_ref().unwrap();
    assert_eq!(said["change"], "contact");
    assert_eq!(said["before"], json!({ "email": before.email, "phone": "" }));
    assert_eq!(said["after"], json!({ "email": "ada@harbour.example", "phone": "+49 40 1" }));
    assert_eq!(ada(&desk).await, before, "nothing happens before the yes");
    let done = desk.carry_out(&ready).await;
    let after = ada(&desk).await;
    assert_eq!((after.email.as_str(), after.phone.as_deref()), ("ada@harbour.example", Some("+49 40 1")));
    assert_eq!((after.first_name, after.last_name), (before.first_name, before.last_name));
    assert_eq!(done.observed_state.unwrap()["email"], "ada@harbour.example");
}

#[tokio::test]
async fn an_empty_phone_removes_it_and_marketing_is_a_yes_or_a_no() {
    let desk = Desk::open().await;
    let ready = start(&desk, json!({ "phone": "+49 40 1", "accepts_marketing": true })).await;
    desk.carry_out(&ready).await;
    assert_eq!(
        (ada(&desk).await.phone.as_deref(), ada(&desk).await.accepts_marketing),
        (Some("+49 40 1"), true)
    );
    let ready = start(&desk, json!({ "phone": "", "accepts_marketing": false })).await;
    desk.carry_out(&ready).await;
    assert_eq!((ada(&desk).await.phone, ada(&desk).await.accepts_marketing), (None, false));
}

#[tokio::test]
async fn what_the_shop_refuses_is_told_at_its_field_before_anybody_agrees() {
    let desk = Desk::open().await;
    let taken = start(&desk, json!({ "email": "bob@example.com" })).await;
    assert_eq!((node(&taken), codes(&taken)), ("CONTACT", vec![("email", Reason::ValidationFailed)]));
    assert!(!taken.message.as_deref().unwrap().contains("list_customers"), "{taken:?}");
    assert_eq!(tools(&taken), ["advance_action"]);
    let odd = desk.advance(&taken, json!({ "email": "nobody" })).await;
    assert_eq!(codes(&odd), [("email", Reason::ValidationFailed)]);
    let same = desk.advance(&odd, json!({ "email": "ada@example.com" })).await;
    assert_eq!(codes(&same), [("email", Reason::PreconditionFailed)], "it says so already");
    let name = desk.advance(&same, json!({ "email": null, "last_name": "Lovelace" })).await;
    desk.carry_out(&name).await;
    assert_eq!(
        (ada(&desk).await.last_name.as_str(), ada(&desk).await.email.as_str()),
        ("Lovelace", "ada@example.com")
    );
}
