use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect,
};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{BrandId, LocationId, StoreId, VariantId};
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_domain::reports::{StockAge, StockGroup};
use shop_store::entities::{inventory_levels as levels, locations, order_lines, orders, stores, variants};

use super::input::StockFilter;
use crate::error::{Error, Result};
use crate::{Ctx, stores as store_service};

/// What there is, what it is worth, and what lies too long. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct InventoryReport {
    pub at: DateTime<Utc>,
    pub group_by: StockGroup,
    /// Free units up to which stock counts as low here.
    pub low_at: i64,
    /// One a store or brand, and currency.
    pub rows: Vec<StockRow>,
    /// What is low or out, scarcest first, at most 100.
    pub low: Vec<LowStock>,
}

/// Stock of a store or brand in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StockRow {
    pub store_id: Option<StoreId>,
    pub brand_id: Option<BrandId>,
    pub currency: Currency,
    /// Variants at locations: one at two places counts twice.
    #[schema(example = 31)]
    pub levels: i64,
    /// Units on the shelf.
    #[schema(example = 412)]
    pub on_hand: i64,
    /// Of these, what somebody holds.
    pub reserved: i64,
    /// Of these, what nobody holds.
    pub available: i64,
    /// Units on the shelf at their price today.
    #[schema(example = 1822450)]
    pub value_minor: i64,
    /// Levels that are low, those that are out not counted.
    pub low: i64,
    /// Levels without a free unit.
    pub out: i64,
    /// Units whose variant was sold, or came into the shop, in the last 30 days.
    pub fresh_units: i64,
    /// The same, 31 to 90 days ago.
    pub slow_units: i64,
    /// The same, longer ago.
    pub old_units: i64,
}

/// One variant at one location that is low or out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LowStock {
    pub variant_id: VariantId,
    #[schema(example = "MUG-BLUE")]
    pub sku: String,
    pub location_id: LocationId,
    pub on_hand: i64,
    pub available: i64,
}

#[derive(FromQueryResult)]
struct Level {
    variant_id: VariantId,
    location_id: LocationId,
    on_hand: i64,
    reserved: i64,
    sku: String,
    price_minor: i64,
    currency: Currency,
    created_at: DateTime<Utc>,
    store_id: StoreId,
    brand_id: BrandId,
}

/// Stock value, low stock and ageing, added up from the levels. Stock that is not counted is left out.
///
/// # Errors
/// When the caller may not, or the threshold is bad.
pub async fn inventory(ctx: &Ctx, filter: StockFilter) -> Result<InventoryReport> {
    ctx.may(operation("get_inventory_report"))?;
    let low_at = filter.low_at.unwrap_or(limits::LOW_STOCK_UNITS);
    if low_at < 0 {
        return Err(Error::invalid("/low_at", "low_at is 0 or more"));
    }
    let group_by = filter.group_by.unwrap_or(StockGroup::Store);
    let conn = ctx.read()?;
    let all = counted(ctx, conn, filter.store_id).await?;
    let sold_at = last_sales(conn).await?;
    let mut rows = BTreeMap::new();
    for level in &all {
        let seen_at = sold_at.get(&level.variant_id).copied().unwrap_or(level.created_at);
        let age = StockAge::of((ctx.now() - seen_at).num_days());
        add(&mut rows, group_by, level, low_at, age);
    }
    let mut low: Vec<LowStock> = all
        .into_iter()
        .map(|level| LowStock {
            variant_id: level.variant_id,
            sku: level.sku,
            location_id: level.location_id,
            on_hand: level.on_hand,
            available: level.on_hand - level.reserved,
        })
        .filter(|level| level.available <= low_at)
        .collect();
    low.sort_by_key(|level| (level.available, level.variant_id, level.location_id));
    low.truncate(usize::try_from(limits::PAGE_MAX).unwrap_or(usize::MAX));
    Ok(InventoryReport { at: ctx.now(), group_by, low_at, rows: rows.into_values().collect(), low })
}

/// Every counted level at a location in sight.
async fn counted(ctx: &Ctx, conn: &impl ConnectionTrait, store: Option<StoreId>) -> Result<Vec<Level>> {
    let to_variant =
        levels::Entity::belongs_to(variants::Entity).from(levels::Column::VariantId).to(variants::Column::Id);
    let to_location = levels::Entity::belongs_to(locations::Entity)
        .from(levels::Column::LocationId)
        .to(locations::Column::Id);
    let to_store =
        locations::Entity::belongs_to(stores::Entity).from(locations::Column::StoreId).to(stores::Column::Id);
    let mut query = levels::Entity::find()
        .join(JoinType::InnerJoin, to_variant.into())
        .join(JoinType::InnerJoin, to_location.into())
        .join(JoinType::InnerJoin, to_store.into())
        .filter(locations::Column::StoreId.in_subquery(store_service::ids_in_sight(&ctx.principal.scope)))
        .filter(variants::Column::IsTracked.eq(true));
    if let Some(store) = store {
        query = query.filter(locations::Column::StoreId.eq(store));
    }
    Ok(query
        .column(variants::Column::Sku)
        .column(variants::Column::PriceMinor)
        .column(variants::Column::Currency)
        .column(variants::Column::CreatedAt)
        .column(locations::Column::StoreId)
        .column(stores::Column::BrandId)
        .into_model::<Level>()
        .all(conn)
        .await?)
}

/// When each variant was sold last.
async fn last_sales(conn: &impl ConnectionTrait) -> Result<HashMap<VariantId, DateTime<Utc>>> {
    let to_order = order_lines::Entity::belongs_to(orders::Entity)
        .from(order_lines::Column::OrderId)
        .to(orders::Column::Id);
    let sales: Vec<(VariantId, DateTime<Utc>)> = order_lines::Entity::find()
        .join(JoinType::InnerJoin, to_order.into())
        .select_only()
        .column(order_lines::Column::VariantId)
        .column_as(orders::Column::PlacedAt.max(), "sold_at")
        .group_by(order_lines::Column::VariantId)
        .into_tuple()
        .all(conn)
        .await?;
    Ok(sales.into_iter().collect())
}

type Rows = BTreeMap<(Option<StoreId>, Option<BrandId>, Currency), StockRow>;

fn add(rows: &mut Rows, group: StockGroup, level: &Level, low_at: i64, age: StockAge) {
    let (store_id, brand_id) = match group {
        StockGroup::Store => (Some(level.store_id), None),
        StockGroup::Brand => (None, Some(level.brand_id)),
    };
    let row = rows.entry((store_id, brand_id, level.currency)).or_insert(StockRow {
        store_id,
        brand_id,
        currency: level.currency,
        levels: 0,
        on_hand: 0,
        reserved: 0,
        available: 0,
        value_minor: 0,
        low: 0,
        out: 0,
        fresh_units: 0,
        slow_units: 0,
        old_units: 0,
    });
    let available = level.on_hand - level.reserved;
    row.levels += 1;
    row.on_hand += level.on_hand;
    row.reserved += level.reserved;
    row.available += available;
    row.value_minor = row.value_minor.saturating_add(level.on_hand.saturating_mul(level.price_minor));
    row.out += i64::from(available <= 0);
    row.low += i64::from(available > 0 && available <= low_at);
    let units = match age {
        StockAge::Fresh => &mut row.fresh_units,
        StockAge::Slow => &mut row.slow_units,
        StockAge::Old => &mut row.old_units,
    };
    *units += level.on_hand;
}
