//! What is bought, with the price of who buys it.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CustomerId, VariantId};
use shop_domain::limits;
use shop_domain::status::ProductStatus;
use shop_store::entities::{products, stores, variants};

use crate::error::{Error, Result};
use crate::{Ctx, prices};

/// Units of one variant, at the price of who buys them.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) variant: variants::Model,
    pub(crate) product: products::Model,
    pub(crate) quantity: i64,
    pub(crate) unit_price_minor: i64,
}

/// What the lines cost before everything else, in minor units.
pub(crate) fn subtotal_of(lines: &[Line]) -> i64 {
    lines.iter().map(|line| line.unit_price_minor * line.quantity).sum()
}

/// What the lines weigh, in grams.
pub(crate) fn weight_of(lines: &[Line]) -> i64 {
    lines.iter().map(|line| line.variant.weight_g * line.quantity).sum()
}

/// The rows of what is wanted, all of it on sale in the store, at the price of who buys.
///
/// # Errors
/// When a variant is unknown, not on sale, or wanted in a strange quantity.
pub(crate) async fn load_lines(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    customer: Option<CustomerId>,
    wanted: &[(VariantId, i64)],
) -> Result<Vec<Line>> {
    if wanted.len() > limits::LINES_MAX {
        return Err(Error::invalid("/items", format!("at most {} lines", limits::LINES_MAX)));
    }
    let ids = wanted.iter().map(|(id, _)| *id);
    let found = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    let product_ids = found.iter().map(|variant| variant.product_id);
    let sold = products::Entity::find().filter(products::Column::Id.is_in(product_ids)).all(conn).await?;
    let prices = prices::unit_prices(ctx, conn, (store.id, store.currency), customer, &found).await?;
    let mut rows = Vec::with_capacity(wanted.len());
    for (at, (id, quantity)) in wanted.iter().enumerate() {
        check_quantity(*quantity, &format!("/items/{at}/quantity"))?;
        let variant = found.iter().find(|variant| variant.id == *id);
        let variant = variant.ok_or_else(|| Error::not_found(format!("variant {id}")))?;
        let product = sold.iter().find(|product| product.id == variant.product_id);
        let product = product.ok_or_else(|| Error::internal("a variant without a product"))?;
        let price = prices.get(id).filter(|_| is_sold(variant, product, store));
        let unit_price_minor = *price.ok_or_else(|| {
            let detail = format!("{} is not sold in {} now", variant.title, store.name);
            Error::new(ErrorCode::OutOfStock, detail).with_rule("not_sellable")
        })?;
        let (variant, product) = (variant.clone(), product.clone());
        rows.push(Line { variant, product, quantity: *quantity, unit_price_minor });
    }
    Ok(rows)
}

/// Units of one line are at least one and have a limit.
pub(crate) fn check_quantity(quantity: i64, pointer: &str) -> Result<()> {
    if (1..=i64::from(limits::QUANTITY_MAX)).contains(&quantity) {
        return Ok(());
    }
    Err(Error::invalid(pointer, format!("a quantity is 1 to {}", limits::QUANTITY_MAX)))
}

/// Whether a variant is on sale in a store, whatever its stock.
pub(crate) fn is_sold(variant: &variants::Model, product: &products::Model, store: &stores::Model) -> bool {
    variant.is_sellable
        && product.status == ProductStatus::Published
        && product.store_ids.0.contains(&store.id)
        && prices::base_price(variant, store.currency).is_some()
}
