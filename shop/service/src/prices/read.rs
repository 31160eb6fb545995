use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Role, Scope};
use shop_domain::ids::{PriceListId, VariantId};
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_store::entities::{price_list_entries as entries, price_lists as lists, stores as store_rows};

use super::input::{Entry, Filter};
use super::unit::{base_prices, terms};
use super::view::{Price, PriceList};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, catalog, customers, stores};

/// Prices of a variant by currency, the one that counts first. Shoppers see the lists that hold for them.
///
/// # Errors
/// When the variant is out of sight.
pub async fn list_of_variant(ctx: &Ctx, id: VariantId, page: PageQuery) -> Result<Page<Price>> {
    ctx.may(operation("list_variant_prices"))?;
    let conn = ctx.read()?;
    let (variant, _) = catalog::find_variant(ctx, conn, id).await?;
    let limit = page.limit()?;
    let listed = listed(ctx, conn, id).await?;
    let mut prices = Vec::new();
    for (currency, price) in base_prices(&variant) {
        let kind = if price.compare_at_minor.is_some() { "sale" } else { "base" };
        let mut own: Vec<(Price, bool)> = vec![(base(currency, kind, price.price_minor), true)];
        own.extend(price.compare_at_minor.map(|struck| (base(currency, "base", struck), false)));
        own.extend(listed.iter().filter(|(price, _)| price.currency == currency).cloned());
        prices.extend(current_first(own));
    }
    let after = page.after::<usize>()?.unwrap_or(0);
    let rest: Vec<(usize, Price)> = (1..).zip(prices).skip(after).collect();
    Ok(Page::cut(rest, limit, |(at, _)| at.to_string()).map(|(_, price)| price))
}

/// Marks the lowest of the prices that count, and puts it first.
fn current_first(mut prices: Vec<(Price, bool)>) -> impl Iterator<Item = Price> {
    let lowest = prices.iter_mut().filter(|(_, counts)| *counts).min_by_key(|(price, _)| price.amount_minor);
    if let Some((price, _)) = lowest {
        price.is_current = true;
    }
    prices.sort_by_key(|(price, _)| !price.is_current);
    prices.into_iter().map(|(price, _)| price)
}

fn base(currency: Currency, kind: &str, amount_minor: i64) -> Price {
    Price {
        currency,
        kind: kind.to_owned(),
        amount_minor,
        price_list_id: None,
        customer_tag: None,
        is_current: false,
    }
}

/// What the lists in sight say of a variant, and whether each holds for the caller.
async fn listed(ctx: &Ctx, conn: &impl ConnectionTrait, id: VariantId) -> Result<Vec<(Price, bool)>> {
    let own = entries::Entity::find().filter(entries::Column::VariantId.eq(id)).all(conn).await?;
    let of_lists = lists::Entity::find()
        .filter(lists::Column::Id.is_in(own.iter().map(|entry| entry.price_list_id)))
        .filter(lists::Column::StoreId.in_subquery(stores::ids_in_sight(&ctx.principal.scope)))
        .order_by_asc(lists::Column::Id)
        .all(conn)
        .await?;
    let sellers = store_rows::Entity::find()
        .filter(store_rows::Column::Id.is_in(of_lists.iter().map(|list| list.store_id)))
        .all(conn)
        .await?;
    let tags = match ctx.principal.scope {
        Scope::Customer(customer) => customers::find(ctx, conn, customer).await?.tags.0,
        Scope::Tenant | Scope::Brand(_) | Scope::Store(_) => Vec::new(),
    };
    let mut prices = Vec::new();
    for list in of_lists {
        let holds = terms(&list).hold(&tags, ctx.now());
        let store = sellers.iter().find(|store| store.id == list.store_id);
        let entry = own.iter().find(|entry| entry.price_list_id == list.id);
        let (Some(store), Some(entry)) = (store, entry) else { continue };
        if holds || ctx.principal.role != Role::Shopper {
            let price = Price {
                price_list_id: Some(list.id),
                customer_tag: list.customer_tag,
                ..base(store.currency, "price_list", entry.price_minor)
            };
            prices.push((price, holds));
        }
    }
    Ok(prices)
}

/// Price lists, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<PriceList>> {
    ctx.may(operation("list_price_lists"))?;
    let conn = ctx.read()?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let mut query = lists::Entity::find().filter(lists::Column::StoreId.in_subquery(own));
    if let Some(store) = filter.store_id {
        query = query.filter(lists::Column::StoreId.eq(store));
    }
    if let Some(tag) = filter.customer_tag {
        query = query.filter(lists::Column::CustomerTag.eq(tag));
    }
    if let Some(after) = page.after::<PriceListId>()? {
        query = query.filter(lists::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(lists::Column::Id).limit(limit + 1).all(conn).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let items = views(ctx, conn, page.items).await?;
    Ok(Page { items, has_more: page.has_more, next_cursor: page.next_cursor })
}

/// Lists with their entries.
pub(super) async fn views(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    rows: Vec<lists::Model>,
) -> Result<Vec<PriceList>> {
    let all = entries::Entity::find()
        .filter(entries::Column::PriceListId.is_in(rows.iter().map(|list| list.id)))
        .order_by_asc(entries::Column::VariantId)
        .all(conn)
        .await?;
    let sellers = store_rows::Entity::find()
        .filter(store_rows::Column::Id.is_in(rows.iter().map(|list| list.store_id)))
        .all(conn)
        .await?;
    let view = |list: lists::Model| {
        let own = all.iter().filter(|entry| entry.price_list_id == list.id);
        let store = sellers.iter().find(|store| store.id == list.store_id);
        let store = store.ok_or_else(|| Error::internal("a price list without a store"))?;
        Ok(PriceList {
            is_active: terms(&list).hold(list.customer_tag.as_slice(), ctx.now()),
            currency: store.currency,
            entries: own
                .map(|entry| Entry { variant_id: entry.variant_id, price_minor: entry.price_minor })
                .collect(),
            id: list.id,
            store_id: list.store_id,
            name: list.name,
            customer_tag: list.customer_tag,
            starts_at: list.starts_at,
            ends_at: list.ends_at,
            created_at: list.created_at,
            version: list.version,
        })
    };
    rows.into_iter().map(view).collect()
}
