//! What a new address costs more or less: charged, held or given back, and taken back when it cannot be settled.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_actions_engine::testing::canned::{self, Stage, approve};
use mcp_actions_engine::{Engine, StartCall, Store};
use shop_domain::status::{OrderPaymentStatus, PaymentState};
use shop_service::{payment_methods, payments};

use super::*;
use crate::ConsentLevel;
use crate::caller::Caller;
use crate::engines;
use crate::store::Rows;
use crate::testing::starting;

const MORE: i64 = IN_GERMANY - IN_AUSTRIA;

/// A paid order to Vienna that is to go home to Hamburg, and the action for it at its confirm node.
async fn homewards(desk: &Desk) -> (orders::View, View) {
    let order = to_vienna(desk).await;
    desk.shop.pay(&order, desk.shop.ada.card).await;
    let ready = start(desk, order.id, json!({ "address_id": "home" })).await;
    assert_eq!(*summary(&ready, "settlement"), json!({ "kind": "charge", "amount": MORE }), "{ready:?}");
    (desk.shop.order(order.id).await, ready)
}

async fn must_be_in_vienna(desk: &Desk, order: OrderId) {
    let after = desk.shop.order(order).await;
    assert_eq!((&after.shipping_address, after.total_minor), (&vienna(), IN_AUSTRIA));
    // What was charged and went back again leaves its trace, and nothing is owed either way.
    let settled = [OrderPaymentStatus::Paid, OrderPaymentStatus::PartiallyRefunded];
    assert!(settled.contains(&after.payment_status), "{}", after.payment_status);
    assert_eq!(desk.taken().iter().sum::<i64>(), IN_AUSTRIA);
    assert_eq!(desk.shop.flaws().await, Vec::<String>::new());
    let held = desk.shop.gateway.truth().unwrap().charges;
    let is_held = |status| serde_json::to_value(status).unwrap() == "authorized";
    assert!(held.iter().all(|charge| !is_held(charge.status)), "{held:?}");
}

