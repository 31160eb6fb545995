use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::after_sales::{LineFacts, OrderFacts};
use shop_domain::policy::Policy;
use shop_domain::status::{ExchangeStatus, OrderStatus, PaymentState, RefundStatus, ReturnStatus};
use shop_store::entities::{exchanges, order_lines, orders, refunds, returns, stores};

use crate::Ctx;
use crate::error::{Error, Result};
use crate::{fulfillments, orders as order_service, payments};

/// What the legality table looks at, read from rows.
pub(crate) async fn facts(
    conn: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
) -> Result<OrderFacts> {
    let payments = payments::of_order(conn, order.id).await?;
    let refunds = refunds::Entity::find().filter(refunds::Column::OrderId.eq(order.id)).all(conn).await?;
    let captured: i64 = payments.iter().map(|payment| payment.captured_minor).sum();
    let claimed: i64 = refunds
        .iter()
        .filter(|refund| refund.status.claims_its_amount() && refund.status != RefundStatus::Failed)
        .map(|refund| refund.amount_minor)
        .sum();
    let days = order.delivered_at.map_or(0, |at| (ctx.now() - at).num_days());
    let lines = order_service::lines_of(conn, order.id).await?;
    let lost = fulfillments::open_exceptions(conn, order.id, &lines).await?;
    Ok(OrderFacts {
        is_cancelled: order.status == OrderStatus::Cancelled,
        holds_money: payments.iter().any(|payment| payment.status == PaymentState::Authorized),
        has_captured: captured > 0,
        has_refundable: captured > claimed,
        was_edited: order.is_edited,
        has_after_sales: has_after_sales(conn, order).await?,
        lines: lines.iter().map(|line| line_facts(line, days, lost.contains(&line.id))).collect(),
    })
}

async fn has_after_sales(conn: &impl ConnectionTrait, order: &orders::Model) -> Result<bool> {
    let returned = returns::Entity::find()
        .filter(returns::Column::OrderId.eq(order.id))
        .filter(returns::Column::Status.is_not_in([ReturnStatus::Rejected, ReturnStatus::Cancelled]))
        .one(conn)
        .await?;
    let exchanged = exchanges::Entity::find()
        .filter(exchanges::Column::OrderId.eq(order.id))
        .filter(exchanges::Column::Status.ne(ExchangeStatus::Cancelled))
        .one(conn)
        .await?;
    Ok(returned.is_some() || exchanged.is_some())
}

/// One line's units by whereabouts. Units that were refunded and kept, or are on their way back, are in none.
#[must_use]
pub fn line_facts(line: &order_lines::Model, days_since_delivery: i64, has_exception: bool) -> LineFacts {
    let units = |n: i64| u32::try_from(n.max(0)).unwrap_or(0);
    let on_the_way_back = line.return_quantity.max(line.received_quantity);
    let received_unpaid = line.received_quantity.min(line.quantity - line.refunded_quantity);
    LineFacts {
        unshipped: units(line.quantity - line.cancelled_quantity - line.shipped_quantity),
        shipped: units(line.shipped_quantity - line.delivered_quantity),
        delivered: units(line.delivered_quantity - on_the_way_back),
        return_received: units(received_unpaid),
        days_since_delivery,
        has_exception,
    }
}

/// The policy of an order's store.
pub(crate) async fn policy_of(conn: &impl ConnectionTrait, order: &orders::Model) -> Result<Policy> {
    let store = stores::Entity::find_by_id(order.store_id).one(conn).await?;
    store.map(|store| store.policy).ok_or_else(|| Error::internal("an order without a store"))
}
