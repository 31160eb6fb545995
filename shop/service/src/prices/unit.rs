//! What one unit costs a buyer: the base price of the currency, or a lower one of a list that holds for them.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::ids::{CustomerId, StoreId, VariantId};
use shop_domain::money::Currency;
use shop_domain::prices::{ListTerms, unit_price};
use shop_store::columns::Price;
use shop_store::entities::{customers, price_list_entries as entries, price_lists as lists, variants};

use crate::Ctx;
use crate::error::Result;

/// The base prices of a variant, its own currency first.
pub fn base_prices(variant: &variants::Model) -> impl Iterator<Item = (Currency, Price)> {
    let own = Price { price_minor: variant.price_minor, compare_at_minor: variant.compare_at_minor };
    let others = variant.other_prices.0.iter().map(|(currency, price)| (*currency, *price));
    std::iter::once((variant.currency, own)).chain(others)
}

/// The base price of a variant in a currency, if it has one.
pub(crate) fn base_price(variant: &variants::Model, currency: Currency) -> Option<i64> {
    base_prices(variant).find(|(known, _)| *known == currency).map(|(_, price)| price.price_minor)
}

/// What one unit of each variant costs a customer in a store now, in its currency; without an entry for what has no
/// price there.
pub(crate) async fn unit_prices(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    (store, currency): (StoreId, Currency),
    customer: Option<CustomerId>,
    goods: &[variants::Model],
) -> Result<HashMap<VariantId, i64>> {
    let tags = match customer {
        Some(id) => customers::Entity::find_by_id(id).one(conn).await?.map(|row| row.tags.0),
        None => None,
    };
    let listed = offers(ctx, conn, store, &tags.unwrap_or_default(), goods).await?;
    let price = |variant: &variants::Model| {
        let offers = listed.iter().filter(|entry| entry.variant_id == variant.id);
        let price = unit_price(base_price(variant, currency)?, offers.map(|entry| entry.price_minor));
        Some((variant.id, price))
    };
    Ok(goods.iter().filter_map(price).collect())
}

/// The entries of the lists that hold.
async fn offers(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    store: StoreId,
    tags: &[String],
    goods: &[variants::Model],
) -> Result<Vec<entries::Model>> {
    let of_store = lists::Entity::find().filter(lists::Column::StoreId.eq(store)).all(conn).await?;
    let holds: Vec<_> =
        of_store.iter().filter(|list| terms(list).hold(tags, ctx.now())).map(|list| list.id).collect();
    if holds.is_empty() {
        return Ok(Vec::new());
    }
    Ok(entries::Entity::find()
        .filter(entries::Column::PriceListId.is_in(holds))
        .filter(entries::Column::VariantId.is_in(goods.iter().map(|variant| variant.id)))
        .all(conn)
        .await?)
}

/// For whom and when a list holds.
pub(super) fn terms(list: &lists::Model) -> ListTerms<'_> {
    ListTerms { customer_tag: list.customer_tag.as_deref(), starts_at: list.starts_at, ends_at: list.ends_at }
}
