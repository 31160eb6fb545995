use sea_orm::EntityTrait;
use shop_domain::code::ErrorCode;
use shop_domain::ids::OrderId;
use shop_domain::ledger::Account;
use shop_domain::reasons::RefundReason;
use shop_domain::status::{InstrumentKind, OrderPaymentStatus, OrderStatus, PaymentState};
use shop_store::entities::ledger_entries;

use super::*;
use crate::error::Result;
use crate::refunds::{self, PriceAdjustment, Unshipped};
use crate::testing::TestShop;
use crate::units::LineUnits;
use crate::{ledger, orders};

/// Opens a payment on Ada's card for everything that is due, or one with PayPal in place of another.
async fn open(t: &TestShop, order: OrderId, replaces: Option<&View>) -> Result<View> {
    let method = if replaces.is_some() { t.ada.paypal } else { t.ada.card };
    let input = Create {
        payment_method_id: Some(method),
        replaces_payment_id: replaces.map(|old| old.id),
        ..Create::default()
    };
    Ok(create(&t.ctx(&t.ada.principal), order, input).await?.view)
}

/// What a new payment may be for: nothing, or an amount.
async fn due(t: &TestShop, order: OrderId) -> i64 {
    match open(t, order, None).await {
        Ok(opened) => {
            void(&t.at(&t.lead, opened.version), opened.id).await.unwrap();
            opened.amount_minor
        }
        Err(refusal) => {
            assert_eq!(refusal.fields[0].pointer, "/amount_minor");
            0
        }
    }
}

async fn receivable(t: &TestShop, order: OrderId) -> i64 {
    ledger::receivable(t.shop.db.reader(), order).await.unwrap()
}

/// Everything held on a payment is taken.
async fn take(t: &TestShop, opened: &View) -> View {
    let held = authorize(&t.at(&t.lead, opened.version), opened.id, Authorize::default()).await.unwrap().view;
    capture(&t.at(&t.lead, held.version), held.id, Capture::default()).await.unwrap().view
}

#[tokio::test]
async fn what_is_due_is_what_the_books_say_and_open_payments_do_not_bring() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    assert_eq!(due(&t, order.id).await, order.total_minor);
    let first = open(&t, order.id, None).await.unwrap();
    assert_eq!(due(&t, order.id).await, 0);
    let half = authorize(&t.at(&t.lead, first.version), first.id, Authorize::default()).await.unwrap().view;
    let half = capture(&t.at(&t.lead, half.version), half.id, Capture { amount_minor: Some(1_000) }).await;
    let half = half.unwrap().view;
    assert_eq!((half.status, due(&t, order.id).await), (PaymentState::Authorized, 0));
    capture(&t.at(&t.lead, half.version), half.id, Capture::default()).await.unwrap();
    assert_eq!((due(&t, order.id).await, receivable(&t, order.id).await), (0, 0));
}

#[tokio::test]
async fn refunded_money_is_not_due_again() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let one = vec![LineUnits { line_id: bought.lines[0].id, quantity: 1 }];
    let input = Unshipped { lines: Some(one), ..Unshipped::default() };
    refunds::unshipped(&t.at(&t.lead, bought.version), bought.id, input).await.unwrap();
    assert_eq!((due(&t, bought.id).await, receivable(&t, bought.id).await), (0, 0));

    // What the order costs more from here on is due, and nothing else.
    let bought = t.paid(&[(t.goods.small_shirt, 1)]).await;
    let input = orders::ChangeShipping { shipping_method_id: t.shipping.express };
    let dearer =
        orders::change_shipping(&t.at(&t.lead, bought.version), bought.id, input).await.unwrap().view;
    assert_eq!(due(&t, bought.id).await, dearer.difference_minor);
    assert_eq!(receivable(&t, bought.id).await, dearer.difference_minor);
}

#[tokio::test]
async fn a_payment_makes_room_for_the_one_that_replaces_it_by_what_it_still_brings() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let old = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap().items.remove(0);
    let one = vec![LineUnits { line_id: bought.lines[0].id, quantity: 1 }];
    let input = Unshipped { lines: Some(one), ..Unshipped::default() };
    let back = refunds::unshipped(&t.at(&t.lead, bought.version), bought.id, input).await.unwrap().view;
    let new = open(&t, bought.id, Some(&old)).await.unwrap();
    assert_eq!(new.amount_minor, bought.total_minor - back.total_minor);
    assert_eq!(take(&t, &new).await.status, PaymentState::Captured);
    assert_eq!(receivable(&t, bought.id).await, -new.amount_minor);

    // A payment of another order makes no room in this one.
    let other = t.paid(&[(t.goods.red_mug, 1)]).await;
    let foreign = open(&t, other.id, Some(&new)).await.unwrap_err();
    assert_eq!(foreign.fields[0].pointer, "/replaces_payment_id");
}

