use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, Set};
use serde_json::json;
use shop_domain::governance::Owner;
use shop_domain::ids::{LocationId, ShippingMethodId, ShippingZoneId, StoreId};
use shop_domain::operations::operation;
use shop_store::columns::Countries;
use shop_store::entities::{brands, locations, shipping_methods, shipping_zones, stores};

use super::input::{Create, check};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events};

/// What the first shipping method of a store carries at most, in grams, and how long it takes.
const FIRST_METHOD_WEIGHT_G: i64 = 30_000;
const FIRST_METHOD_DAYS: (i64, i64) = (2, 4);

/// Opens a store under a brand, with a place for stock and a way to ship, so that it can sell at once.
///
/// # Errors
/// When the brand is out of sight or a field is bad.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_store")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let missing = || Error::not_found(format!("brand {}", input.brand_id));
    let brand = brands::Entity::find_by_id(input.brand_id).one(&*tx).await?.ok_or_else(missing)?;
    ctx.must_see(&Owner { brand: Some(brand.id), ..Owner::default() }, format!("brand {}", brand.id))?;
    check(&input)?;
    let row = stores::ActiveModel {
        id: Set(ctx.id(StoreId::new)),
        brand_id: Set(brand.id),
        name: Set(input.name),
        currency: Set(input.currency),
        country: Set(input.country),
        policy: Set(input.policy.unwrap_or_default()),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    let location = locations::ActiveModel {
        id: Set(ctx.id(LocationId::new)),
        store_id: Set(row.id),
        name: Set(format!("{} warehouse", row.name)),
        country: Set(row.country.clone()),
    };
    location.insert(&*tx).await?;
    let countries = input.delivers_to.unwrap_or_else(|| vec![row.country.clone()]);
    ship(&*tx, ctx, &row, countries, input.shipping_minor).await?;
    let data = json!({ "brand_id": row.brand_id, "currency": row.currency });
    events::record(&*tx, ctx, "store.created", row.id, None, data).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// One zone and one method: where a store delivers, and how.
async fn ship(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    store: &stores::Model,
    countries: Vec<String>,
    price_minor: i64,
) -> Result<()> {
    let zone = shipping_zones::ActiveModel {
        id: Set(ctx.id(ShippingZoneId::new)),
        store_id: Set(store.id),
        name: Set(countries.join(", ")),
        countries: Set(Countries(countries)),
    };
    let zone = zone.insert(tx).await?;
    let method = shipping_methods::ActiveModel {
        id: Set(ctx.id(ShippingMethodId::new)),
        zone_id: Set(zone.id),
        store_id: Set(store.id),
        name: Set("Standard".to_owned()),
        carrier: Set("Parcel post".to_owned()),
        price_minor: Set(price_minor),
        free_over_minor: Set(None),
        per_kg_minor: Set(0),
        max_weight_g: Set(FIRST_METHOD_WEIGHT_G),
        days_min: Set(FIRST_METHOD_DAYS.0),
        days_max: Set(FIRST_METHOD_DAYS.1),
        position: Set(0),
        is_active: Set(true),
    };
    method.insert(tx).await?;
    Ok(())
}
