use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use shop_domain::code::ErrorCode;
use shop_domain::fulfillments::{DeliveryException, ScanCode};
use shop_domain::ids::{LocationId, VariantId};
use shop_domain::ledger::Account;
use shop_domain::status::{FulfillmentStatus, OrderFulfillmentStatus, OrderStatus};
use shop_store::entities::{inventory_levels, ledger_entries, locations};

use super::*;
use crate::testing::{TestShop, hamburg, oslo};
use crate::units::LineUnits;
use crate::{inventory, orders};

/// Units on the shelf and units held.
async fn stock(t: &TestShop, variant: VariantId) -> (i64, i64) {
    let row = inventory_levels::Entity::find_by_id((variant, t.location)).one(t.shop.db.reader()).await;
    let row = row.unwrap().unwrap();
    (row.on_hand, row.reserved)
}

async fn balance(t: &TestShop, account: Account) -> i64 {
    let rows = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    rows.iter().filter(|row| row.account == account).map(|row| row.amount_minor).sum()
}

async fn codes(t: &TestShop, order: &orders::View) -> Vec<ScanCode> {
    let parcels = track_order(&t.ctx(&t.ada.principal), order.id).await.unwrap().parcels;
    let number = parcels[0].tracking_number.clone().unwrap();
    let tracking = track(&t.ctx(&t.ada.principal), &number).await.unwrap();
    assert_eq!(parcels[0].scans, tracking.scans[tracking.scans.len() - 1..], "the latest scan only");
    tracking.scans.into_iter().map(|scan| scan.code).collect()
}

#[tokio::test]
async fn stock_is_held_until_the_parcel_leaves() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 2)]).await;
    assert_eq!(stock(&t, t.goods.blue_mug).await, (10, 2));
    let parcel = create(&t.at(&t.lead, order.version), order.id, Create::default()).await.unwrap().view;
    assert_eq!(parcel.location_id, t.location);
    assert_eq!(stock(&t, t.goods.blue_mug).await, (10, 2));
    let parcel = ship(&t.at(&t.lead, parcel.version), parcel.id, Ship::default()).await.unwrap().view;
    assert_eq!(parcel.status, FulfillmentStatus::Shipped);
    assert_eq!(stock(&t, t.goods.blue_mug).await, (8, 0));
    let order = t.order(order.id).await;
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Shipped);
    assert_eq!(order.lines[0].shipped_quantity, 2);
}

#[tokio::test]
async fn no_unit_is_packed_twice() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let line_id = order.lines[0].id;
    let pack = |quantity| Create { lines: Some(vec![LineUnits { line_id, quantity }]), location_id: None };
    let first = create(&t.ctx(&t.lead), order.id, pack(1)).await.unwrap().view;
    let refusal = create(&t.ctx(&t.lead), order.id, pack(2)).await.unwrap_err();
    assert_eq!(refusal.fields[0].pointer, "/lines/0/quantity");
    create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap();
    let refusal = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("nothing_left"));
    // What is unpacked can be packed again.
    cancel(&t.ctx(&t.lead), first.id).await.unwrap();
    let again = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap().view;
    assert_eq!(again.lines, [LineUnits { line_id, quantity: 1 }]);
    assert_eq!(stock(&t, t.goods.blue_mug).await, (10, 2));
}

#[tokio::test]
async fn a_parcel_leaves_from_one_location() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let ctx = t.ctx(&t.admin);
    let outlet = ctx.id(LocationId::new);
    let tx = ctx.begin().await.unwrap();
    let row = locations::ActiveModel {
        id: Set(outlet),
        store_id: Set(t.store),
        name: Set("Outlet".into()),
        country: Set("DE".into()),
    };
    row.insert(&*tx).await.unwrap();
    inventory::put_back(&*tx, t.goods.blue_mug, outlet, 1).await.unwrap();
    tx.commit().await.unwrap();
    let all = Create { lines: None, location_id: Some(outlet) };
    let refusal = create(&t.ctx(&t.lead), order.id, all).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("stock_is_elsewhere"));
    let one = Create {
        lines: Some(vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }]),
        location_id: Some(outlet),
    };
    let parcel = create(&t.ctx(&t.lead), order.id, one).await.unwrap().view;
    assert_eq!(stock(&t, t.goods.blue_mug).await, (10, 1), "one unit is held at the outlet instead");
    ship(&t.at(&t.lead, parcel.version), parcel.id, Ship::default()).await.unwrap();
    let rest = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap().view;
    assert_eq!(rest.location_id, t.location);
    ship(&t.at(&t.lead, rest.version), rest.id, Ship::default()).await.unwrap();
    assert_eq!(stock(&t, t.goods.blue_mug).await, (9, 0));
    assert_eq!(t.order(order.id).await.fulfillment_status, OrderFulfillmentStatus::Shipped);
}

#[tokio::test]
async fn an_unpaid_order_is_not_packed() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let refusal = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("order_not_confirmed"));
}

#[tokio::test]
async fn a_voided_label_costs_nothing() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let parcel = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap().view;
    let labelled = buy_label(&t.at(&t.lead, parcel.version), parcel.id).await.unwrap().view;
    assert_eq!(labelled.label_minor, Some(490));
    assert_eq!(balance(&t, Account::Postage).await, 490);
    let voided = void_label(&t.at(&t.lead, labelled.version), parcel.id).await.unwrap().view;
    assert_eq!((voided.status, voided.label_minor), (FulfillmentStatus::Allocated, None));
    assert_eq!(balance(&t, Account::Postage).await, 0);
    let again = buy_label(&t.at(&t.lead, voided.version), parcel.id).await.unwrap().view;
    assert_ne!(again.tracking_number, labelled.tracking_number);
    let shipped = ship(&t.at(&t.lead, again.version), parcel.id, Ship::default()).await.unwrap().view;
    assert_eq!(shipped.tracking_number, again.tracking_number);
}

