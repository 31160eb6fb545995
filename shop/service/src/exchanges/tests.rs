use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::code::ErrorCode;
use shop_domain::fulfillments::{DeliveryException, FulfillmentPurpose};
use shop_domain::ids::{OrderId, OrderLineId, VariantId};
use shop_domain::policy::Policy;
use shop_domain::reasons::{RefundReason, ReturnReason};
use shop_domain::returns::ReturnGrade;
use shop_domain::status::{
    ExchangeStatus, FulfillmentStatus, OrderFulfillmentStatus, OrderPaymentStatus, ReturnStatus,
};
use shop_store::entities::{inventory_levels, ledger_entries, stores};

use super::*;
use crate::testing::TestShop;
use crate::units::LineUnits;
use crate::{fulfillments, ledger, orders, refunds, returns};

fn swap(line_id: OrderLineId, quantity: i64, variant_id: VariantId) -> Request {
    Request {
        lines: vec![Swap { line_id, quantity, variant_id }],
        reason: ReturnReason::WrongSize,
        settle_with: None,
        approval_id: None,
    }
}

async fn stock(t: &TestShop, variant: VariantId) -> (i64, i64) {
    let row = inventory_levels::Entity::find_by_id((variant, t.location)).one(t.shop.db.reader()).await;
    let row = row.unwrap().unwrap();
    (row.on_hand, row.reserved)
}

async fn due(t: &TestShop, order: OrderId) -> i64 {
    ledger::receivable(t.shop.db.reader(), order).await.unwrap()
}

/// Books sum to zero, lines and shipping to the order, and the shop's cash is what the gateway keeps.
async fn all_adds_up(t: &TestShop, order: OrderId) {
    let entries = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(entries.iter().map(|entry| entry.amount_minor).sum::<i64>(), 0);
    let cash = entries.iter().filter(|entry| entry.account == shop_domain::ledger::Account::CashAtGateway);
    let kept: i64 =
        t.gateway.truth().unwrap().charges.iter().map(|c| c.captured_minor - c.refunded_minor).sum();
    assert_eq!(cash.map(|entry| entry.amount_minor).sum::<i64>(), kept);
    let row = shop_store::entities::orders::Entity::find_by_id(order).one(t.shop.db.reader()).await;
    let row = row.unwrap().unwrap();
    let lines = orders::lines_of(t.shop.db.reader(), order).await.unwrap();
    let of_lines: i64 = lines.iter().map(|line| line.total_minor).sum();
    assert_eq!(of_lines + row.shipping_minor + row.shipping_tax_minor, row.total_minor);
    for line in lines {
        let price = line.unit_price_minor * line.quantity - line.discount_minor + line.tax_minor;
        assert_eq!(price, line.total_minor, "{}", line.title);
    }
}

async fn bring_back(t: &TestShop, exchange: &View) -> returns::View {
    let id = exchange.return_id.unwrap();
    returns::receive(&t.ctx(&t.lead), id, returns::Receive::default()).await.unwrap().view
}

#[tokio::test]
async fn a_dearer_exchange_is_paid_before_it_ships() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 2)]).await;
    let (ada, paid) = (&t.ada.principal, order.total_minor);
    let input = swap(order.lines[0].id, 1, t.goods.large_shirt);
    let asked = request(&t.at(ada, order.version), order.id, input).await.unwrap().view;
    // 27.00 instead of 25.00, and 19 % on the 2.00.
    assert_eq!((asked.status, asked.difference_minor), (ExchangeStatus::Requested, 238));
    assert_eq!(stock(&t, t.goods.large_shirt).await, (10, 1));
    assert_eq!(
        (t.order(order.id).await.total_minor, due(&t, order.id).await),
        (paid, 0),
        "a quote moves nothing"
    );

    let fixed = approve(&t.ctx(&t.agent), asked.id).await.unwrap().view;
    assert_eq!((fixed.status, fixed.difference_minor), (ExchangeStatus::AwaitingReturn, 238));
    assert_eq!(fixed.order_due_minor, 238);
    let order = t.order(order.id).await;
    assert_eq!((order.total_minor, order.payment_status), (paid + 238, OrderPaymentStatus::PartiallyPaid));
    assert_eq!(order.lines.len(), 2, "the unit has a line of its own");
    all_adds_up(&t, order.id).await;

    let early = ship(&t.at(&t.lead, fixed.version), asked.id).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("return_not_received"));
    bring_back(&t, &fixed).await;
    let unpaid = ship(&t.at(&t.lead, fixed.version), asked.id).await.unwrap_err();
    assert_eq!(unpaid.rule.as_deref(), Some("difference_unpaid"));
    let payment = t.pay(&order, t.ada.card).await;
    assert_eq!(payment.captured_minor, 238);
    all_adds_up(&t, order.id).await;

    let done = ship(&t.at(&t.lead, fixed.version), asked.id).await.unwrap().view;
    assert_eq!(done.status, ExchangeStatus::Completed);
    assert_eq!(stock(&t, t.goods.large_shirt).await, (9, 0));
    let order = t.order(order.id).await;
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Shipped);
    assert_eq!(order.lines[1].variant_id, t.goods.large_shirt);
    let grades =
        vec![returns::Grade { line_id: order.lines[1].id, quantity: 1, grade: ReturnGrade::Restock }];
    let input = returns::Inspect { grades, location_id: None };
    returns::inspect(&t.ctx(&t.lead), fixed.return_id.unwrap(), input).await.unwrap();
    assert_eq!(stock(&t, t.goods.small_shirt).await, (9, 0), "what came back is the old variant");

    let parcel = fulfillments::get(&t.ctx(ada), done.fulfillment_id.unwrap()).await.unwrap();
    assert_eq!(parcel.purpose, FulfillmentPurpose::Exchange);
    fulfillments::deliver(&t.at(&t.lead, parcel.version), parcel.id).await.unwrap();
    let order = t.order(order.id).await;
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Delivered);
    assert_eq!((order.lines[1].delivered_quantity, order.lines[1].return_quantity), (1, 0));
    all_adds_up(&t, order.id).await;
}

