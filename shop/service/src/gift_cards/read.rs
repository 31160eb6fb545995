use sea_orm::sea_query::{Expr, Query, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Owner, Scope};
use shop_domain::ids::GiftCardId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::{gift_card_entries, gift_cards, stores};

use super::input::Filter;
use super::view::{EntryView, View};
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// Gift cards in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_gift_cards"))?;
    let limit = page.limit()?;
    let mut query = gift_cards::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Some(customer) = filter.customer_id {
        query = query.filter(gift_cards::Column::CustomerId.eq(customer));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(gift_cards::Column::StoreId.eq(store));
    }
    if let Some(status) = filter.status {
        query = query.filter(gift_cards::Column::Status.eq(status));
    }
    if let Some(before) = page.after::<GiftCardId>()? {
        query = query.filter(gift_cards::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(gift_cards::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One gift card with what happened to its balance.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: GiftCardId) -> Result<View> {
    ctx.may(operation("get_gift_card"))?;
    let row = find(ctx, ctx.read()?, id).await?;
    let entries = gift_card_entries::Entity::find()
        .filter(gift_card_entries::Column::GiftCardId.eq(id))
        .order_by_desc(gift_card_entries::Column::Id)
        .limit(u64::from(limits::PAGE_MAX))
        .all(ctx.read()?)
        .await?;
    Ok(View { history: Some(entries.into_iter().map(EntryView::from).collect()), ..row.into() })
}

/// One gift card in sight.
pub(crate) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: GiftCardId,
) -> Result<gift_cards::Model> {
    let missing = || Error::not_found(format!("gift card {id}"));
    let row = gift_cards::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(conn, &row).await?, format!("gift card {id}"))?;
    Ok(row)
}

pub(super) async fn owner(conn: &impl ConnectionTrait, row: &gift_cards::Model) -> Result<Owner> {
    let store = stores::Entity::find_by_id(row.store_id).one(conn).await?;
    Ok(Owner {
        brand: store.map(|store| store.brand_id),
        store: Some(row.store_id),
        customer: row.customer_id,
    })
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => gift_cards::Column::StoreId.in_subquery(
            Query::select()
                .column(stores::Column::Id)
                .from(stores::Entity)
                .and_where(stores::Column::BrandId.eq(brand))
                .to_owned(),
        ),
        Scope::Store(store) => gift_cards::Column::StoreId.eq(store),
        Scope::Customer(customer) => gift_cards::Column::CustomerId.eq(customer),
    }
}
