use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::exchanges::ExchangeEvent;
use shop_domain::status::ExchangeStatus;
use shop_store::entities::{exchanges, orders};

use super::read::{after, is_back, return_of};
use crate::error::Result;
use crate::{Ctx, events, ledger};

/// Completes the exchanges of an order whose new goods have left, whose old goods are back and whose difference is
/// neither due nor owed any more. Runs whenever goods or money of the order change.
pub(crate) async fn complete_settled(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
) -> Result<()> {
    let shipped = exchanges::Entity::find()
        .filter(exchanges::Column::OrderId.eq(order.id))
        .filter(exchanges::Column::Status.eq(ExchangeStatus::Shipped))
        .all(tx)
        .await?;
    if shipped.is_empty() {
        return Ok(());
    }
    let due = ledger::receivable(tx, order.id).await?;
    for row in shipped {
        let is_settled = match row.difference_minor {
            1.. => due <= 0,
            0 => true,
            ..0 => due >= 0,
        };
        if !is_settled || !is_back(&return_of(tx, &row).await?) {
            continue;
        }
        let (id, status, version) = (row.id, after(&row, ExchangeEvent::Completed)?, row.version + 1);
        let mut row = row.into_active_model();
        row.status = Set(status);
        row.updated_at = Set(ctx.now());
        row.version = Set(version);
        row.update(tx).await?;
        events::record(tx, ctx, "exchange.completed", id, Some(order.id), json!({})).await?;
    }
    Ok(())
}
