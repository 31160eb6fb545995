use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{OrderId, OrderLineId, VariantId};
use shop_domain::operations::operation;

use super::read::{find, lines_of};
use crate::Ctx;
use crate::after_sales;
use crate::error::Result;
use crate::page::{Page, PageQuery};

/// Units of one line that can be sent back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReturnableItem {
    pub line_id: OrderLineId,
    pub variant_id: VariantId,
    #[schema(example = "Blue mug")]
    pub title: String,
    /// Units with the customer that are neither refunded nor in a return.
    #[schema(example = 1)]
    pub quantity: i64,
    /// Until when a return can be requested without staff.
    pub returnable_until: Option<DateTime<Utc>>,
}

/// Delivered lines inside the return window, in the order of the lines.
///
/// # Errors
/// When the order is out of sight, or the page is bad.
pub async fn returnable(ctx: &Ctx, id: OrderId, page: PageQuery) -> Result<Page<ReturnableItem>> {
    ctx.may(operation("list_returnable_items"))?;
    let conn = ctx.read()?;
    let order = find(ctx, conn, id).await?;
    let limit = page.limit()?;
    let after = page.after::<OrderLineId>()?;
    let window = after_sales::policy_of(conn, &order).await?.return_window_days;
    let facts = after_sales::facts(conn, ctx, &order).await?;
    let lines = lines_of(conn, id).await?;
    let last = after.and_then(|after| lines.iter().position(|line| line.id == after));
    let items =
        lines.iter().zip(&facts.lines).skip(last.map_or(0, |at| at + 1)).filter_map(|(line, facts)| {
            let quantity = i64::from(facts.delivered).min(line.quantity - line.refunded_quantity);
            let is_open = quantity > 0 && facts.days_since_delivery <= window && !is_over(&order);
            is_open.then(|| ReturnableItem {
                line_id: line.id,
                variant_id: line.variant_id,
                title: line.title.clone(),
                quantity,
                returnable_until: order.delivered_at.map(|at| at + TimeDelta::days(window)),
            })
        });
    Ok(Page::cut(items.collect(), limit, |item| item.line_id.to_string()))
}

fn is_over(order: &shop_store::entities::orders::Model) -> bool {
    order.cancelled_at.is_some()
}