#[tokio::test]
async fn a_cheaper_exchange_is_completed_by_its_refund() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.large_shirt, 1)]).await;
    let input = swap(order.lines[0].id, 1, t.goods.small_shirt);
    let asked = request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    assert_eq!(asked.difference_minor, -238);
    let fixed = approve(&t.ctx(&t.agent), asked.id).await.unwrap().view;
    assert_eq!(fixed.order_due_minor, -238);
    bring_back(&t, &fixed).await;
    let shipped = ship(&t.at(&t.lead, fixed.version), asked.id).await.unwrap().view;
    assert_eq!(shipped.status, ExchangeStatus::Shipped, "the shop still owes the difference");
    let back = refunds::PriceAdjustment {
        reason: RefundReason::OrderEdit,
        amount_minor: Some(238),
        line_id: None,
        coupon_code: None,
        payment_id: None,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    let version = t.order(order.id).await.version;
    refunds::price_adjustment(&t.at(&t.lead, version), order.id, back).await.unwrap();
    let done = get(&t.ctx(&t.ada.principal), asked.id).await.unwrap();
    assert_eq!((done.status, done.order_due_minor), (ExchangeStatus::Completed, 0));
    all_adds_up(&t, order.id).await;
}

/// The money of an exchange is owed, not asked for: no window closes on it.
#[tokio::test]
async fn a_negative_difference_can_be_paid_when_every_window_is_closed() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.large_shirt, 2)]).await;
    let input = swap(order.lines[0].id, 2, t.goods.small_shirt);
    let asked = request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    assert_eq!(asked.difference_minor, -476);
    let fixed = approve(&t.ctx(&t.agent), asked.id).await.unwrap().view;
    bring_back(&t, &fixed).await;
    ship(&t.at(&t.lead, fixed.version), asked.id).await.unwrap();
    t.shop.world.clock.advance(TimeDelta::days(90));
    let back = |amount_minor| refunds::PriceAdjustment {
        reason: RefundReason::OrderEdit,
        amount_minor: Some(amount_minor),
        line_id: None,
        coupon_code: None,
        payment_id: None,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    let pay = async |amount_minor| {
        let version = t.order(order.id).await.version;
        refunds::price_adjustment(&t.at(&t.lead, version), order.id, back(amount_minor)).await
    };
    pay(477).await.unwrap_err();
    pay(200).await.unwrap();
    let half = get(&t.ctx(&t.ada.principal), asked.id).await.unwrap();
    assert_eq!((half.status, half.order_due_minor), (ExchangeStatus::Shipped, -276));
    pay(276).await.unwrap();
    pay(1).await.unwrap_err();
    let done = get(&t.ctx(&t.ada.principal), asked.id).await.unwrap();
    assert_eq!((done.status, done.order_due_minor), (ExchangeStatus::Completed, 0));
    all_adds_up(&t, order.id).await;
}

