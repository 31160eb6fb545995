//! The after-sales desk over a real shop and a real gateway: what is asked for is what happens, once, and rows and
//! books say so.

mod approvals;
mod delivered;
mod lost;
mod money;
mod outcomes;
mod refusals;
mod search;
mod tau2;
mod unshipped;

use mcp_actions_engine::View;
use serde_json::{Value, json};
use shop_domain::ids::{OrderId, VariantId};
use shop_domain::status::{RefundStatus, ReturnStatus};
use shop_service::{orders, refunds, returns};

use crate::caller::Caller;
use crate::entities::whole_page;
use crate::testing::{Desk, agent_of, summary};

/// Software that acts for the support lead.
async fn leads(desk: &Desk) -> Caller {
    agent_of(&desk.shop, &desk.shop.lead).await
}

/// An order of Ada's whose money is held on her card and not taken.
async fn held(desk: &Desk, lines: &[(VariantId, i64)]) -> orders::View {
    desk.authorized(lines, desk.shop.ada.card).await
}

/// The refunds of an order, as amount and status.
async fn refunds_of(desk: &Desk, order: OrderId) -> Vec<(i64, RefundStatus)> {
    let filter = refunds::Filter { order_id: Some(order), ..refunds::Filter::default() };
    let rows = refunds::list(&desk.shop.ctx(&desk.shop.admin), filter, whole_page()).await.unwrap().items;
    rows.into_iter().map(|row| (row.amount_minor, row.status)).collect()
}

async fn returns_of(desk: &Desk, order: OrderId) -> Vec<returns::View> {
    let filter = returns::Filter { order_id: Some(order), ..returns::Filter::default() };
    returns::list(&desk.shop.ctx(&desk.shop.admin), filter, whole_page()).await.unwrap().items
}

/// The goods of the order's one return are back at the warehouse.
async fn goods_are_back(desk: &Desk, order: OrderId) -> returns::View {
    let t = &desk.shop;
    let row = returns_of(desk, order).await.pop().unwrap();
    let row = if row.status == ReturnStatus::Requested {
        returns::approve(&t.at(&t.lead, row.version), row.id, returns::Approve::default()).await.unwrap().view
    } else {
        row
    };
    returns::receive(&t.at(&t.lead, row.version), row.id, returns::Receive::default()).await.unwrap().view
}

/// What the action was decided to be.
fn resolution(view: &View) -> &str {
    summary(view, "resolution").as_str().unwrap_or_default()
}

fn items(words: &str, quantity: i64) -> Value {
    json!([{ "id": words, "quantity": quantity }])
}
