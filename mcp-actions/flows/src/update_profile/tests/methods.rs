//! Saved ways to pay, masked.

use super::*;

#[tokio::test]
async fn a_way_to_pay_is_preferred_and_another_removed_by_words() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let ready = start(&desk, json!({ "payment_method_id": "paypal", "is_default": true })).await;
    assert_eq!(*summary(&ready, "change"), "default_payment_method", "{ready:?}");
    assert_eq!(summary(&ready, "method")["id"], json!(t.ada.paypal));
    desk.carry_out(&ready).await;
    let defaults: Vec<_> =
        methods(&desk).await.into_iter().filter(|it| it.is_default).map(|it| it.id).collect();
    assert_eq!(defaults, [t.ada.paypal]);

    let ready =
        start(&desk, json!({ "change": "remove_payment_method", "payment_method_id": "my visa" })).await;
    assert_eq!(ready.risk.as_ref().unwrap().factors.len(), 1, "it cannot be undone: {ready:?}");
    desk.carry_out(&ready).await;
    assert!(methods(&desk).await.iter().all(|method| method.id != t.ada.card));
    let again =
        start(&desk, json!({ "change": "remove_payment_method", "payment_method_id": t.ada.card })).await;
    assert_eq!(codes(&again), [("payment_method_id", Reason::NotFound)]);
    assert_eq!(again.validation_errors[0].suggestions.len(), 2);
}

#[tokio::test]
async fn another_persons_card_looks_absent_and_no_token_is_ever_shown() {
    let desk = Desk::open().await;
    let open = start(&desk, json!({ "change": "default_payment_method" })).await;
    assert_eq!((node(&open), open.missing.clone()), ("PAYMENT_METHOD", vec!["payment_method_id".to_owned()]));
    let bobs = desk.advance(&open, json!({ "payment_method_id": desk.shop.bob.card })).await;
    let absent = desk.advance(&bobs, json!({ "payment_method_id": "pm_01jz8q4w7c5v6n3m2k1h0g9f8e" })).await;
    assert_eq!(
        (codes(&bobs), codes(&absent)),
        (codes(&absent), vec![("payment_method_id", Reason::NotFound)])
    );
    let shown = serde_json::to_string(&absent).unwrap();
    assert!(!shown.contains("tok_") && shown.contains(&desk.shop.ada.card.to_string()), "{shown}");
}

#[tokio::test]
async fn a_card_number_is_no_field_of_this_flow() {
    let desk = Desk::open().await;
    let open = start(&desk, json!({})).await;
    for patch in
        [json!({ "card_number": "4242424242424242" }), json!({ "token": "tok_visa", "email": "a@b.cc" })]
    {
        let refused = desk.advance(&open, patch).await;
        assert_eq!((refused.reason, refused.version), (Some(Reason::FieldNotAllowed), open.version));
    }
}
