use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{EventId, OrderId};
use shop_domain::operations::operation;
use shop_store::entities::events;

use super::read::find;
use crate::Ctx;
use crate::error::Result;
use crate::page::{Page, PageQuery};

/// Something that happened to an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderTimelineEntry)]
pub struct TimelineEntry {
    pub id: EventId,
    /// What happened, as `noun.event`.
    #[schema(example = "order.placed")]
    pub kind: String,
    /// The id of what it happened to: the order, or one of its payments, refunds, parcels or returns.
    pub subject: String,
    /// The facts of it.
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
    pub at: DateTime<Utc>,
}

/// Every event of an order, oldest first.
///
/// # Errors
/// When the order is out of sight, or the page is bad.
pub async fn timeline(ctx: &Ctx, id: OrderId, page: PageQuery) -> Result<Page<TimelineEntry>> {
    ctx.may(operation("get_order_timeline"))?;
    find(ctx, ctx.read()?, id).await?;
    let limit = page.limit()?;
    let mut query = events::Entity::find().filter(events::Column::OrderId.eq(id));
    if let Some(after) = page.after::<i64>()? {
        query = query.filter(events::Column::Seq.gt(after));
    }
    let rows = query.order_by_asc(events::Column::Seq).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.seq.to_string()).map(|row| TimelineEntry {
        id: row.id,
        kind: row.kind,
        subject: row.subject,
        data: row.data,
        at: row.at,
    }))
}
