use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::status::{OrderStatus, PaymentLinkStatus, PaymentState};
use shop_store::entities::{orders, payment_links, payments as payment_rows};

use crate::error::Result;
use crate::payments;

/// What can be paid for an order: all of a draft, else what is due by the books. The link's own payment makes room.
pub(super) async fn due(
    conn: &impl ConnectionTrait,
    order: &orders::Model,
    link: Option<&payment_links::Model>,
) -> Result<i64> {
    match order.status {
        OrderStatus::Draft => Ok(order.total_minor),
        OrderStatus::Cancelled => Ok(0),
        OrderStatus::Pending | OrderStatus::Confirmed | OrderStatus::OnHold | OrderStatus::Completed => {
            payments::due(conn, order, link.and_then(|link| link.payment_id)).await
        }
    }
}

/// The payment that was begun on the link's page.
pub(super) async fn payment_of(
    conn: &impl ConnectionTrait,
    link: &payment_links::Model,
) -> Result<Option<payment_rows::Model>> {
    match link.payment_id {
        Some(id) => Ok(payment_rows::Entity::find_by_id(id).one(conn).await?),
        None => Ok(None),
    }
}

/// Where a link stands, by its payment, its order and the clock.
pub(super) async fn status(
    conn: &impl ConnectionTrait,
    link: &payment_links::Model,
    order: &orders::Model,
    now: DateTime<Utc>,
) -> Result<PaymentLinkStatus> {
    let payment = payment_of(conn, link).await?;
    if payment.is_some_and(|payment| payment.status == PaymentState::Captured) {
        return Ok(PaymentLinkStatus::Paid);
    }
    if due(conn, order, Some(link)).await? < link.amount_minor {
        return Ok(PaymentLinkStatus::Void);
    }
    Ok(if link.expires_at <= now { PaymentLinkStatus::Expired } else { PaymentLinkStatus::Open })
}
