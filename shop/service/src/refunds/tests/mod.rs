//! Refunds against the real gateway: what went back, what the books say, and that it happened once.

mod gateway;
mod kinds;
mod limits;

use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, Set};
use shop_domain::ids::{FulfillmentId, OrderId, ReturnId};
use shop_domain::ledger::Account;
use shop_domain::status::{FulfillmentStatus, RefundDestination, ReturnStatus};
use shop_store::columns::{Line, Lines, ReturnLine, ReturnLines};
use shop_store::entities::{fulfillments, ledger_entries, order_lines, orders as order_rows, returns};
use shop_world::FaultRule;

use super::*;
use crate::error::{Error, Result};
use crate::orders;
use crate::testing::TestShop;

/// An order as it is now.
async fn order(t: &TestShop, id: OrderId) -> orders::View {
    orders::get(&t.ctx(&t.admin), id).await.unwrap()
}

/// One account's balance: of everything, or of one order.
async fn balance(t: &TestShop, account: Account, order: Option<OrderId>) -> i64 {
    let mut query = ledger_entries::Entity::find().filter(ledger_entries::Column::Account.eq(account));
    if let Some(order) = order {
        query = query.filter(ledger_entries::Column::OrderId.eq(order));
    }
    query.all(t.shop.db.reader()).await.unwrap().iter().map(|entry| entry.amount_minor).sum()
}

/// The ledger sums to zero, and holds at the gateway what the gateway says it holds.
async fn must_reconcile(t: &TestShop) {
    let all = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(all.iter().map(|entry| entry.amount_minor).sum::<i64>(), 0);
    let truth = t.gateway.truth().unwrap();
    let kept: i64 = truth.charges.iter().map(|charge| charge.captured_minor - charge.refunded_minor).sum();
    assert_eq!(balance(t, Account::CashAtGateway, None).await, kept);
}

/// What the gateway really gave back.
fn given_back(t: &TestShop) -> i64 {
    t.gateway.truth().unwrap().charges.iter().map(|charge| charge.refunded_minor).sum()
}

/// The next call of an operation is hit.
fn break_once(t: &TestShop, fault: &str) {
    t.shop.world.faults.put(vec![fault.parse::<FaultRule>().unwrap()]);
}

fn rule(error: &Error) -> &str {
    error.rule.as_deref().unwrap_or(error.code.as_str())
}

/// Everything of an order leaves, and arrives if it should: as facts, not by the shop's own operations.
async fn ship(t: &TestShop, id: OrderId, is_delivered: bool) {
    let ctx = t.ctx(&t.admin);
    let tx = ctx.begin().await.unwrap();
    for line in orders::lines_of(&*tx, id).await.unwrap() {
        let units = line.quantity - line.cancelled_quantity;
        let mut row = line.into_active_model();
        row.shipped_quantity = Set(units);
        row.delivered_quantity = Set(if is_delivered { units } else { 0 });
        row.update(&*tx).await.unwrap();
    }
    orders::refresh(&*tx, &ctx, id).await.unwrap();
    tx.commit().await.unwrap();
}

/// The carrier lost the parcel.
async fn lose(t: &TestShop, id: OrderId) {
    let ctx = t.ctx(&t.admin);
    let tx = ctx.begin().await.unwrap();
    let order = order_rows::Entity::find_by_id(id).one(&*tx).await.unwrap().unwrap();
    let lines = orders::lines_of(&*tx, id).await.unwrap();
    let packed = lines.iter().map(|line| Line { line_id: line.id, quantity: line.quantity, amount_minor: 0 });
    let parcel = fulfillments::ActiveModel {
        id: Set(ctx.id(FulfillmentId::new)),
        order_id: Set(id),
        exchange_id: Set(None),
        location_id: Set(t.location),
        purpose: Set(shop_domain::fulfillments::FulfillmentPurpose::Order),
        status: Set(FulfillmentStatus::Exception),
        lines: Set(Lines(packed.collect())),
        carrier: Set(None),
        tracking_number: Set(None),
        label_minor: Set(None),
        destination: Set(order.shipping_address),
        exception_kind: Set(Some(shop_domain::fulfillments::DeliveryException::Lost)),
        exception_note: Set(None),
        shipped_at: Set(Some(ctx.now())),
        delivered_at: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    parcel.insert(&*tx).await.unwrap();
    orders::refresh(&*tx, &ctx, id).await.unwrap();
    tx.commit().await.unwrap();
}

/// One unit of the first line came back, in a return at this stage.
async fn send_back(t: &TestShop, id: OrderId, status: ReturnStatus) -> ReturnId {
    let ctx = t.ctx(&t.admin);
    let tx = ctx.begin().await.unwrap();
    let line = orders::lines_of(&*tx, id).await.unwrap().remove(0);
    let is_back = matches!(status, ReturnStatus::Received | ReturnStatus::Inspected);
    let is_judged = status == ReturnStatus::Inspected;
    let units = ReturnLine {
        line_id: line.id,
        quantity: 1,
        received: i64::from(is_back),
        accepted: i64::from(is_judged),
        restocked: 0,
        refunded: 0,
    };
    let row = returns::ActiveModel {
        id: Set(ctx.id(ReturnId::new)),
        order_id: Set(id),
        customer_id: Set(Some(t.ada.customer)),
        exchange_id: Set(None),
        status: Set(status),
        reason: Set(shop_domain::reasons::ReturnReason::WrongSize),
        note: Set(None),
        lines: Set(ReturnLines(vec![units])),
        refund_to: Set(RefundDestination::OriginalMethod),
        refund_method_id: Set(None),
        deadline_at: Set(None),
        label_tracking: Set(None),
        label_minor: Set(None),
        reject_reason: Set(None),
        approval_id: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let id = row.insert(&*tx).await.unwrap().id;
    let mut row: order_lines::ActiveModel = line.into_active_model();
    row.return_quantity = Set(1);
    row.received_quantity = Set(i64::from(is_back));
    row.update(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    id
}

fn units(line: &orders::Line, quantity: i64) -> Unshipped {
    Unshipped { lines: Some(vec![Units { line_id: line.id, quantity }]), ..Unshipped::default() }
}

/// Refunds units that have not shipped, as the store's lead.
async fn refund(t: &TestShop, order: &orders::View, input: Unshipped) -> Result<Batch> {
    Ok(unshipped(&t.at(&t.lead, order.version), order.id, input).await?.view)
}
