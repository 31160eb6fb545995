use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Role, Scope};
use shop_domain::ids::{ProductId, StoreId};
use shop_domain::operations::operation;
use shop_domain::status::ProductStatus;
use shop_store::entities::{product_media, products, stores, variants};

use super::input::Filter;
use super::view::{Media, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, collections};

/// Products, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_products"))?;
    let limit = page.limit()?;
    let mut query = products::Entity::find().filter(in_sight(ctx));
    if let Some(status) = filter.status {
        query = query.filter(products::Column::Status.eq(status));
    }
    if let Some(category) = filter.category {
        query = query.filter(products::Column::Category.eq(category));
    }
    if let Some(brand) = filter.brand_id {
        query = query.filter(products::Column::BrandId.eq(brand));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(sold_in(store));
    }
    if let Some(collection) = filter.collection_id {
        let members = collections::members_of(ctx.read()?, collection).await?;
        query = query.filter(products::Column::Id.is_in(members));
    }
    if let Some(after) = page.after::<ProductId>()? {
        query = query.filter(products::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(products::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let items = views(ctx.read()?, page.items).await?;
    Ok(Page { items, has_more: page.has_more, next_cursor: page.next_cursor })
}

/// One product.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: ProductId) -> Result<View> {
    ctx.may(operation("get_product"))?;
    let row = find(ctx, ctx.read()?, id).await?;
    view(ctx.read()?, row).await
}

/// One product in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: ProductId) -> Result<products::Model> {
    let row = products::Entity::find_by_id(id).filter(in_sight(ctx)).one(conn).await?;
    row.ok_or_else(|| Error::not_found(format!("product {id}")))
}

/// What is published is public; the rest is seen by the staff of its brand.
pub(crate) fn in_sight(ctx: &Ctx) -> SimpleExpr {
    let published = products::Column::Status.eq(ProductStatus::Published);
    if ctx.principal.role == Role::Shopper {
        return published;
    }
    published.or(own(&ctx.principal.scope))
}

/// The products that somebody may change: those of their brand.
fn own(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => products::Column::BrandId.eq(brand),
        Scope::Store(store) => products::Column::BrandId.in_subquery(brand_of(store)),
        Scope::Customer(_) => Expr::value(false),
    }
}

/// The brand of a store.
fn brand_of(store: StoreId) -> SelectStatement {
    Query::select()
        .column(stores::Column::BrandId)
        .from(stores::Entity)
        .and_where(stores::Column::Id.eq(store))
        .to_owned()
}

/// Whether a store sells the product while it is published. The stores of a product are one JSON array of ids.
pub(super) fn sold_in(store: StoreId) -> SimpleExpr {
    Expr::col(products::Column::StoreIds).cast_as("TEXT").like(format!("%\"{store}\"%"))
}

/// One product that the caller may change.
pub(super) async fn find_own(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: ProductId,
) -> Result<products::Model> {
    let row = products::Entity::find_by_id(id).filter(own(&ctx.principal.scope)).one(conn).await?;
    row.ok_or_else(|| Error::not_found(format!("product {id}")))
}

/// One product with what its variants and media say about it.
pub(super) async fn view(conn: &impl ConnectionTrait, row: products::Model) -> Result<View> {
    let mut all = views(conn, vec![row]).await?;
    all.pop().ok_or_else(|| Error::internal("a product has vanished"))
}

/// Products with what their variants and media say about them.
pub(super) async fn views(conn: &impl ConnectionTrait, rows: Vec<products::Model>) -> Result<Vec<View>> {
    let ids: Vec<ProductId> = rows.iter().map(|row| row.id).collect();
    let mut media = product_media::Entity::find()
        .filter(product_media::Column::ProductId.is_in(ids.clone()))
        .order_by_asc(product_media::Column::Position)
        .all(conn)
        .await?;
    let mut all = variants::Entity::find()
        .filter(variants::Column::ProductId.is_in(ids))
        .order_by_asc(variants::Column::Position)
        .all(conn)
        .await?;
    let view = |row: products::Model| {
        let own: Vec<_> = all.extract_if(.., |variant| variant.product_id == row.id).collect();
        let files = media.extract_if(.., |file| file.product_id == row.id).map(Media::from).collect();
        View::new(row, &own, files)
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Whether a variant is sold at all, whatever its stock.
pub(crate) fn is_on_sale(variant: &variants::Model, product: &products::Model) -> bool {
    variant.is_sellable && product.status == ProductStatus::Published
}
