use std::collections::HashMap;

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::Scope;
use shop_domain::ids::{LocationId, ReservationId, VariantId};
use shop_domain::operations::operation;
use shop_store::entities::{inventory_levels as levels, locations, reservations, variants};

use super::input::{Filter, LevelFilter, LocationFilter};
use super::stock::available;
use super::view::{Availability, Level, Location, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, catalog, stores};

/// Between the two ids of a level's cursor.
const CURSOR_SEPARATOR: char = '.';

/// How many units of a variant can be had now, and when one could leave.
///
/// # Errors
/// When the variant is out of sight.
pub async fn availability(ctx: &Ctx, id: VariantId) -> Result<Availability> {
    ctx.may(operation("get_variant_availability"))?;
    let conn = ctx.read()?;
    let (variant, product) = catalog::find_variant(ctx, conn, id).await?;
    let free = available(conn, &variant).await?;
    Ok(Availability::new(&variant, catalog::is_on_sale(&variant, &product), free, ctx.now()))
}

/// Stock per variant and location, by variant.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_levels(ctx: &Ctx, filter: LevelFilter, page: PageQuery) -> Result<Page<Level>> {
    ctx.may(operation("list_inventory_levels"))?;
    let limit = page.limit()?;
    let mut query = levels::Entity::find()
        .filter(levels::Column::LocationId.in_subquery(ids_in_sight(&ctx.principal.scope)));
    if let Some(variant) = filter.variant_id {
        query = query.filter(levels::Column::VariantId.eq(variant));
    }
    if let Some(location) = filter.location_id {
        query = query.filter(levels::Column::LocationId.eq(location));
    }
    if let Some(max) = filter.max_available {
        let free = Expr::col(levels::Column::OnHand).sub(Expr::col(levels::Column::Reserved));
        query = query.filter(free.lte(max));
    }
    if let Some(after) = page.after::<String>()? {
        let (variant, location) = level_cursor(&after)?;
        let later_here = levels::Column::VariantId.eq(variant).and(levels::Column::LocationId.gt(location));
        query = query.filter(levels::Column::VariantId.gt(variant).or(later_here));
    }
    let rows = query
        .order_by_asc(levels::Column::VariantId)
        .order_by_asc(levels::Column::LocationId)
        .limit(limit + 1)
        .all(ctx.read()?)
        .await?;
    let cursor = |row: &levels::Model| format!("{}{CURSOR_SEPARATOR}{}", row.variant_id, row.location_id);
    let page = Page::cut(rows, limit, cursor);
    let named = page.items.iter().map(|row| row.variant_id);
    let named = variants::Entity::find().filter(variants::Column::Id.is_in(named)).all(ctx.read()?).await?;
    let mut skus: HashMap<VariantId, String> = named.into_iter().map(|row| (row.id, row.sku)).collect();
    // A variant may lie at several locations of one page, so that its SKU is copied.
    Ok(page.map(|row| {
        let sku = skus.entry(row.variant_id).or_default().clone();
        Level::new(row, sku)
    }))
}

fn level_cursor(text: &str) -> Result<(VariantId, LocationId)> {
    let parse = || {
        let (variant, location) = text.split_once(CURSOR_SEPARATOR)?;
        Some((variant.parse().ok()?, location.parse().ok()?))
    };
    parse().ok_or_else(|| Error::invalid("/cursor", "this is no cursor of this list"))
}

/// Where stock lies, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_locations(ctx: &Ctx, filter: LocationFilter, page: PageQuery) -> Result<Page<Location>> {
    ctx.may(operation("list_locations"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let mut query = locations::Entity::find().filter(locations::Column::StoreId.in_subquery(own));
    if let Some(store) = filter.store_id {
        query = query.filter(locations::Column::StoreId.eq(store));
    }
    if let Some(after) = page.after::<LocationId>()? {
        query = query.filter(locations::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(locations::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Location::from))
}

/// Units that somebody holds or held, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_reservations(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_reservations"))?;
    let limit = page.limit()?;
    let mut query = reservations::Entity::find()
        .filter(reservations::Column::LocationId.in_subquery(ids_in_sight(&ctx.principal.scope)));
    if let Some(holder) = filter.holder {
        query = query.filter(reservations::Column::Holder.eq(holder));
    }
    if let Some(variant) = filter.variant_id {
        query = query.filter(reservations::Column::VariantId.eq(variant));
    }
    if let Some(status) = filter.status {
        query = query.filter(reservations::Column::Status.eq(status));
    }
    if let Some(before) = page.after::<ReservationId>()? {
        query = query.filter(reservations::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(reservations::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// The ids of the locations in sight.
fn ids_in_sight(scope: &Scope) -> SelectStatement {
    Query::select()
        .column(locations::Column::Id)
        .from(locations::Entity)
        .and_where(locations::Column::StoreId.in_subquery(stores::ids_in_sight(scope)))
        .to_owned()
}
