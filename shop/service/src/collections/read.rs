use sea_orm::sea_query::{ExprTrait as _, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::collections::{ProductFacts, Rule};
use shop_domain::ids::{BrandId, CollectionId, ProductId};
use shop_domain::operations::operation;
use shop_store::entities::{collections, products, variants};

use super::input::Filter;
use super::view::View;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, catalog, prices, stores};

/// Collections, oldest first, with what is in them now.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_collections"))?;
    let conn = ctx.read()?;
    let limit = page.limit()?;
    let mut query = collections::Entity::find();
    if let Some(brand) = filter.brand_id {
        query = query.filter(collections::Column::BrandId.eq(brand));
    }
    if let Some(after) = page.after::<CollectionId>()? {
        query = query.filter(collections::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(collections::Column::Id).limit(limit + 1).all(conn).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let mut items = Vec::with_capacity(page.items.len());
    for row in page.items {
        items.push(view(ctx, conn, row).await?);
    }
    Ok(Page { items, has_more: page.has_more, next_cursor: page.next_cursor })
}

/// A collection with the products in it that the caller can see.
pub(super) async fn view(ctx: &Ctx, conn: &impl ConnectionTrait, row: collections::Model) -> Result<View> {
    let seen = catalog::in_sight(ctx).and(products::Column::BrandId.eq(row.brand_id));
    let members = members(conn, &row, seen).await?;
    Ok(View::new(row, members))
}

/// What is in a collection now; nothing where there is none.
pub(crate) async fn members_of(conn: &impl ConnectionTrait, id: CollectionId) -> Result<Vec<ProductId>> {
    let Some(row) = collections::Entity::find_by_id(id).one(conn).await? else { return Ok(Vec::new()) };
    let of_brand = products::Column::BrandId.eq(row.brand_id);
    members(conn, &row, of_brand).await
}

/// Which of some products are in a collection now.
pub(crate) async fn members_among(
    conn: &impl ConnectionTrait,
    id: CollectionId,
    some: &[ProductId],
) -> Result<Vec<ProductId>> {
    let Some(row) = collections::Entity::find_by_id(id).one(conn).await? else { return Ok(Vec::new()) };
    let these = products::Column::BrandId.eq(row.brand_id).and(products::Column::Id.is_in(some.to_vec()));
    members(conn, &row, these).await
}

/// The members among the products that fulfil a condition: as they were picked, or oldest first.
async fn members(
    conn: &impl ConnectionTrait,
    row: &collections::Model,
    among: SimpleExpr,
) -> Result<Vec<ProductId>> {
    let mut query = products::Entity::find().filter(among);
    if row.rule.is_none() {
        query = query.filter(products::Column::Id.is_in(row.product_ids.0.clone()));
    }
    let found = query.order_by_asc(products::Column::Id).all(conn).await?;
    match &row.rule {
        Some(rule) => taken(conn, rule, found).await,
        None => {
            let is_found = |id: &&ProductId| found.iter().any(|product| product.id == **id);
            Ok(row.product_ids.0.iter().filter(is_found).copied().collect())
        }
    }
}

/// The products that a rule takes.
async fn taken(
    conn: &impl ConnectionTrait,
    rule: &Rule,
    found: Vec<products::Model>,
) -> Result<Vec<ProductId>> {
    let all = variants::Entity::find()
        .filter(variants::Column::ProductId.is_in(found.iter().map(|product| product.id)))
        .all(conn)
        .await?;
    let is_taken = |product: &products::Model| {
        let own = all.iter().filter(|variant| variant.product_id == product.id);
        let prices = own.flat_map(prices::base_prices).map(|(currency, price)| (currency, price.price_minor));
        let facts =
            ProductFacts { category: &product.category, title: &product.title, prices: prices.collect() };
        rule.takes(&facts)
    };
    Ok(found.iter().filter(|product| is_taken(product)).map(|product| product.id).collect())
}

/// One collection of a brand, for who may use it.
pub(crate) async fn find_own(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: CollectionId,
) -> Result<collections::Model> {
    let missing = || Error::not_found(format!("collection {id}"));
    let row = collections::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let brand: Result<BrandId> = stores::choose_brand(ctx, conn, Some(row.brand_id)).await;
    brand.map_err(|_| missing())?;
    Ok(row)
}
