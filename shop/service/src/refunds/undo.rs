use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::ids::{OrderId, OrderLineId};
use shop_domain::operations::operation;
use shop_domain::reasons::RefundReason;
use shop_domain::status::{OrderStatus, RefundDestination, RefundKind, RefundStatus};
use shop_store::entities::refunds;

use super::books::Books;
use super::decide::decide;
use super::plan::{Part, Plan, To, units};
use super::send::{Begin, begin, finish};
use super::view::Batch;
use crate::error::Result;
use crate::{Ctx, Reply, orders};

/// Refunds of an order that were decided and did not go through: sending them again is safe.
pub(crate) async fn unpaid(conn: &impl ConnectionTrait, order_id: OrderId) -> Result<Vec<refunds::Model>> {
    let waiting = refunds::Entity::find()
        .filter(refunds::Column::OrderId.eq(order_id))
        .filter(refunds::Column::Status.is_in([RefundStatus::Pending, RefundStatus::Failed]));
    Ok(waiting.order_by_asc(refunds::Column::Id).all(conn).await?)
}

/// Everything that was taken for an order goes back to what paid, and the order is cancelled: for a purchase that is
/// taken back before it was done. Nobody has to agree to that, so no policy is asked.
///
/// # Errors
/// `outcome_unknown` when the gateway did not answer; the same key goes on from there.
pub(crate) async fn undo(ctx: &Ctx, order_id: OrderId) -> Result<Reply<Batch>> {
    let operation = operation("refund_unshipped_items");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    let books = Books::load(&*tx, ctx, order).await?;
    let all: Vec<(OrderLineId, i64)> = books
        .lines
        .iter()
        .map(|line| (line.id, books.unshipped_units(line)))
        .filter(|(_, units)| *units > 0)
        .collect();
    let mut parts = units(&books, &all)?;
    let spent: i64 = parts.iter().map(Part::minor).sum();
    parts.push(Part::Shipping { minor: books.shipping_left_minor().min(books.left_minor() - spent) });
    let plan = Plan {
        kind: RefundKind::Unshipped,
        reason: RefundReason::Cancelled.to_string(),
        to: To { destination: RefundDestination::OriginalMethod, gift_card_id: None },
        parts,
        is_overpaid: true,
        payment_id: None,
        return_id: None,
        approval_id: None,
    };
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    if books.order.status != OrderStatus::Cancelled {
        orders::stop(&*tx, ctx, &books.order, &plan.reason).await?;
    }
    finish(tx, ctx, order_id, batch_id).await
}
