use shop_domain::code::ErrorCode;
use shop_domain::status::{OrderPaymentStatus, PaymentState};

use super::*;
use crate::testing::TestShop;

/// Money of Ada's that is held for two mugs.
async fn held(t: &TestShop) -> View {
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    let input = Create { payment_method_id: Some(t.ada.card), ..Create::default() };
    let opened = create(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    authorize(&t.at(&t.ada.principal, opened.version), opened.id, Authorize::default()).await.unwrap().view
}

#[tokio::test]
async fn a_void_that_never_arrived_leaves_the_money_held_and_can_be_sent_anew() {
    let t = TestShop::open().await;
    let payment = held(&t).await;
    t.shop.world.faults.put(vec!["timeout_before@void*1".parse().unwrap()]);
    let lost = void(&t.at(&t.lead, payment.version), payment.id).await.unwrap_err();
    assert_eq!(lost.code, ErrorCode::OutcomeUnknown);
    let seen = sync(&t.ctx(&t.lead), payment.id).await.unwrap().view;
    assert_eq!((seen.status, seen.authorized_minor), (PaymentState::Authorized, payment.authorized_minor));
    let order = t.order(payment.order_id).await;
    assert_eq!(order.payment_status, OrderPaymentStatus::Authorized);
    let gone = void(&t.at(&t.lead, seen.version), payment.id).await.unwrap().view;
    assert_eq!(gone.status, PaymentState::Voided);
    let charge = t.gateway.truth().unwrap().charges.pop().unwrap();
    assert_eq!(serde_json::to_value(charge.status).unwrap(), "voided");
}

#[tokio::test]
async fn a_void_that_the_gateway_refused_leaves_the_money_held() {
    let t = TestShop::open().await;
    let payment = held(&t).await;
    t.shop.world.faults.put(vec!["decline@void*1".parse().unwrap()]);
    let refused = void(&t.at(&t.lead, payment.version), payment.id).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::PaymentDeclined);
    let seen = get(&t.ctx(&t.lead), payment.id).await.unwrap();
    assert_eq!(seen.status, PaymentState::Authorized);
}