#[tokio::test]
async fn cancelling_turns_everything_around() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 2)]).await;
    let input = swap(order.lines[0].id, 1, t.goods.large_shirt);
    let asked = request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    let fixed = approve(&t.ctx(&t.agent), asked.id).await.unwrap().view;
    cancel(&t.ctx(&t.ada.principal), fixed.id).await.unwrap();
    let after = t.order(order.id).await;
    assert_eq!((after.total_minor, due(&t, order.id).await), (order.total_minor, 0));
    assert_eq!(stock(&t, t.goods.large_shirt).await, (10, 0));
    assert_eq!(after.lines.iter().map(|line| line.return_quantity).sum::<i64>(), 0);
    let inbound = returns::get(&t.ctx(&t.ada.principal), asked.return_id.unwrap()).await.unwrap();
    assert_eq!(inbound.status, ReturnStatus::Cancelled);
    all_adds_up(&t, order.id).await;
}

#[tokio::test]
async fn goods_that_are_back_when_an_exchange_is_cancelled_can_be_refunded() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 1)]).await;
    let input = swap(order.lines[0].id, 1, t.goods.large_shirt);
    let asked = request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    let fixed = approve(&t.ctx(&t.agent), asked.id).await.unwrap().view;
    bring_back(&t, &fixed).await;
    cancel(&t.ctx(&t.lead), fixed.id).await.unwrap();
    let inbound = returns::get(&t.ctx(&t.lead), fixed.return_id.unwrap()).await.unwrap();
    assert_eq!((inbound.exchange_id, inbound.status), (None, ReturnStatus::Received));
    let grades =
        vec![returns::Grade { line_id: order.lines[0].id, quantity: 1, grade: ReturnGrade::Restock }];
    let graded = returns::Inspect { grades, location_id: None };
    let inbound = returns::inspect(&t.ctx(&t.lead), inbound.id, graded).await.unwrap().view;
    let paid = refunds::returned(&t.at(&t.lead, inbound.version), inbound.id, Default::default())
        .await
        .unwrap()
        .view;
    assert_eq!(paid.total_minor, order.lines[0].total_minor);
    all_adds_up(&t, order.id).await;
}

#[tokio::test]
async fn the_return_of_an_exchange_shares_its_fate() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 1)]).await;
    let input = swap(order.lines[0].id, 1, t.goods.large_shirt);
    let asked = request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    let id = asked.return_id.unwrap();
    let refusals = [
        returns::approve(&t.ctx(&t.lead), id, returns::Approve::default()).await.unwrap_err(),
        returns::cancel(&t.ctx(&t.lead), id).await.unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.rule.as_deref(), Some("return_of_exchange"));
    }
}

#[tokio::test]
async fn an_exchange_stays_within_the_product_and_the_stock() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 2)]).await;
    let (ada, line) = (&t.ada.principal, order.lines[0].id);
    for bad in [t.goods.blue_mug, t.goods.small_shirt] {
        let refusal = request(&t.ctx(ada), order.id, swap(line, 1, bad)).await.unwrap_err();
        assert_eq!(refusal.fields[0].pointer, "/lines/0/variant_id");
    }
    let refusal = request(&t.ctx(ada), order.id, swap(line, 3, t.goods.large_shirt)).await.unwrap_err();
    assert_eq!(refusal.fields[0].pointer, "/lines/0/quantity");
    t.paid(&[(t.goods.large_shirt, 9)]).await;
    let refusal = request(&t.ctx(ada), order.id, swap(line, 2, t.goods.large_shirt)).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::OutOfStock);
    assert_eq!(t.order(order.id).await.lines[0].return_quantity, 0, "a refusal changes nothing");
}

#[tokio::test]
async fn a_gift_card_must_cover_the_difference_when_it_is_named() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 1)]).await;
    let ada = &t.ada.principal;
    let with = |payment_method_id, gift_card_id| Request {
        settle_with: Some(SettleWith { payment_method_id, gift_card_id }),
        ..swap(order.lines[0].id, 1, t.goods.large_shirt)
    };
    let foreign = request(&t.ctx(ada), order.id, with(Some(t.bob.card), None)).await.unwrap_err();
    assert_eq!(foreign.code, ErrorCode::NotFound);
    let both = with(Some(t.ada.card), Some(t.ada.gift_card));
    assert_eq!(request(&t.ctx(ada), order.id, both).await.unwrap_err().code, ErrorCode::ValidationFailed);
    let card = shop_store::entities::gift_cards::Entity::find_by_id(t.ada.gift_card);
    let ctx = t.ctx(&t.admin);
    let tx = ctx.begin().await.unwrap();
    let mut row = card.one(&*tx).await.unwrap().unwrap().into_active_model();
    row.balance_minor = Set(237);
    row.update(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let short = request(&t.ctx(ada), order.id, with(Some(t.ada.gift_card_method), None)).await.unwrap_err();
    assert_eq!(short.rule.as_deref(), Some("insufficient_balance"));
    let asked = request(&t.ctx(ada), order.id, with(Some(t.ada.card), None)).await.unwrap().view;
    assert_eq!(asked.settle_method_id, Some(t.ada.card));
}

