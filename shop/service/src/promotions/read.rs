use std::collections::HashMap;

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Role, Scope};
use shop_domain::ids::{OrderId, PromotionId};
use shop_domain::operations::operation;
use shop_domain::promotions::PromotionKind;
use shop_domain::status::PromotionStatus;
use shop_store::entities::{coupons, order_promotions, promotions};

use super::input::Filter;
use super::view::View;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, stores};

/// Promotions, oldest first. Shoppers see those that hold now.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_promotions"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let everywhere = promotions::Column::StoreId.is_null();
    let mut query = promotions::Entity::find()
        .filter(Condition::any().add(everywhere.clone()).add(promotions::Column::StoreId.in_subquery(own)));
    if ctx.principal.role == Role::Shopper {
        let (starts, ends) = (promotions::Column::StartsAt, promotions::Column::EndsAt);
        query = query
            .filter(promotions::Column::Status.eq(PromotionStatus::Active))
            .filter(Condition::any().add(starts.is_null()).add(starts.lte(ctx.now())))
            .filter(Condition::any().add(ends.is_null()).add(ends.gt(ctx.now())));
    }
    if let Some(status) = filter.status {
        query = query.filter(promotions::Column::Status.eq(status));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(Condition::any().add(everywhere).add(promotions::Column::StoreId.eq(store)));
    }
    if let Some(after) = page.after::<PromotionId>()? {
        query = query.filter(promotions::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(promotions::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let items = views(ctx.read()?, page.items).await?;
    Ok(Page { items, has_more: page.has_more, next_cursor: page.next_cursor })
}

/// Promotions with the number of their codes, counted by the database: a promotion may have very many.
pub(super) async fn views(conn: &impl ConnectionTrait, rows: Vec<promotions::Model>) -> Result<Vec<View>> {
    let counted: Vec<(PromotionId, i64)> = coupons::Entity::find()
        .select_only()
        .column(coupons::Column::PromotionId)
        .column_as(coupons::Column::Id.count(), "codes")
        .filter(coupons::Column::PromotionId.is_in(rows.iter().map(|row| row.id)))
        .group_by(coupons::Column::PromotionId)
        .into_tuple()
        .all(conn)
        .await?;
    let codes: HashMap<PromotionId, i64> = counted.into_iter().collect();
    let view = |row: promotions::Model| {
        let codes = codes.get(&row.id).copied().unwrap_or_default();
        View::new(row, codes)
    };
    rows.into_iter().map(view).collect()
}

/// One promotion as callers see it.
pub(super) async fn view(conn: &impl ConnectionTrait, row: promotions::Model) -> Result<View> {
    let mut all = views(conn, vec![row]).await?;
    all.pop().ok_or_else(|| Error::internal("a promotion has vanished"))
}

/// One promotion that the caller may change. One for every store is seen by all, and changed by who works for all.
pub(super) async fn find_own(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: PromotionId,
) -> Result<promotions::Model> {
    let missing = || Error::not_found(format!("promotion {id}"));
    let row = promotions::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    if let Some(store) = row.store_id {
        stores::find(ctx, conn, store).await.map_err(|_| missing())?;
    } else if ctx.principal.scope != Scope::Tenant {
        let detail =
            format!("promotion {id} holds in every store; only who works for all of them changes it");
        return Err(Error::new(ErrorCode::Forbidden, detail).with_layer("scope"));
    }
    Ok(row)
}

/// Whether a promotion took the price of shipping off an order.
pub(crate) async fn ships_free(conn: &impl ConnectionTrait, order: OrderId) -> Result<bool> {
    let taken = order_promotions::Entity::find().filter(order_promotions::Column::OrderId.eq(order));
    let taken = taken.all(conn).await?;
    let free = promotions::Entity::find()
        .filter(promotions::Column::Id.is_in(taken.iter().map(|row| row.promotion_id)))
        .filter(promotions::Column::Kind.eq(PromotionKind::FreeShipping))
        .one(conn)
        .await?;
    Ok(free.is_some())
}
