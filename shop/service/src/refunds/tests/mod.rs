//! Refunds against the real gateway: what went back, what the books say, and that it happened once.

mod gateway;
mod kinds;
mod limits;

use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, Set};
use shop_domain::fulfillments::DeliveryException;
use shop_domain::ids::{OrderId, ReturnId};
use shop_domain::ledger::Account;
use shop_domain::reasons::ReturnReason;
use shop_domain::returns::ReturnGrade;
use shop_domain::status::{RefundDestination, ReturnStatus};
use shop_store::entities::{ledger_entries, orders as order_rows};
use shop_world::FaultRule;

use super::*;
use crate::error::{Error, Result};
use crate::testing::TestShop;
use crate::{LineUnits, fulfillments, orders, returns};

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

/// The carrier lost the parcel.
async fn lose(t: &TestShop, parcel: fulfillments::View) {
    let lost = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
    let ctx = t.at(&t.lead, parcel.version);
    fulfillments::report_exception(&ctx, parcel.id, lost).await.unwrap();
}

/// Ada wants to send one unit of the first line back.
async fn send_back(t: &TestShop, order: &orders::View) -> returns::View {
    let input = returns::Request {
        lines: Some(vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }]),
        reason: ReturnReason::WrongSize,
        note: None,
        refund_to: None,
        refund_method_id: None,
        approval_id: None,
    };
    returns::request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view
}

/// It came back, and is as good as new.
async fn accept(t: &TestShop, id: ReturnId) -> returns::View {
    returns::receive(&t.ctx(&t.lead), id, returns::Receive::default()).await.unwrap();
    let row = returns::get(&t.ctx(&t.lead), id).await.unwrap();
    let grade = returns::Grade { line_id: row.lines[0].line_id, quantity: 1, grade: ReturnGrade::Restock };
    let input = returns::Inspect { grades: vec![grade], location_id: None };
    returns::inspect(&t.ctx(&t.lead), id, input).await.unwrap().view
}

fn units(line: &orders::Line, quantity: i64) -> Unshipped {
    Unshipped { lines: Some(vec![LineUnits { line_id: line.id, quantity }]), ..Unshipped::default() }
}

/// Refunds units that have not shipped, as the store's lead.
async fn refund(t: &TestShop, order: &orders::View, input: Unshipped) -> Result<Batch> {
    Ok(unshipped(&t.at(&t.lead, order.version), order.id, input).await?.view)
}
