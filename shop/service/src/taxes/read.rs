use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::address::Address;
use shop_domain::ids::{CustomerId, StoreId, TaxRateId};
use shop_domain::money::Bps;
use shop_domain::operations::operation;
use shop_domain::taxes::Exemption;
use shop_store::entities::{tax_exemptions, tax_rates};

use super::input::RateFilter;
use super::view::Rate;
use crate::error::Result;
use crate::page::{Page, PageQuery};
use crate::{Ctx, stores};

/// Tax rates, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_rates(ctx: &Ctx, filter: RateFilter, page: PageQuery) -> Result<Page<Rate>> {
    ctx.may(operation("list_tax_rates"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let mut query = tax_rates::Entity::find().filter(tax_rates::Column::StoreId.in_subquery(own));
    if let Some(store) = filter.store_id {
        query = query.filter(tax_rates::Column::StoreId.eq(store));
    }
    if let Some(country) = filter.country {
        query = query.filter(tax_rates::Column::Country.eq(country));
    }
    if let Some(category) = filter.category {
        query = query.filter(tax_rates::Column::Category.eq(category));
    }
    if let Some(after) = page.after::<TaxRateId>()? {
        query = query.filter(tax_rates::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(tax_rates::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Rate::from))
}

/// The rates of a store that had begun at a time.
pub(crate) async fn rates_at(
    conn: &impl ConnectionTrait,
    store: StoreId,
    at: DateTime<Utc>,
) -> Result<Vec<tax_rates::Model>> {
    Ok(tax_rates::Entity::find()
        .filter(tax_rates::Column::StoreId.eq(store))
        .filter(tax_rates::Column::StartsAt.lte(at))
        .order_by_asc(tax_rates::Column::StartsAt)
        .all(conn)
        .await?)
}

/// The rate of the narrowest region that has one; the latest start wins among equals.
pub fn rate(rates: &[tax_rates::Model], address: Option<&Address>, category: &str) -> Bps {
    let Some(address) = address else { return Bps(0) };
    let applies = |row: &&tax_rates::Model| {
        row.country == address.country
            && row.category == category
            && row.region.as_ref().is_none_or(|region| *region == address.region)
    };
    let best = rates.iter().filter(applies).max_by_key(|row| (row.region.is_some(), row.starts_at));
    Bps(best.map_or(0, |row| row.rate_bps))
}

/// Whether a customer has a certificate that holds now for an address.
pub(crate) async fn is_exempt(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    customer: Option<CustomerId>,
    address: Option<&Address>,
) -> Result<bool> {
    let (Some(customer), Some(address)) = (customer, address) else { return Ok(false) };
    let row = tax_exemptions::Entity::find_by_id(customer).one(conn).await?;
    let covers = |row: &tax_exemptions::Model| {
        let (country, region) = (row.country.as_str(), row.region.as_deref());
        Exemption { country, region, valid_until: row.valid_until }.covers(address, ctx.now())
    };
    Ok(row.as_ref().is_some_and(covers))
}
