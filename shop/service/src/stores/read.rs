use sea_orm::sea_query::{Expr, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use shop_domain::governance::Scope;
use shop_domain::ids::{BrandId, StoreId};
use shop_domain::operations::operation;
use shop_store::entities::{brands, customers, stores};

use super::input::Filter;
use super::view::{Brand, View};
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// Brands, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_brands(ctx: &Ctx, page: PageQuery) -> Result<Page<Brand>> {
    ctx.may(operation("list_brands"))?;
    let limit = page.limit()?;
    let mut query = brands_in_sight(&ctx.principal.scope);
    if let Some(after) = page.after::<BrandId>()? {
        query = query.filter(brands::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(brands::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Brand::from))
}

/// The brand that was named, or the one that can only be meant.
pub(crate) async fn choose_brand(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    named: Option<BrandId>,
) -> Result<BrandId> {
    let mut query = brands_in_sight(&ctx.principal.scope);
    if let Some(id) = named {
        query = query.filter(brands::Column::Id.eq(id));
    }
    let mut rows = query.limit(2).all(conn).await?;
    match (rows.pop(), rows.pop(), named) {
        (Some(only), None, _) => Ok(only.id),
        (Some(_), Some(_), _) => Err(Error::invalid("/brand_id", "say which brand; list_brands names them")),
        (None, _, Some(id)) => Err(Error::not_found(format!("brand {id}"))),
        (None, _, None) => Err(Error::not_found("brand")),
    }
}

fn brands_in_sight(scope: &Scope) -> Select<brands::Entity> {
    let own = Query::select()
        .column(stores::Column::BrandId)
        .from(stores::Entity)
        .and_where(in_sight(scope))
        .to_owned();
    match scope {
        // A brand may be without a store.
        Scope::Tenant | Scope::Customer(_) => brands::Entity::find(),
        Scope::Brand(brand) => brands::Entity::find_by_id(*brand),
        Scope::Store(_) => brands::Entity::find().filter(brands::Column::Id.in_subquery(own)),
    }
}

/// Stores, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_stores"))?;
    let limit = page.limit()?;
    let mut query = stores::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Some(brand) = filter.brand_id {
        query = query.filter(stores::Column::BrandId.eq(brand));
    }
    if let Some(after) = page.after::<StoreId>()? {
        query = query.filter(stores::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(stores::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One store in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: StoreId) -> Result<stores::Model> {
    let row = stores::Entity::find_by_id(id).filter(in_sight(&ctx.principal.scope)).one(conn).await?;
    row.ok_or_else(|| Error::not_found(format!("store {id}")))
}

/// The store that was named, or the one that can only be meant.
pub(crate) async fn choose(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    named: Option<StoreId>,
) -> Result<stores::Model> {
    if let Some(id) = named {
        return find(ctx, conn, id).await;
    }
    let mut query = stores::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Scope::Customer(customer) = ctx.principal.scope {
        let home = Query::select()
            .column(customers::Column::StoreId)
            .from(customers::Entity)
            .and_where(customers::Column::Id.eq(customer))
            .to_owned();
        query = query.filter(stores::Column::Id.in_subquery(home));
    }
    let mut rows = query.limit(2).all(conn).await?;
    match (rows.pop(), rows.pop()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => Err(Error::invalid("/store_id", "say which store; list_stores names them")),
        (None, _) => Err(Error::not_found("store")),
    }
}

/// The ids of the stores in sight, for lists of what belongs to a store.
pub(crate) fn ids_in_sight(scope: &Scope) -> SelectStatement {
    Query::select().column(stores::Column::Id).from(stores::Entity).and_where(in_sight(scope)).to_owned()
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant | Scope::Customer(_) => Expr::value(true),
        Scope::Brand(brand) => stores::Column::BrandId.eq(brand),
        Scope::Store(store) => stores::Column::Id.eq(store),
    }
}