#[tokio::test]
async fn parcels_move_when_the_clock_advances() {
    let t = TestShop::open().await;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    assert_eq!(codes(&t, &order).await, [ScanCode::PickedUp]);
    t.shop.world.clock.advance(TimeDelta::hours(60));
    let under_way = codes(&t, &order).await;
    assert_eq!(under_way, [ScanCode::PickedUp, ScanCode::InTransit]);
    assert_eq!(codes(&t, &order).await, under_way, "looking twice changes nothing");
    let seen = get(&t.ctx(&t.ada.principal), parcel.id).await.unwrap();
    assert_eq!(seen.status, FulfillmentStatus::InTransit);
    t.shop.world.clock.advance(TimeDelta::days(30));
    let order = t.order(order.id).await;
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Delivered);
    assert_eq!(order.status, OrderStatus::Completed);
    assert_eq!(codes(&t, &order).await.last(), Some(&ScanCode::Delivered));
    let arrived = get(&t.ctx(&t.ada.principal), parcel.id).await.unwrap();
    assert_eq!(
        arrived.delivered_at,
        track(&t.ctx(&t.lead), &arrived.tracking_number.unwrap()).await.unwrap().expected_by
    );
    assert_eq!(
        order.delivered_at, arrived.delivered_at,
        "the window opens when it arrived, not when somebody looked"
    );
}

#[tokio::test]
async fn the_method_that_was_used_is_remembered() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let parcel = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap().view;
    let input =
        Ship { shipping_method_id: Some(t.shipping.express), tracking_number: Some("AB-123456".into()) };
    let parcel = ship(&t.at(&t.lead, parcel.version), parcel.id, input).await.unwrap().view;
    assert_eq!(parcel.tracking_number.as_deref(), Some("AB-123456"));
    let row = shop_store::entities::orders::Entity::find_by_id(order.id).one(t.shop.db.reader()).await;
    let row = row.unwrap().unwrap();
    assert_eq!(row.shipped_method_id, Some(t.shipping.express));
    assert_eq!(row.shipping_method_id, Some(t.shipping.standard));
}

#[tokio::test]
async fn only_a_parcel_on_its_way_is_redirected() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let parcel = create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap().view;
    let to = |address| Redirect { address, approval_id: None };
    let ada = &t.ada.principal;
    let early = redirect(&t.ctx(ada), parcel.id, to(hamburg("Ada"))).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("order_not_shipped"));
    let parcel = ship(&t.at(&t.lead, parcel.version), parcel.id, Ship::default()).await.unwrap().view;
    let far = redirect(&t.ctx(ada), parcel.id, to(oslo("Ada"))).await.unwrap_err();
    assert_eq!(far.code, ErrorCode::AddressUndeliverable);
    let near = shop_domain::address::Address { line1: "1 Quay".into(), ..hamburg("Ada") };
    let redirected = redirect(&t.ctx(ada), parcel.id, to(near.clone())).await.unwrap().view;
    assert_eq!((redirected.fee_minor, &redirected.fulfillment.destination), (0, &near));
    assert_ne!(t.order(order.id).await.shipping_address, near);
    deliver(&t.at(&t.lead, redirected.version), parcel.id).await.unwrap();
    let late = redirect(&t.ctx(ada), parcel.id, to(hamburg("Ada"))).await.unwrap_err();
    assert_eq!(late.rule.as_deref(), Some("order_delivered"));
}

#[tokio::test]
async fn a_lost_parcel_marks_its_order_until_it_turns_up() {
    let t = TestShop::open().await;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let input = ReportException { kind: DeliveryException::Lost, note: None };
    let lost = report_exception(&t.ctx(&t.ada.principal), parcel.id, input.clone()).await.unwrap().view;
    assert_eq!(lost.exception_kind, Some(DeliveryException::Lost));
    assert_eq!(t.order(order.id).await.fulfillment_status, OrderFulfillmentStatus::Exception);
    t.shop.world.clock.advance(TimeDelta::days(30));
    assert_eq!(t.order(order.id).await.fulfillment_status, OrderFulfillmentStatus::Exception);
    deliver(&t.at(&t.lead, lost.version), parcel.id).await.unwrap();
    assert_eq!(t.order(order.id).await.fulfillment_status, OrderFulfillmentStatus::Delivered);
    let refusal = report_exception(&t.ctx(&t.ada.principal), parcel.id, input).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("fulfillment_not_ready"));
}

#[tokio::test]
async fn a_foreign_parcel_looks_absent() {
    let t = TestShop::open().await;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let bob = t.ctx(&t.bob.principal);
    let number = parcel.tracking_number.unwrap();
    let to = Redirect { address: hamburg("Bob"), approval_id: None };
    let lost = ReportException { kind: DeliveryException::Lost, note: None };
    let refusals = [
        get(&bob, parcel.id).await.unwrap_err(),
        track(&bob, &number).await.unwrap_err(),
        track_order(&bob, order.id).await.unwrap_err(),
        redirect(&bob, parcel.id, to).await.unwrap_err(),
        report_exception(&bob, parcel.id, lost).await.unwrap_err(),
    ];
    assert_eq!(refusals.map(|refusal| refusal.code), [ErrorCode::NotFound; 5]);
    let page = list(&bob, Filter::default(), crate::PageQuery::default()).await.unwrap();
    assert!(page.items.is_empty());
}

#[tokio::test]
async fn customers_do_not_do_the_warehouses_work() {
    let t = TestShop::open().await;
    let (_, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let refusal = deliver(&t.at(&t.ada.principal, parcel.version), parcel.id).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Forbidden);
}
