use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::address::Address;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ShippingMethodId, StoreId};
use shop_store::entities::{shipping_methods, shipping_zones, stores};

use crate::Ctx;
use crate::error::{Error, Result};

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
pub(crate) fn price_of(method: &shipping_methods::Model, subtotal_minor: i64, weight_g: i64) -> i64 {
    if method.free_over_minor.is_some_and(|over| subtotal_minor >= over) {
        return 0;
    }
    let further_kilograms = (weight_g.max(1) - 1) / 1_000;
    method.price_minor + further_kilograms * method.per_kg_minor
}
