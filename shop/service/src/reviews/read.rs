use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Owner, Role, Scope};
use shop_domain::ids::{ProductId, ReviewId};
use shop_domain::operations::operation;
use shop_domain::reviews::{STARS, average_hundredths};
use shop_domain::status::ReviewStatus;
use shop_store::entities::reviews;

use super::input::Filter;
use super::view::{Rating, Reviews, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, catalog};

/// Reviews of a product, newest first, and what the published ones add up to.
///
/// # Errors
/// When the product is out of sight, or the page is bad.
pub async fn list(ctx: &Ctx, product: ProductId, filter: Filter, page: PageQuery) -> Result<Reviews> {
    ctx.may(operation("list_product_reviews"))?;
    let conn = ctx.read()?;
    catalog::find(ctx, conn, product).await?;
    let limit = page.limit()?;
    let mut query =
        reviews::Entity::find().filter(reviews::Column::ProductId.eq(product)).filter(in_sight(ctx));
    if let Some(status) = filter.status {
        query = query.filter(reviews::Column::Status.eq(status));
    }
    if let Some(stars) = filter.stars {
        query = query.filter(reviews::Column::Stars.eq(stars));
    }
    if let Some(before) = page.after::<ReviewId>()? {
        query = query.filter(reviews::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(reviews::Column::Id).limit(limit + 1).all(conn).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string()).map(|row| View::new(ctx, row));
    let rating = rating(conn, product).await?;
    Ok(Reviews { items: page.items, has_more: page.has_more, next_cursor: page.next_cursor, rating })
}

/// What the published reviews of a product add up to.
async fn rating(conn: &impl ConnectionTrait, product: ProductId) -> Result<Rating> {
    let counted: Vec<(i64, i64)> = reviews::Entity::find()
        .filter(reviews::Column::ProductId.eq(product))
        .filter(reviews::Column::Status.eq(ReviewStatus::Published))
        .select_only()
        .column(reviews::Column::Stars)
        .column_as(reviews::Column::Id.count(), "reviews")
        .group_by(reviews::Column::Stars)
        .into_tuple()
        .all(conn)
        .await?;
    let of = |stars: i64| counted.iter().find(|(given, _)| *given == stars).map_or(0, |(_, count)| *count);
    let count = counted.iter().map(|(_, count)| count).sum();
    let stars = counted.iter().map(|(stars, count)| stars * count).sum();
    Ok(Rating {
        count,
        average_hundredths: average_hundredths(count, stars),
        by_stars: STARS.map(of).collect(),
    })
}

/// One review in sight of staff: what is published can be seen by all, and moderated by its own brand only.
pub(super) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: ReviewId) -> Result<reviews::Model> {
    let missing = || Error::not_found(format!("review {id}"));
    let row = reviews::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(&row), format!("review {id}"))?;
    Ok(row)
}

pub(crate) fn owner(row: &reviews::Model) -> Owner {
    Owner { brand: Some(row.brand_id), store: Some(row.store_id), customer: Some(row.customer_id) }
}

/// Everybody sees what is published, and staff also the rest of their own.
fn in_sight(ctx: &Ctx) -> SimpleExpr {
    let is_published = reviews::Column::Status.eq(ReviewStatus::Published);
    if ctx.principal.role == Role::Shopper {
        return is_published;
    }
    is_published.or(match ctx.principal.scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => reviews::Column::BrandId.eq(brand),
        Scope::Store(store) => reviews::Column::StoreId.eq(store),
        Scope::Customer(_) => Expr::value(false),
    })
}