#[tokio::test]
async fn what_it_costs_more_is_charged_on_what_paid_before() {
    let desk = Desk::open().await;
    let (order, ready) = homewards(&desk).await;
    assert_eq!(*summary(&ready, "payment_method_id"), json!(desk.shop.ada.card));
    let done = desk.carry_out(&ready).await;
    assert_eq!(done.verification.as_ref().unwrap().amount, Some(MORE), "{done:?}");
    assert_eq!(desk.taken(), [IN_AUSTRIA, MORE]);
    let after = desk.shop.order(order.id).await;
    assert_eq!((after.total_minor, after.payment_status), (IN_GERMANY, OrderPaymentStatus::Paid));
    assert_eq!(after.shipping_address, hamburg("Ada Byron"));
    assert_eq!(desk.shop.flaws().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_decline_puts_the_order_back_and_another_method_finishes_it() {
    let desk = Desk::open().await;
    let (order, ready) = homewards(&desk).await;
    desk.fault("decline@authorize*1");
    let declined = desk.confirm(&ready, "k1").await;
    assert_eq!((declined.status, declined.reason), (Some(Status::Failed), Some(Reason::PaymentDeclined)));
    assert!(
        declined.recoverable_errors[0].suggestions.iter().any(|it| it.value == json!(desk.shop.ada.paypal))
    );
    must_be_in_vienna(&desk, order.id).await;
    let open = desk.recover(&ready, None).await;
    assert_eq!(node(&open), "CONFIRM_ADDRESS", "{open:?}");
    let other = desk.advance(&open, json!({ "payment_method_id": "paypal" })).await;
    assert_eq!(*summary(&other, "payment_method_id"), json!(desk.shop.ada.paypal));
    desk.carry_out(&other).await;
    assert_eq!(desk.shop.order(order.id).await.total_minor, IN_GERMANY);
    assert_eq!(desk.taken().iter().sum::<i64>(), IN_GERMANY);
    assert_eq!(desk.shop.flaws().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_never_charged_again() {
    for step in ["authorize", "capture"] {
        let desk = Desk::open().await;
        let (order, ready) = homewards(&desk).await;
        desk.fault(&format!("lost_answer@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!((lost.status, lost.recoverable), (Some(Status::Unknown), true), "{step}: {lost:?}");
        let done = desk.verify(&lost).await;
        assert_eq!(done.status, Some(Status::Completed), "{step}: {done:?}");
        assert_eq!(desk.taken(), [IN_AUSTRIA, MORE], "{step}");
        assert_eq!(desk.shop.order(order.id).await.total_minor, IN_GERMANY);
    }
}

#[tokio::test]
async fn giving_up_an_unknown_charge_takes_money_and_address_back() {
    for (fault, step) in [
        ("lost_answer", "authorize"),
        ("lost_answer", "capture"),
        ("timeout_before", "authorize"),
        ("timeout_before", "capture"),
    ] {
        let desk = Desk::open().await;
        let (order, ready) = homewards(&desk).await;
        desk.fault(&format!("{fault}@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{fault} {step}");
        let gone = desk.recover(&lost, Some("abandon")).await;
        assert_eq!(gone.status, Some(Status::Canceled), "{fault} {step}: {gone:?}");
        must_be_in_vienna(&desk, order.id).await;
    }
}

#[tokio::test]
async fn a_refund_whose_answer_got_lost_is_found_by_verify() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    saved(&desk, "Office", vienna()).await;
    let ready = start(&desk, order.id, json!({ "address_id": "office" })).await;
    desk.fault("lost_answer@refund*1");
    let lost = desk.confirm(&ready, "k").await;
    assert_eq!(lost.status, Some(Status::Unknown), "{lost:?}");
    assert_eq!(desk.verify(&lost).await.status, Some(Status::Completed));
    assert_eq!(desk.taken(), [IN_AUSTRIA]);
}

#[tokio::test]
async fn a_refund_that_turns_up_keeps_the_new_address() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    saved(&desk, "Office", vienna()).await;
    let ready = start(&desk, order.id, json!({ "address_id": "office" })).await;
    desk.fault("lost_answer@refund*1");
    let lost = desk.confirm(&ready, "k").await;
    let gone = desk.recover(&lost, Some("abandon")).await;
    assert_eq!(gone.status, Some(Status::Canceled), "{gone:?}");
    // The money is with the customer already: taking the address back would leave the shop unpaid.
    must_be_in_vienna(&desk, order.id).await;
}

#[tokio::test]
async fn giving_up_a_refund_that_never_left_puts_the_order_back() {
    let desk = Desk::open().await;
    let order = desk.shop.paid(&[(desk.shop.goods.blue_mug, 1)]).await;
    let patch = json!({
        "address": { "line1": "1 Ring", "city": "Vienna", "postal_code": "1010", "country": "Austria" },
        "save_address": true,
    });
    let ready = start(&desk, order.id, patch).await;
    desk.fault("timeout_before@refund*1");
    let lost = desk.confirm(&ready, "k").await;
    assert_eq!(lost.status, Some(Status::Unknown), "{lost:?}");
    assert_eq!(book(&desk).await.len(), 2);
    let gone = desk.recover(&lost, Some("abandon")).await;
    assert_eq!(gone.status, Some(Status::Canceled), "{gone:?}");
    let after = desk.shop.order(order.id).await;
    assert_eq!((&after.shipping_address, after.total_minor), (&hamburg("Ada Byron"), IN_GERMANY));
    assert_eq!((desk.taken(), book(&desk).await.len()), (vec![IN_GERMANY], 1));
    assert_eq!(desk.shop.flaws().await, Vec::<String>::new());
}

#[tokio::test]
async fn money_that_is_only_held_is_held_for_the_difference_too() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = to_vienna(&desk).await;
    let ada = &t.ada.principal;
    let create = payments::Create { payment_method_id: Some(t.ada.card), ..payments::Create::default() };
    let opened = payments::create(&t.ctx(ada), order.id, create).await.unwrap().view;
    payments::authorize(&t.at(ada, opened.version), opened.id, Default::default()).await.unwrap();
    let ready = start(&desk, order.id, json!({ "address_id": "home" })).await;
    assert_eq!(*summary(&ready, "settlement"), json!({ "kind": "hold", "amount": MORE }), "{ready:?}");
    desk.carry_out(&ready).await;
    let filter = payments::Filter { order_id: Some(order.id), ..payments::Filter::default() };
    let all = payments::list(&t.ctx(ada), filter, crate::entities::whole_page()).await.unwrap().items;
    assert!(all.iter().all(|payment| payment.status == PaymentState::Authorized), "{all:?}");
    assert_eq!(all.iter().map(|payment| payment.authorized_minor).sum::<i64>(), IN_GERMANY);
    assert_eq!(desk.taken(), Vec::<i64>::new());
}

#[tokio::test]
async fn an_order_nobody_has_paid_simply_costs_more() {
    let desk = Desk::open().await;
    let order = to_vienna(&desk).await;
    let ready = start(&desk, order.id, json!({ "address_id": "home" })).await;
    assert_eq!(*summary(&ready, "settlement"), json!({ "kind": "later", "amount": MORE }), "{ready:?}");
    desk.carry_out(&ready).await;
    assert_eq!(desk.shop.order(order.id).await.total_minor, IN_GERMANY);
    assert_eq!(desk.shop.gateway.truth().unwrap().charges.len(), 0);
}

#[tokio::test]
async fn without_a_way_to_pay_more_nothing_is_confirmed() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = to_vienna(&desk).await;
    t.pay(&order, t.ada.card).await;
    for method in [t.ada.card, t.ada.paypal, t.ada.gift_card_method] {
        payment_methods::detach(&t.ctx(&t.ada.principal), t.ada.customer, method).await.unwrap();
    }
    let stuck = start(&desk, order.id, json!({ "address_id": "home" })).await;
    assert_eq!(codes(&stuck), [("payment_method_id", Reason::PreconditionFailed)]);
    let foreign = desk.advance(&stuck, json!({ "payment_method_id": t.bob.card })).await;
    assert_eq!(codes(&foreign), [("payment_method_id", Reason::NotFound)]);
    assert!(!offers(&foreign, Tool::ConfirmAction));
}

#[tokio::test]
async fn a_confirm_is_repeated_by_its_key_and_refused_under_another() {
    let desk = Desk::open().await;
    let (_, ready) = homewards(&desk).await;
    let first = desk.confirm(&ready, "k").await;
    assert_eq!((first.outcome, node(&first)), (Outcome::Success, "ADDRESS_SUBMITTED"), "{first:?}");
    assert!(offers(&first, Tool::VerifyAction));
    let again = desk.confirm(&ready, "k").await;
    assert!(again.replayed && again.version == first.version);
    assert_eq!(desk.confirm(&ready, "other").await.reason, Some(Reason::ActionNotAllowed));
    assert_eq!(desk.taken(), [IN_AUSTRIA, MORE]);
}

/// What an order is to go through.
#[derive(Clone, Copy)]
enum Case {
    Dearer,
    Cheaper,
    Travelling,
}

/// One fresh world for the canned tests.
struct Fresh {
    desk: Desk,
    order: OrderId,
    case: Case,
}

async fn fresh(case: Case) -> Fresh {
    let desk = Desk::open().await;
    let t = &desk.shop;
    saved(&desk, "Office", vienna()).await;
    let order = match case {
        Case::Dearer => {
            let order = to_vienna(&desk).await;
            t.pay(&order, t.ada.card).await;
            order.id
        }
        Case::Cheaper => t.paid(&[(t.goods.blue_mug, 1)]).await.id,
        Case::Travelling => t.shipped(&[(t.goods.blue_mug, 1)]).await.0.id,
    };
    Fresh { desk, order, case }
}

#[async_trait]
impl Stage<Caller> for Fresh {
    fn ctx(&self) -> &Caller {
        &self.desk.ada
    }

    fn store(&self) -> Arc<dyn Store<Caller>> {
        Arc::new(Rows)
    }

    fn engine(&self, store: Arc<dyn Store<Caller>>) -> Engine<Caller> {
        engines::engine(ConsentLevel::Agent, "http://127.0.0.1:8083/console", store)
    }

    fn start(&self) -> StartCall {
        let to = if matches!(self.case, Case::Dearer) { "home" } else { "office" };
        starting(FLOW, Some(&self.order.to_string()), json!({ "address_id": to }))
    }

    /// The money that moved, the scans or the events of it.
    async fn times_done(&self) -> usize {
        let t = &self.desk.shop;
        match self.case {
            Case::Dearer => self.desk.taken().iter().filter(|minor| **minor == MORE).count(),
            Case::Cheaper => {
                let charges = t.gateway.truth().unwrap().charges;
                usize::try_from(charges.iter().map(|charge| charge.refunded_minor).sum::<i64>() / MORE)
                    .unwrap()
            }
            Case::Travelling => {
                let parcel = parcels(&self.desk, self.order).await.remove(0);
                let number = parcel.tracking_number.unwrap();
                let seen = fulfillments::track(&t.ctx(&t.ada.principal), &number).await.unwrap();
                let code = shop_domain::fulfillments::ScanCode::Redirected;
                seen.scans.iter().filter(|scan| scan.code == code).count()
            }
        }
    }

    async fn reserved(&self) -> usize {
        0
    }
}

#[tokio::test]
async fn the_canned_truths_hold_on_every_way() {
    for case in [Case::Dearer, Case::Cheaper, Case::Travelling] {
        canned::happy_path(&fresh(case).await).await;
        canned::confirming_twice_acts_once(&fresh(case).await).await;
        canned::canceling_leaves_nothing(&fresh(case).await).await;
    }
}

#[tokio::test]
async fn a_crash_at_any_write_changes_and_charges_once() {
    canned::crashing_anywhere_acts_once(async || Box::pin(fresh(Case::Dearer)).await).await;
}

#[tokio::test]
async fn a_crash_at_any_write_changes_and_refunds_once() {
    canned::crashing_anywhere_acts_once(async || Box::pin(fresh(Case::Cheaper)).await).await;
}

#[tokio::test]
async fn a_crash_at_any_write_redirects_once() {
    canned::crashing_anywhere_acts_once(async || Box::pin(fresh(Case::Travelling)).await).await;
}

#[tokio::test]
async fn two_confirms_at_once_change_once() {
    let desk = Desk::open().await;
    let (order, ready) = homewards(&desk).await;
    let engine = desk.engine();
    let (one, two) = tokio::join!(
        engine.confirm(&desk.ada, approve(&ready, "a")),
        engine.confirm(&desk.ada, approve(&ready, "b"))
    );
    let successes = [&one, &two].into_iter().filter(|view| view.outcome == Outcome::Success).count();
    assert_eq!(successes, 1, "{one:?} {two:?}");
    assert_eq!(desk.taken(), [IN_AUSTRIA, MORE]);
    assert_eq!(desk.shop.order(order.id).await.total_minor, IN_GERMANY);
}