#[tokio::test]
async fn a_tau2_order_has_one_exchange_or_return() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.admin);
    let tx = ctx.begin().await.unwrap();
    let store = stores::Entity::find_by_id(t.store).one(&*tx).await.unwrap().unwrap();
    let mut store = store.into_active_model();
    store.policy = Set(Policy::tau2());
    store.update(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let order = t.delivered(&[(t.goods.small_shirt, 2)]).await;
    let ada = &t.ada.principal;
    let input = swap(order.lines[0].id, 1, t.goods.large_shirt);
    let first = request(&t.ctx(ada), order.id, input.clone()).await.unwrap().view;
    let inbound = returns::get(&t.ctx(ada), first.return_id.unwrap()).await.unwrap();
    assert_eq!(inbound.status, ReturnStatus::Requested, "nothing is approved without staff");
    let refusal = request(&t.ctx(ada), order.id, input).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("after_sales_already_requested"));
}

#[tokio::test]
async fn a_lost_parcel_is_replaced_once_and_free() {
    let t = TestShop::open().await;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 2)]).await;
    let line_id = order.lines[0].id;
    let again = |quantity| Replace {
        lines: vec![LineUnits { line_id, quantity }],
        reason: "The carrier lost it.".into(),
        approval_id: None,
    };
    let early = send_replacement(&t.at(&t.lead, order.version), order.id, again(2)).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("no_delivery_exception"));
    let lost = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
    fulfillments::report_exception(&t.ctx(&t.lead), parcel.id, lost).await.unwrap();
    let order = t.order(order.id).await;
    let sent = send_replacement(&t.at(&t.lead, order.version), order.id, again(2)).await.unwrap().view;
    assert_eq!((sent.purpose, sent.status), (FulfillmentPurpose::Replacement, FulfillmentStatus::Allocated));
    assert_eq!(stock(&t, t.goods.blue_mug).await, (8, 2));
    let order = t.order(order.id).await;
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Shipped, "something was done about it");
    let twice = send_replacement(&t.at(&t.lead, order.version), order.id, again(1)).await.unwrap_err();
    assert_eq!(twice.rule.as_deref(), Some("no_delivery_exception"));
    let money = refunds::WithoutReturn {
        lines: None,
        reason: RefundReason::Lost,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    refunds::without_return(&t.at(&t.lead, order.version), order.id, money).await.unwrap_err();
    assert_eq!(due(&t, order.id).await, 0);
    let sent =
        fulfillments::ship(&t.at(&t.lead, sent.version), sent.id, Default::default()).await.unwrap().view;
    assert_eq!(stock(&t, t.goods.blue_mug).await, (6, 0));
    fulfillments::deliver(&t.at(&t.lead, sent.version), sent.id).await.unwrap();
    let order = t.order(order.id).await;
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Delivered);
    all_adds_up(&t, order.id).await;
}

#[tokio::test]
async fn what_was_delivered_is_replaced_only_when_a_second_person_agrees() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let input = Replace {
        lines: vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }],
        reason: "The handle broke off.".into(),
        approval_id: None,
    };
    let refusal = send_replacement(&t.at(&t.agent, order.version), order.id, input).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ApprovalPending);
    assert_eq!(stock(&t, t.goods.blue_mug).await, (9, 0));
}

#[tokio::test]
async fn a_closed_window_and_a_foreign_exchange() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.small_shirt, 2)]).await;
    let input = swap(order.lines[0].id, 1, t.goods.large_shirt);
    let asked = request(&t.ctx(&t.ada.principal), order.id, input.clone()).await.unwrap().view;
    let bob = t.ctx(&t.bob.principal);
    let refusals = [
        get(&bob, asked.id).await.unwrap_err(),
        cancel(&bob, asked.id).await.unwrap_err(),
        request(&bob, order.id, input.clone()).await.unwrap_err(),
    ];
    assert_eq!(refusals.map(|refusal| refusal.code), [ErrorCode::NotFound; 3]);
    t.shop.world.clock.advance(TimeDelta::days(31));
    let late = request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap_err();
    assert_eq!(late.code, ErrorCode::ApprovalPending);
}