fn offline(instrument: InstrumentKind, amount_minor: Option<i64>) -> MarkPaid {
    MarkPaid { instrument, amount_minor, reference: Some("statement 12, line 4".into()) }
}

#[tokio::test]
async fn money_that_no_gateway_sees_is_in_the_books_and_goes_back_by_hand() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    let by_lead =
        mark_paid(&t.at(&t.lead, order.version), order.id, offline(InstrumentKind::Cash, None)).await;
    assert_eq!(by_lead.unwrap_err().code.as_str(), "forbidden");
    let at = |version| t.at(&t.admin, version);
    let card =
        mark_paid(&at(order.version), order.id, offline(InstrumentKind::Card, None)).await.unwrap_err();
    assert_eq!(card.fields[0].pointer, "/instrument");
    let much = offline(InstrumentKind::Cash, Some(order.total_minor + 1));
    let much = mark_paid(&at(order.version), order.id, much).await.unwrap_err();
    assert_eq!(much.fields[0].pointer, "/amount_minor");
    let part = offline(InstrumentKind::Cash, Some(1_000));
    mark_paid(&at(order.version), order.id, part).await.unwrap();
    let half = t.order(order.id).await;
    assert_eq!(half.payment_status, OrderPaymentStatus::PartiallyPaid);
    let rest = offline(InstrumentKind::BankTransfer, None);
    let rest = mark_paid(&at(half.version), order.id, rest).await.unwrap().view;
    assert_eq!((rest.amount_minor, rest.status), (order.total_minor - 1_000, PaymentState::Captured));
    let paid = t.order(order.id).await;
    assert_eq!((paid.payment_status, paid.status), (OrderPaymentStatus::Paid, OrderStatus::Confirmed));
    assert_eq!(
        (balance(&t, Account::OfflineCash).await, receivable(&t, order.id).await),
        (order.total_minor, 0)
    );

    refunds::unshipped(&t.at(&t.lead, paid.version), order.id, Unshipped::default()).await.unwrap();
    assert_eq!(t.order(order.id).await.payment_status, OrderPaymentStatus::Refunded);
    assert_eq!((balance(&t, Account::OfflineCash).await, receivable(&t, order.id).await), (0, 0));
    assert!(t.gateway.ledger_entries().unwrap().is_empty());
}

async fn balance(t: &TestShop, account: Account) -> i64 {
    let all = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(all.iter().map(|entry| entry.amount_minor).sum::<i64>(), 0);
    all.iter().filter(|entry| entry.account == account).map(|entry| entry.amount_minor).sum()
}

#[tokio::test]
async fn a_payment_is_replaced_by_another_instrument_and_then_goes_back() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let old = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap().items.remove(0);
    let with = |input: Create| {
        let ctx = t.ctx(&t.ada.principal);
        async move { create(&ctx, bought.id, input).await }
    };
    let same = Create {
        payment_method_id: Some(t.ada.card),
        replaces_payment_id: Some(old.id),
        ..Create::default()
    };
    assert_eq!(with(same).await.unwrap_err().fields[0].pointer, "/replaces_payment_id");
    let card = Create {
        gift_card_id: Some(t.ada.gift_card),
        replaces_payment_id: Some(old.id),
        ..Create::default()
    };
    let new = with(card.clone()).await.unwrap().view;
    assert_eq!((new.instrument, new.amount_minor), (InstrumentKind::GiftCard, bought.total_minor));
    assert_eq!(with(card).await.unwrap_err().fields[0].pointer, "/replaces_payment_id");
    let early = t.order(bought.id).await;
    let replaced = PriceAdjustment {
        reason: RefundReason::PaymentReplaced,
        amount_minor: None,
        line_id: None,
        coupon_code: None,
        payment_id: None,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    let refused = refunds::price_adjustment(&t.at(&t.lead, early.version), bought.id, replaced.clone()).await;
    assert_eq!(refused.unwrap_err().rule.as_deref(), Some("no_price_gap"));
    take(&t, &new).await;
    let both = t.order(bought.id).await;
    let back =
        refunds::price_adjustment(&t.at(&t.lead, both.version), bought.id, replaced).await.unwrap().view;
    assert_eq!(back.refunds[0].payment_id, Some(old.id));
    let truth = t.gateway.truth().unwrap();
    assert_eq!(truth.charges[0].captured_minor - truth.charges[0].refunded_minor, 0);
    let order = t.order(bought.id).await;
    assert_eq!((order.payment_status, receivable(&t, bought.id).await), (OrderPaymentStatus::Paid, 0));
    let left = crate::gift_cards::get(&t.ctx(&t.lead), t.ada.gift_card).await.unwrap().balance_minor;
    assert_eq!(left, 5_000 - bought.total_minor);
}

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
