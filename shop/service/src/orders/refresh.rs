use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use shop_domain::ids::OrderId;
use shop_domain::orders::{
    OrderEvent, OrderGoods, OrderMoney, PaymentMoney, order_fulfillment_status, order_payment_status,
};
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus, RefundStatus};
use shop_store::entities::{order_lines, orders, refunds};

use super::read::lines_of;
use crate::error::{Error, Result};
use crate::{Ctx, exchanges, fulfillments, payments};

/// Derives an order's statuses from its payments, refunds and parcels, after any of them changed.
pub(crate) async fn refresh(tx: &impl ConnectionTrait, ctx: &Ctx, id: OrderId) -> Result<orders::Model> {
    let order = orders::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::internal("an order has vanished"))?;
    let payment_status = money(tx, &order).await?;
    let lines = lines_of(tx, id).await?;
    let fulfillment_status = goods(tx, id, &lines).await?;
    let status = commercial(order.status, payment_status, fulfillment_status);
    let delivered_now =
        fulfillment_status == OrderFulfillmentStatus::Delivered && order.delivered_at.is_none();
    let version = order.version + 1;
    let mut row = order.into_active_model();
    row.status = Set(status);
    row.payment_status = Set(payment_status);
    row.fulfillment_status = Set(fulfillment_status);
    if delivered_now {
        row.delivered_at = Set(fulfillments::last_arrival(tx, id).await?.or_else(|| Some(ctx.now())));
    }
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let order = row.update(tx).await?;
    exchanges::complete_settled(tx, ctx, &order).await?;
    Ok(order)
}

async fn money(tx: &impl ConnectionTrait, order: &orders::Model) -> Result<OrderPaymentStatus> {
    let payments = payments::of_order(tx, order.id).await?;
    let refunds = refunds::Entity::find().filter(refunds::Column::OrderId.eq(order.id)).all(tx).await?;
    let succeeded = refunds.iter().filter(|refund| refund.status == RefundStatus::Succeeded);
    Ok(order_payment_status(&OrderMoney {
        total_minor: order.total_minor,
        payments: payments
            .iter()
            .map(|payment| PaymentMoney { state: payment.status, captured_minor: payment.captured_minor })
            .collect(),
        refunded_minor: succeeded.map(|refund| refund.amount_minor).sum(),
        has_unknown_refund: refunds.iter().any(|refund| refund.status == RefundStatus::Unknown),
    }))
}

async fn goods(
    tx: &impl ConnectionTrait,
    id: OrderId,
    lines: &[order_lines::Model],
) -> Result<OrderFulfillmentStatus> {
    let lost = fulfillments::open_exceptions(tx, id, lines).await?;
    let sum = |units: fn(&order_lines::Model) -> i64| {
        u32::try_from(lines.iter().map(units).sum::<i64>()).unwrap_or(0)
    };
    Ok(order_fulfillment_status(&OrderGoods {
        units: sum(|line| line.quantity - line.cancelled_quantity),
        shipped: sum(|line| line.shipped_quantity),
        delivered: sum(|line| line.delivered_quantity),
        returned: sum(|line| line.received_quantity),
        has_open_exception: !lost.is_empty(),
    }))
}

/// Secured money confirms an order; paid and delivered completes it.
fn commercial(status: OrderStatus, money: OrderPaymentStatus, goods: OrderFulfillmentStatus) -> OrderStatus {
    let is_secured = matches!(money, OrderPaymentStatus::Authorized | OrderPaymentStatus::Paid);
    let is_done = money == OrderPaymentStatus::Paid && goods == OrderFulfillmentStatus::Delivered;
    let event = match status {
        OrderStatus::Pending if is_secured => OrderEvent::Confirmed,
        OrderStatus::Confirmed if is_done => OrderEvent::Completed,
        OrderStatus::Draft
        | OrderStatus::Pending
        | OrderStatus::Confirmed
        | OrderStatus::OnHold
        | OrderStatus::Completed
        | OrderStatus::Cancelled => return status,
    };
    status.after(event).unwrap_or(status)
}
