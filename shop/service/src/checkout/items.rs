use std::collections::HashMap;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::ids::{CustomerId, VariantId};
use shop_store::entities::{products, reservations, stores, variants};

use super::sheet::Wish;
use super::view::{Alternative, Item};
use crate::error::{Error, Result};
use crate::{Ctx, inventory, prices, pricing};

/// Other variants shown in place of one that cannot be had.
const ALTERNATIVES_MAX: usize = 5;

/// What is wished for and exists, with what the holder holds already counted as available to it.
pub(super) async fn items(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    wish: &Wish,
) -> Result<Vec<Item>> {
    let ids = wish.items.iter().map(|(id, _)| *id);
    let found = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    let product_ids = found.iter().map(|variant| variant.product_id);
    let sold = products::Entity::find().filter(products::Column::Id.is_in(product_ids)).all(conn).await?;
    let held = inventory::held_by(conn, &wish.holder).await?;
    let buyer = Buyer { store, customer_id: wish.customer_id, held };
    let prices = buyer.prices(ctx, conn, &found).await?;
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
            unit_price_minor: prices.get(id).copied().unwrap_or(variant.price_minor),
            is_sold: pricing::is_sold(variant, product, store),
            available: buyer.available(conn, variant).await?,
            alternatives: Vec::new(),
        };
        if !item.is_available() {
            item.alternatives = buyer.alternatives(ctx, conn, product, &item).await?;
        }
        items.push(item);
    }
    Ok(items)
}

/// Who wishes, where, and what is held for them.
struct Buyer<'a> {
    store: &'a stores::Model,
    customer_id: CustomerId,
    held: Vec<reservations::Model>,
}

impl Buyer<'_> {
    async fn prices(
        &self,
        ctx: &Ctx,
        conn: &impl ConnectionTrait,
        goods: &[variants::Model],
    ) -> Result<HashMap<VariantId, i64>> {
        let seller = (self.store.id, self.store.currency);
        prices::unit_prices(ctx, conn, seller, Some(self.customer_id), goods).await
    }

    async fn available(&self, conn: &impl ConnectionTrait, variant: &variants::Model) -> Result<Option<i64>> {
        let own = self.held.iter().filter(|row| row.variant_id == variant.id);
        let own: i64 = own.map(|row| row.quantity).sum();
        Ok(inventory::available(conn, variant).await?.map(|free| free + own))
    }

    /// Variants of the same product of which the whole quantity could be had.
    async fn alternatives(
        &self,
        ctx: &Ctx,
        conn: &impl ConnectionTrait,
        product: &products::Model,
        wanted: &Item,
    ) -> Result<Vec<Alternative>> {
        let siblings = variants::Entity::find()
            .filter(variants::Column::ProductId.eq(product.id))
            .filter(variants::Column::Id.ne(wanted.variant_id))
            .order_by_asc(variants::Column::Position)
            .all(conn)
            .await?;
        let prices = self.prices(ctx, conn, &siblings).await?;
        let mut others = Vec::new();
        for variant in siblings {
            let units = self.available(conn, &variant).await?;
            let is_enough = units.is_none_or(|units| units >= wanted.quantity);
            let price = prices.get(&variant.id).filter(|_| pricing::is_sold(&variant, product, self.store));
            if let Some(&price_minor) = price
                && is_enough
                && others.len() < ALTERNATIVES_MAX
            {
                let title = variant.title;
                others.push(Alternative { variant_id: variant.id, title, price_minor, available: units });
            }
        }
        Ok(others)
    }
}
