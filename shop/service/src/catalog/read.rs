use std::collections::BTreeMap;

use sea_orm::sea_query::{Expr, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::Role;
use shop_domain::ids::{ProductId, StoreId};
use shop_domain::operations::operation;
use shop_domain::status::ProductStatus;
use shop_store::entities::{products, stores, variants};

use super::input::Filter;
use super::view::{Category, View};
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// What stands between the parts of a category's path.
const PATH_SEPARATOR: char = '/';

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
        query = query.filter(products::Column::BrandId.in_subquery(brand_of(store)));
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
    let own = variants::Entity::find().filter(variants::Column::ProductId.eq(id));
    let own = own.order_by_asc(variants::Column::Position).all(ctx.read()?).await?;
    Ok(View::new(row, &own))
}

/// The category tree, by path.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_categories(ctx: &Ctx, page: PageQuery) -> Result<Page<Category>> {
    ctx.may(operation("list_categories"))?;
    let limit = page.limit()?;
    let counted: Vec<(String, i64)> = products::Entity::find()
        .filter(in_sight(ctx))
        .select_only()
        .column(products::Column::Category)
        .column_as(products::Column::Id.count(), "products")
        .group_by(products::Column::Category)
        .into_tuple()
        .all(ctx.read()?)
        .await?;
    let mut tree: BTreeMap<String, i64> = BTreeMap::new();
    for (path, count) in counted {
        // A category without products of its own is there because of those below it.
        let mut rest = path.as_str();
        while let Some((parent, _)) = rest.rsplit_once(PATH_SEPARATOR) {
            tree.entry(parent.to_owned()).or_default();
            rest = parent;
        }
        *tree.entry(path).or_default() += count;
    }
    let after = page.after::<String>()?;
    let entries = tree
        .into_iter()
        .filter(|(path, _)| after.as_ref().is_none_or(|after| path > after))
        .map(|(path, count)| category(path, count))
        .collect();
    Ok(Page::cut(entries, limit, |entry: &Category| entry.path.clone()))
}

fn category(path: String, product_count: i64) -> Category {
    let (parent, name) = match path.rsplit_once(PATH_SEPARATOR) {
        Some((parent, name)) => (Some(parent.to_owned()), name.to_owned()),
        None => (None, path.clone()),
    };
    Category { path, name, parent, product_count }
}

/// One product in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: ProductId) -> Result<products::Model> {
    let row = products::Entity::find_by_id(id).filter(in_sight(ctx)).one(conn).await?;
    row.ok_or_else(|| Error::not_found(format!("product {id}")))
}

/// Shoppers see what is published.
pub(super) fn in_sight(ctx: &Ctx) -> SimpleExpr {
    if ctx.principal.role == Role::Shopper {
        return products::Column::Status.eq(ProductStatus::Published);
    }
    Expr::value(true)
}

/// The brand of a store, whose products it sells.
pub(super) fn brand_of(store: StoreId) -> SelectStatement {
    Query::select()
        .column(stores::Column::BrandId)
        .from(stores::Entity)
        .and_where(stores::Column::Id.eq(store))
        .to_owned()
}

/// Products with what their variants say about them.
pub(super) async fn views(conn: &impl ConnectionTrait, rows: Vec<products::Model>) -> Result<Vec<View>> {
    let ids = rows.iter().map(|row| row.id);
    let mut all = variants::Entity::find()
        .filter(variants::Column::ProductId.is_in(ids))
        .order_by_asc(variants::Column::Position)
        .all(conn)
        .await?;
    let view = |row: products::Model| {
        let own: Vec<_> = all.extract_if(.., |variant| variant.product_id == row.id).collect();
        View::new(row, &own)
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Whether a variant is sold at all, whatever its stock.
pub(crate) fn is_on_sale(variant: &variants::Model, product: &products::Model) -> bool {
    variant.is_sellable && product.status == ProductStatus::Published
}
