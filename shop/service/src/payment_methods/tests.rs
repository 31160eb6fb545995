use shop_gateway_sim::instruments::INSTRUMENTS;

use super::tokens::FACES;
use super::*;
use crate::testing::TestShop;

#[test]
fn the_faces_are_those_of_the_gateways_own_tokens() {
    let gateway: Vec<_> = INSTRUMENTS.iter().map(|known| (known.token, known.brand, known.last4)).collect();
    let ours: Vec<_> = FACES.iter().map(|face| (face.token, face.brand, face.last4)).collect();
    assert_eq!(ours, gateway);
}

#[tokio::test]
async fn a_method_is_saved_masked_and_there_is_one_default() {
    let t = TestShop::open().await;
    let ctx = || t.ctx(&t.ada.principal);
    let attach = |token: &str| Attach { token: token.into(), label: None, is_default: Some(true) };
    let saved = super::attach(&ctx(), t.ada.customer, attach("tok_mastercard")).await.unwrap().view;
    assert_eq!((saved.last4.as_deref(), saved.label.as_str()), (Some("4444"), "mastercard ending in 4444"));
    assert!(!serde_json::to_string(&saved).unwrap().contains("tok_"));
    let all = list(&ctx(), t.ada.customer, Default::default()).await.unwrap().items;
    let defaults: Vec<_> = all.iter().filter(|method| method.is_default).map(|method| method.id).collect();
    assert_eq!(defaults, [saved.id]);

    let refused = super::attach(&ctx(), t.ada.customer, attach("4242 4242 4242 4242")).await.unwrap_err();
    assert_eq!(refused.fields[0].pointer, "/token");
    let foreign = super::attach(&ctx(), t.bob.customer, attach("tok_visa")).await.unwrap_err();
    assert_eq!(foreign.code.as_str(), "not_found");
}

#[tokio::test]
async fn a_detached_method_is_gone_from_the_list_and_cannot_be_the_default() {
    let t = TestShop::open().await;
    let ctx = || t.ctx(&t.ada.principal);
    let gone = detach(&ctx(), t.ada.customer, t.ada.card).await.unwrap().view;
    assert!(gone.detached_at.is_some() && !gone.is_default);
    let all = list(&ctx(), t.ada.customer, Default::default()).await.unwrap().items;
    assert!(all.iter().all(|method| method.id != t.ada.card));
    let refused = set_default(&ctx(), t.ada.customer, t.ada.card).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "not_found");
}
