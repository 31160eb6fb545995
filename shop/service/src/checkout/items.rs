use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_store::entities::{products, reservations, stores, variants};

use super::sheet::Wish;
use super::view::{Alternative, Item};
use crate::error::{Error, Result};
use crate::{inventory, pricing};

/// Other variants shown in place of one that cannot be had.
const ALTERNATIVES_MAX: usize = 5;

/// What is wished for and exists, with what the holder holds already counted as available to it.
pub(super) async fn items(
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    wish: &Wish,
) -> Result<Vec<Item>> {
    let ids = wish.items.iter().map(|(id, _)| *id);
    let found = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    let product_ids = found.iter().map(|variant| variant.product_id);
    let sold = products::Entity::find().filter(products::Column::Id.is_in(product_ids)).all(conn).await?;
    let held = inventory::held_by(conn, &wish.holder).await?;
    let mut items = Vec::with_capacity(found.len());
    for (id, quantity) in &wish.items {
        let Some(variant) = found.iter().find(|variant| variant.id == *id) else { continue };
        let product = sold.iter().find(|product| product.id == variant.product_id);
        let product = product.ok_or_else(|| Error::internal("a variant without a product"))?;
        let mut item = Item {
            variant_id: variant.id,
            product_id: product.id,
            sku: variant.sku.clone(),
            title: variant.title.clone(),
            quantity: *quantity,
            unit_price_minor: variant.price_minor,
            is_sold: pricing::is_sold(variant, product, store),
            available: available(conn, variant, &held).await?,
            alternatives: Vec::new(),
        };
        if !item.is_available() {
            item.alternatives = alternatives(conn, store, product, &item, &held).await?;
        }
        items.push(item);
    }
    Ok(items)
}

async fn available(
    conn: &impl ConnectionTrait,
    variant: &variants::Model,
    held: &[reservations::Model],
) -> Result<Option<i64>> {
    let own: i64 = held.iter().filter(|row| row.variant_id == variant.id).map(|row| row.quantity).sum();
    Ok(inventory::available(conn, variant).await?.map(|free| free + own))
}

/// Variants of the same product of which the whole quantity could be had.
async fn alternatives(
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    product: &products::Model,
    wanted: &Item,
    held: &[reservations::Model],
) -> Result<Vec<Alternative>> {
    let siblings = variants::Entity::find()
        .filter(variants::Column::ProductId.eq(product.id))
        .filter(variants::Column::Id.ne(wanted.variant_id))
        .order_by_asc(variants::Column::Position)
        .all(conn)
        .await?;
    let mut others = Vec::new();
    for variant in siblings {
        let units = available(conn, &variant, held).await?;
        let is_enough = units.is_none_or(|units| units >= wanted.quantity);
        if is_enough && pricing::is_sold(&variant, product, store) && others.len() < ALTERNATIVES_MAX {
            let (title, price_minor) = (variant.title, variant.price_minor);
            others.push(Alternative { variant_id: variant.id, title, price_minor, available: units });
        }
    }
    Ok(others)
}
