//! Payments, refunds, returns and exchanges: each with the order it belongs to.

use std::str::FromStr;

use mcp_actions_engine::Failure;
use mcp_actions_engine::parts::{Map, NextAction, Tool};
use serde_json::json;
use shop_domain::ids::OrderId;
use shop_service::{exchanges, payments, refunds, returns};

use super::goods::whole;
use super::{no_such, whole_page};
use crate::caller::Caller;
use crate::failure::failure;
use crate::wire::block;

/// One payment, with every call to the gateway that was made for it.
pub(super) async fn payment(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let ctx = caller.ctx();
    let id = parse("payment", reference)?;
    let payment = payments::get(&ctx, id).await.map_err(failure)?;
    let attempts = payments::list_attempts(&ctx, id, whole_page()).await.map_err(failure)?.items;
    let calls: Vec<_> = attempts
        .iter()
        .map(|call| json!({ "kind": call.kind, "amount": call.amount_minor, "outcome": call.outcome, "at": call.created_at }))
        .collect();
    let next = [look_at(payment.order_id)];
    Ok(whole(caller, "Payment", block(&payment), json!({ "calls": calls }), &next))
}

pub(super) async fn refund(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let refund = refunds::get(&caller.ctx(), parse("refund", reference)?).await.map_err(failure)?;
    Ok(whole(caller, "Refund", block(&refund), json!({}), &[look_at(refund.order_id)]))
}

pub(super) async fn returned(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let row = returns::get(&caller.ctx(), parse("return", reference)?).await.map_err(failure)?;
    Ok(whole(caller, "Return", block(&row), json!({}), &[look_at(row.order_id)]))
}

pub(super) async fn exchange(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let row = exchanges::get(&caller.ctx(), parse("exchange", reference)?).await.map_err(failure)?;
    Ok(whole(caller, "Exchange", block(&row), json!({}), &[look_at(row.order_id)]))
}

fn parse<T: FromStr>(kind: &str, reference: &str) -> Result<T, Failure> {
    reference.trim().parse().map_err(|_| no_such(kind, reference))
}

/// What can be done is said by the order.
fn look_at(order: OrderId) -> NextAction {
    NextAction::new(Tool::GetContext, "See the order it belongs to, and what can be done about it")
        .with("entity", "Order")
        .with("ref", order.to_string())
}
