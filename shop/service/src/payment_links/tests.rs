use chrono::TimeDelta;
use sea_orm::EntityTrait;
use shop_domain::ids::OrderId;
use shop_domain::status::{OrderPaymentStatus, OrderStatus, PaymentLinkStatus, PaymentState};
use shop_store::entities::{ledger_entries, payment_links};
use shop_world::FaultRule;

use super::*;
use crate::orders::{self, Draft};
use crate::payments;
use crate::pricing::Item;
use crate::testing::TestShop;

async fn link(t: &TestShop, order: OrderId) -> (View, String) {
    let view = create(&t.ctx(&t.lead), order, Create::default()).await.unwrap().view;
    let row = payment_links::Entity::find_by_id(view.id).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert!(view.url.ends_with(&format!("/pay/{}?nonce={}", view.id, row.nonce)), "{}", view.url);
    (view, row.nonce)
}

async fn drafted(t: &TestShop) -> orders::View {
    let input = Draft {
        store_id: None,
        customer_id: Some(t.ada.customer),
        items: vec![Item { variant_id: t.goods.blue_mug, quantity: 2 }],
        address: None,
        address_id: None,
        shipping_method_id: t.shipping.standard,
        coupon_code: None,
        contact_email: None,
    };
    orders::create_draft(&t.ctx(&t.lead), input).await.unwrap().view
}

/// What the gateway has really taken.
fn taken(t: &TestShop) -> Vec<i64> {
    t.gateway.truth().unwrap().charges.iter().map(|charge| charge.captured_minor).collect()
}

#[tokio::test]
async fn a_draft_becomes_an_order_when_its_customer_pays_it_on_the_page() {
    let t = TestShop::open().await;
    let draft = drafted(&t).await;
    let (view, nonce) = link(&t, draft.id).await;
    assert_eq!((view.amount_minor, view.status), (draft.total_minor, PaymentLinkStatus::Open));
    let page = find_for_page(&t.shop, view.id, &nonce).await.unwrap();
    assert_eq!((page.lines[0].title.as_str(), page.amount_minor), ("Blue mug", draft.total_minor));
    let wrong = find_for_page(&t.shop, view.id, "guessed").await.unwrap_err();
    assert_eq!(wrong.code.as_str(), "not_found");

    // Declined: nothing is taken, the order stands, and another card may be tried.
    let declined = pay(&t.shop, view.id, &nonce, "tok_lost_card").await.unwrap_err();
    assert_eq!(declined.code.as_str(), "payment_declined");
    let waits = pay(&t.shop, view.id, &nonce, "tok_3ds_required").await.unwrap_err();
    assert_eq!(waits.code.as_str(), "payment_declined");
    assert_eq!(t.order(draft.id).await.status, OrderStatus::Pending);
    let partly = pay(&t.shop, view.id, &nonce, "tok_partial_approval").await.unwrap_err();
    assert_eq!(partly.code.as_str(), "payment_declined");
    let paid = pay(&t.shop, view.id, &nonce, "tok_visa").await.unwrap();
    assert_eq!(paid.status, PaymentLinkStatus::Paid);
    let order = t.order(draft.id).await;
    assert_eq!((order.status, order.payment_status), (OrderStatus::Confirmed, OrderPaymentStatus::Paid));
    assert_eq!(taken(&t).iter().sum::<i64>(), draft.total_minor);
    let again = pay(&t.shop, view.id, &nonce, "tok_visa").await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("payment_link_closed"));
    assert_eq!(taken(&t).iter().sum::<i64>(), draft.total_minor);
    let entries = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.amount_minor).sum::<i64>(), 0);
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_and_charges_once() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let (view, nonce) = link(&t, order.id).await;
    for fault in ["lost_answer@authorize", "lost_answer@capture"] {
        t.shop.world.faults.put(vec![fault.parse::<FaultRule>().unwrap()]);
        let lost = pay(&t.shop, view.id, &nonce, "tok_visa").await.unwrap_err();
        assert_eq!(lost.code.as_str(), "outcome_unknown", "{fault}");
    }
    let paid = pay(&t.shop, view.id, &nonce, "tok_visa").await;
    // The money was taken behind the lost answer, which the page finds out.
    assert_eq!(paid.unwrap().status, PaymentLinkStatus::Paid);
    assert_eq!(taken(&t), [order.total_minor]);
}

#[tokio::test]
async fn a_link_is_good_for_what_is_due_and_for_a_while() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let much = Create { amount_minor: Some(order.total_minor + 1), ..Create::default() };
    let much = create(&t.ctx(&t.lead), order.id, much).await.unwrap_err();
    assert_eq!(much.fields[0].pointer, "/amount_minor");
    assert_eq!(
        create(&t.ctx(&t.bob.principal), order.id, Create::default()).await.unwrap_err().code.as_str(),
        "not_found"
    );
    let (late, late_nonce) = link(&t, order.id).await;
    t.shop.world.clock.advance(TimeDelta::hours(73));
    let status = find_for_page(&t.shop, late.id, &late_nonce).await.unwrap().status;
    assert_eq!(status, PaymentLinkStatus::Expired);
    let (void, nonce) = link(&t, order.id).await;
    assert_eq!(t.pay(&order, t.ada.card).await.status, PaymentState::Captured);
    for (id, nonce) in [(late.id, &late_nonce), (void.id, &nonce)] {
        assert_eq!(find_for_page(&t.shop, id, nonce).await.unwrap().status, PaymentLinkStatus::Void);
        let closed = pay(&t.shop, id, nonce, "tok_visa").await.unwrap_err();
        assert_eq!(closed.rule.as_deref(), Some("payment_link_closed"));
    }
    assert_eq!(taken(&t), [order.total_minor]);
    let nothing = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap_err();
    assert_eq!(nothing.fields[0].pointer, "/amount_minor");
    assert_eq!(
        payments::list(&t.ctx(&t.lead), Default::default(), Default::default()).await.unwrap().items.len(),
        1
    );
}
