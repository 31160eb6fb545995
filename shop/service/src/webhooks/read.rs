use std::collections::HashMap;

use sea_orm::sea_query::{Expr, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::Scope;
use shop_domain::ids::{WebhookDeliveryId, WebhookEndpointId};
use shop_domain::operations::operation;
use shop_domain::status::DeliveryStatus;
use shop_store::entities::{webhook_deliveries as deliveries, webhook_endpoints as endpoints};

use super::input::{DeliveryFilter, Filter};
use super::view::{Delivery, View};
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::staff;

/// Endpoints in sight, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_webhook_endpoints"))?;
    let limit = page.limit()?;
    let mut query = endpoints::Entity::find()
        .filter(in_sight(&ctx.principal.scope))
        .filter(endpoints::Column::DeletedAt.is_null());
    if let Some(is_active) = filter.is_active {
        query = query.filter(endpoints::Column::IsActive.eq(is_active));
    }
    if let Some(after) = page.after::<WebhookEndpointId>()? {
        query = query.filter(endpoints::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(endpoints::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let waiting: Vec<(WebhookEndpointId, i64)> = deliveries::Entity::find()
        .filter(deliveries::Column::EndpointId.is_in(page.items.iter().map(|row| row.id)))
        .filter(deliveries::Column::Status.eq(DeliveryStatus::Pending))
        .select_only()
        .column(deliveries::Column::EndpointId)
        .column_as(deliveries::Column::Id.count(), "waiting")
        .group_by(deliveries::Column::EndpointId)
        .into_tuple()
        .all(ctx.read()?)
        .await?;
    let waiting: HashMap<_, _> = waiting.into_iter().collect();
    Ok(page.map(|row| {
        let waiting = waiting.get(&row.id).copied().unwrap_or(0);
        View::new(row, waiting)
    }))
}

/// Deliveries to endpoints in sight, newest first; those to endpoints that were deleted included.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_deliveries(ctx: &Ctx, filter: DeliveryFilter, page: PageQuery) -> Result<Page<Delivery>> {
    ctx.may(operation("list_webhook_deliveries"))?;
    let limit = page.limit()?;
    let mut query = deliveries::Entity::find()
        .filter(deliveries::Column::EndpointId.in_subquery(ids_in_sight(&ctx.principal.scope)));
    if let Some(endpoint) = filter.endpoint_id {
        query = query.filter(deliveries::Column::EndpointId.eq(endpoint));
    }
    if let Some(status) = filter.status {
        query = query.filter(deliveries::Column::Status.eq(status));
    }
    if let Some(event) = filter.event_id {
        query = query.filter(deliveries::Column::EventId.eq(event));
    }
    if let Some(before) = page.after::<i64>()? {
        query = query.filter(deliveries::Column::Seq.lt(before));
    }
    let rows = query.order_by_desc(deliveries::Column::Seq).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.seq.to_string()).map(Delivery::from))
}

/// One endpoint in sight that was not deleted.
pub(super) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: WebhookEndpointId,
) -> Result<endpoints::Model> {
    let missing = || Error::not_found(format!("webhook endpoint {id}"));
    let row = endpoints::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&staff::owner_of(row.brand_id, row.store_id), format!("webhook endpoint {id}"))?;
    if row.deleted_at.is_some() { Err(missing()) } else { Ok(row) }
}

/// One delivery to an endpoint in sight.
pub(super) async fn find_delivery(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: WebhookDeliveryId,
) -> Result<deliveries::Model> {
    let row = deliveries::Entity::find()
        .filter(deliveries::Column::Id.eq(id))
        .filter(deliveries::Column::EndpointId.in_subquery(ids_in_sight(&ctx.principal.scope)))
        .one(conn)
        .await?;
    row.ok_or_else(|| Error::not_found(format!("webhook delivery {id}")))
}

fn ids_in_sight(scope: &Scope) -> SelectStatement {
    Query::select()
        .column(endpoints::Column::Id)
        .from(endpoints::Entity)
        .and_where(in_sight(scope))
        .to_owned()
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => endpoints::Column::BrandId.eq(brand),
        Scope::Store(store) => endpoints::Column::StoreId.eq(store),
        Scope::Customer(_) => Expr::value(false),
    }
}
