use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::address::Address;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ShippingMethodId, StoreId};
use shop_domain::operations::operation;
use shop_store::entities::{shipping_methods, shipping_zones, stores};

use super::input::Quote;
use super::view::{Rate, Rates};
use crate::addresses::check_address;
use crate::error::{Error, Result};
use crate::{Ctx, pricing, stores as store_service};

/// The heaviest parcel anybody asks about, in grams.
pub(super) const WEIGHT_G_MAX: i64 = 1_000_000;

/// What every method that carries a parcel to an address costs.
///
/// # Errors
/// When the store is out of sight, or the parcel is described badly.
pub async fn rates(ctx: &Ctx, input: Quote) -> Result<Rates> {
    ctx.may(operation("quote_shipping_rates"))?;
    let conn = ctx.read()?;
    check_address(&input.address, "/address")?;
    let store = store_service::choose(ctx, conn, input.store_id).await?;
    let (subtotal, weight) = match (&input.items, input.weight_g) {
        (Some(items), None) => {
            let lines: Vec<_> = items.iter().map(|item| (item.variant_id, item.quantity)).collect();
            let rows = pricing::load_lines(ctx, conn, &store, None, &lines).await?;
            (pricing::subtotal_of(&rows), pricing::weight_of(&rows))
        }
        (None, Some(weight)) if (1..=WEIGHT_G_MAX).contains(&weight) => {
            (input.subtotal_minor.unwrap_or(0), weight)
        }
        (None, Some(_)) => {
            return Err(Error::invalid("/weight_g", format!("a parcel weighs 1 to {WEIGHT_G_MAX} grams")));
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid("/items", "send either items or weight_g"));
        }
    };
    Ok(Rates { rates: options(ctx, conn, &store, &input.address, (subtotal, weight)).await? })
}

/// The methods of a store that carry this weight to this address, cheapest for this basket first.
pub(crate) async fn options(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    address: &Address,
    (subtotal_minor, weight_g): (i64, i64),
) -> Result<Vec<Rate>> {
    let methods = methods_to(conn, store.id, address, weight_g).await?;
    let rate = |method: shipping_methods::Model| {
        let price = price_of(&method, subtotal_minor, weight_g);
        Rate::new(method, store.currency, price, ctx.now())
    };
    let mut rates: Vec<Rate> = methods.into_iter().map(rate).collect();
    rates.sort_by_key(|rate| rate.price_minor);
    Ok(rates)
}

/// Whether any zone delivers there.
pub(crate) async fn covers(_: &Ctx, conn: &impl ConnectionTrait, address: &Address) -> Result<bool> {
    let zones = shipping_zones::Entity::find().all(conn).await?;
    Ok(zones.iter().any(|zone| zone.countries.0.contains(&address.country)))
}

/// Active methods of a store that carry this weight to this address, cheapest first.
pub(crate) async fn methods_to(
    conn: &impl ConnectionTrait,
    store: StoreId,
    address: &Address,
    weight_g: i64,
) -> Result<Vec<shipping_methods::Model>> {
    let zones =
        shipping_zones::Entity::find().filter(shipping_zones::Column::StoreId.eq(store)).all(conn).await?;
    let reached: Vec<_> = zones
        .into_iter()
        .filter(|zone| zone.countries.0.contains(&address.country))
        .map(|zone| zone.id)
        .collect();
    let methods = shipping_methods::Entity::find()
        .filter(shipping_methods::Column::ZoneId.is_in(reached))
        .filter(shipping_methods::Column::IsActive.eq(true))
        .filter(shipping_methods::Column::MaxWeightG.gte(weight_g))
        .order_by_asc(shipping_methods::Column::PriceMinor)
        .order_by_asc(shipping_methods::Column::Position)
        .all(conn)
        .await?;
    Ok(methods)
}

/// One method of a store, which must reach the address if there is one.
pub(crate) async fn method_for(
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    id: ShippingMethodId,
    address: Option<&Address>,
    weight_g: i64,
) -> Result<shipping_methods::Model> {
    let method = shipping_methods::Entity::find_by_id(id).one(conn).await?;
    let method = method.filter(|method| method.store_id == store.id && method.is_active);
    let method = method.ok_or_else(|| Error::not_found(format!("shipping method {id}")))?;
    if let Some(address) = address {
        let reaching = methods_to(conn, store.id, address, weight_g).await?;
        if !reaching.iter().any(|other| other.id == id) {
            let names: Vec<_> =
                reaching.iter().map(|other| format!("{} ({})", other.name, other.id)).collect();
            let detail = match names.is_empty() {
                true => format!("nothing is delivered to {} at this weight", address.country),
                false => format!("{} does not deliver there; these do: {}", method.name, names.join(", ")),
            };
            return Err(Error::new(ErrorCode::AddressUndeliverable, detail));
        }
    }
    Ok(method)
}

/// What a method costs for a basket, before promotions.
#[must_use]
pub fn price_of(method: &shipping_methods::Model, subtotal_minor: i64, weight_g: i64) -> i64 {
    if method.free_over_minor.is_some_and(|over| subtotal_minor >= over) {
        return 0;
    }
    let further_kilograms = (weight_g.max(1) - 1) / 1_000;
    method.price_minor + further_kilograms * method.per_kg_minor
}
