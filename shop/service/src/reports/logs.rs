use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::operations::operation;
use shop_store::entities::{audit_log, events as event_rows};

use super::sight::{audit_in_sight, events_in_sight};
use super::view::{AuditEntry, AuditFilter, Event, EventFilter};
use crate::Ctx;
use crate::error::Result;
use crate::page::{Page, PageQuery};

/// The event log of what is in sight, oldest first: poll it with the cursor.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn events(ctx: &Ctx, filter: EventFilter, page: PageQuery) -> Result<Page<Event>> {
    ctx.may(operation("list_events"))?;
    let limit = page.limit()?;
    let mut query = event_rows::Entity::find().filter(events_in_sight(&ctx.principal.scope));
    if let Some(kind) = filter.kind {
        query = query.filter(event_rows::Column::Kind.eq(kind));
    }
    if let Some(order) = filter.order_id {
        query = query.filter(event_rows::Column::OrderId.eq(order));
    }
    if let Some(after) = page.after::<i64>()? {
        query = query.filter(event_rows::Column::Seq.gt(after));
    }
    let rows = query.order_by_asc(event_rows::Column::Seq).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.seq.to_string()).map(Event::from))
}

/// The audit log of what is in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn audit(ctx: &Ctx, filter: AuditFilter, page: PageQuery) -> Result<Page<AuditEntry>> {
    ctx.may(operation("list_audit_log"))?;
    let limit = page.limit()?;
    let mut query = audit_log::Entity::find().filter(audit_in_sight(&ctx.principal.scope));
    if let Some(principal) = filter.principal_id {
        query = query.filter(audit_log::Column::PrincipalId.eq(principal));
    }
    if let Some(name) = filter.operation {
        query = query.filter(audit_log::Column::Operation.eq(name));
    }
    if let Some(outcome) = filter.outcome {
        query = query.filter(audit_log::Column::Outcome.eq(outcome));
    }
    if let Some(before) = page.after::<i64>()? {
        query = query.filter(audit_log::Column::Seq.lt(before));
    }
    let rows = query.order_by_desc(audit_log::Column::Seq).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.seq.to_string()).map(AuditEntry::from))
}

#[cfg(test)]
mod tests;
