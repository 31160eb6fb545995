use sea_orm::sea_query::{Expr, ExprTrait, Func, LikeExpr, Query, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_store::entities::{inventory_levels as levels, products, variants};

use super::input::Search;
use super::read::{in_sight, sold_in, views};
use super::view::{CategoryCount, Facets, PriceRange, SearchResults};
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// Searches products by words, price and availability; by title.
///
/// # Errors
/// When the search or the page is bad.
pub async fn search(ctx: &Ctx, input: Search, page: PageQuery) -> Result<SearchResults> {
    ctx.may(operation("search_products"))?;
    let conn = ctx.read()?;
    let limit = page.limit()?;
    let found = matching(ctx, &input)?;
    let mut query = found.clone();
    if let Some(after) = page.after::<shop_domain::ids::ProductId>()? {
        let last = products::Entity::find_by_id(after).one(conn).await?;
        let last = last.ok_or_else(|| Error::invalid("/cursor", "this is no cursor of this list"))?;
        let (title, id) = (products::Column::Title, products::Column::Id);
        query = query.filter(title.gt(&last.title).or(title.eq(&last.title).and(id.gt(after))));
    }
    let rows = query
        .order_by_asc(products::Column::Title)
        .order_by_asc(products::Column::Id)
        .limit(limit + 1)
        .all(conn)
        .await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let facets = facets(ctx, &found).await?;
    let items = views(conn, page.items).await?;
    Ok(SearchResults { items, has_more: page.has_more, next_cursor: page.next_cursor, facets })
}

fn matching(ctx: &Ctx, input: &Search) -> Result<Select<products::Entity>> {
    let mut query = products::Entity::find().filter(in_sight(ctx));
    let words = input.q.as_deref().unwrap_or_default();
    if words.len() > limits::QUERY_CHARS_MAX {
        return Err(Error::invalid(
            "/q",
            format!("a query has at most {} characters", limits::QUERY_CHARS_MAX),
        ));
    }
    for word in words.split_whitespace() {
        query = query.filter(mentions(word));
    }
    if let Some(category) = &input.category {
        query = query.filter(products::Column::Category.eq(category));
    }
    if let Some(store) = input.store_id {
        query = query.filter(sold_in(store));
    }
    if input.min_price_minor.is_some() || input.max_price_minor.is_some() {
        let mut priced = Condition::all();
        if let Some(min) = input.min_price_minor {
            priced = priced.add(variants::Column::PriceMinor.gte(min));
        }
        if let Some(max) = input.max_price_minor {
            priced = priced.add(variants::Column::PriceMinor.lte(max));
        }
        query = query.filter(products::Column::Id.in_subquery(products_with(priced)));
    }
    query = match input.is_available {
        Some(true) => {
            query.filter(products::Column::Id.in_subquery(can_be_bought(variants::Column::ProductId)))
        }
        Some(false) => {
            query.filter(products::Column::Id.not_in_subquery(can_be_bought(variants::Column::ProductId)))
        }
        None => query,
    };
    Ok(query)
}

/// Whether a word occurs in what a product or one of its variants says about itself.
fn mentions(word: &str) -> Condition {
    let escaped = word.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let has = |column: SimpleExpr| {
        SimpleExpr::from(Func::lower(column)).like(LikeExpr::new(format!("%{escaped}%")).escape('\\'))
    };
    let in_variant = Condition::any()
        .add(has(Expr::col((variants::Entity, variants::Column::Title))))
        .add(has(Expr::col((variants::Entity, variants::Column::Sku))));
    Condition::any()
        .add(has(Expr::col((products::Entity, products::Column::Title))))
        .add(has(Expr::col((products::Entity, products::Column::Description))))
        .add(has(Expr::col((products::Entity, products::Column::Category))))
        .add(products::Column::Id.in_subquery(products_with(in_variant)))
}

/// The products of which a variant fulfils a condition.
fn products_with(condition: Condition) -> SelectStatement {
    Query::select()
        .column(variants::Column::ProductId)
        .from(variants::Entity)
        .cond_where(condition)
        .to_owned()
}

/// A column of the variants that are on sale and in stock.
pub(super) fn can_be_bought(column: variants::Column) -> SelectStatement {
    let free = Expr::col(levels::Column::OnHand).sub(Expr::col(levels::Column::Reserved));
    let in_stock = Query::select()
        .column(levels::Column::VariantId)
        .from(levels::Entity)
        .and_where(free.gt(0))
        .to_owned();
    let stocked = Condition::any()
        .add(variants::Column::IsTracked.eq(false))
        .add(variants::Column::Id.in_subquery(in_stock));
    Query::select()
        .column(column)
        .from(variants::Entity)
        .and_where(variants::Column::IsSellable.eq(true))
        .cond_where(stocked)
        .to_owned()
}

async fn facets(ctx: &Ctx, found: &Select<products::Entity>) -> Result<Facets> {
    let conn = ctx.read()?;
    let ids = found.clone().select_only().column(products::Column::Id);
    let ids = QuerySelect::query(&mut { ids }).to_owned();
    let all = found.clone().count(conn).await?;
    let buyable = can_be_bought(variants::Column::ProductId);
    let available = found.clone().filter(products::Column::Id.in_subquery(buyable)).count(conn).await?;
    let prices: Vec<(Currency, i64, i64)> = variants::Entity::find()
        .filter(variants::Column::ProductId.in_subquery(ids))
        .select_only()
        .column(variants::Column::Currency)
        .column_as(variants::Column::PriceMinor.min(), "min_minor")
        .column_as(variants::Column::PriceMinor.max(), "max_minor")
        .group_by(variants::Column::Currency)
        .order_by_asc(variants::Column::Currency)
        .into_tuple()
        .all(conn)
        .await?;
    let categories: Vec<(String, i64)> = found
        .clone()
        .select_only()
        .column(products::Column::Category)
        .column_as(products::Column::Id.count(), "products")
        .group_by(products::Column::Category)
        .order_by_asc(products::Column::Category)
        .into_tuple()
        .all(conn)
        .await?;
    let range = |(currency, min_minor, max_minor)| PriceRange { currency, min_minor, max_minor };
    Ok(Facets {
        prices: prices.into_iter().map(range).collect(),
        available,
        unavailable: all - available,
        categories: categories.into_iter().map(|(path, products)| CategoryCount { path, products }).collect(),
    })
}
