use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::code::ErrorCode;
use shop_domain::exchanges::PricedUnits;
use shop_domain::ids::OrderLineId;
use shop_domain::status::ProductStatus;
use shop_store::columns::ExchangeLine;
use shop_store::entities::{order_lines, orders, products, variants};

use super::input::Swap;
use crate::error::{Error, Result};
use crate::{Ctx, prices};

/// One swap with the variant that goes out.
pub(super) struct Quoted {
    pub(super) line: ExchangeLine,
    pub(super) variant: variants::Model,
}

/// Prices swaps. They take their line's units one after the other, so each has its exact share of what was paid.
pub(super) async fn quote(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    lines: &[order_lines::Model],
    swaps: &[Swap],
) -> Result<(Vec<Quoted>, i64)> {
    let mut left: BTreeMap<OrderLineId, PricedUnits> =
        lines.iter().map(|line| (line.id, priced(line))).collect();
    let mut quoted = Vec::with_capacity(swaps.len());
    let mut difference = 0;
    for (at, swap) in swaps.iter().enumerate() {
        let line = lines.iter().find(|line| line.id == swap.line_id);
        let (Some(line), Some(rest)) = (line, left.get_mut(&swap.line_id)) else {
            return Err(Error::invalid(format!("/lines/{at}/line_id"), "the line is not of this order"));
        };
        let variant = new_variant(tx, line, swap, at).await?;
        let old = rest.take(swap.quantity)?;
        let new = old.at_price(price_of(ctx, tx, order, &variant).await?)?;
        difference += new.total_minor()? - old.total_minor()?;
        let line = ExchangeLine {
            line_id: line.id,
            old_variant_id: line.variant_id,
            variant_id: variant.id,
            quantity: swap.quantity,
            old_price_minor: old.unit_price_minor,
            old_discount_minor: old.discount_minor,
            old_tax_minor: old.tax_minor,
            new_price_minor: new.unit_price_minor,
        };
        quoted.push(Quoted { line, variant });
    }
    Ok((quoted, difference))
}

async fn new_variant(
    tx: &impl ConnectionTrait,
    line: &order_lines::Model,
    swap: &Swap,
    at: usize,
) -> Result<variants::Model> {
    let pointer = || format!("/lines/{at}/variant_id");
    let variant = variants::Entity::find_by_id(swap.variant_id).one(tx).await?;
    let variant = variant.filter(|variant| variant.product_id == line.product_id).ok_or_else(|| {
        let message = format!("an exchange is for another variant of the same product, {}", line.product_id);
        Error::invalid(pointer(), message)
    })?;
    if variant.id == line.variant_id {
        let message = "this is the variant the customer has; the same again is send_replacement";
        return Err(Error::invalid(pointer(), message));
    }
    let product = products::Entity::find_by_id(variant.product_id).one(tx).await?;
    let is_published = product.is_some_and(|product| product.status == ProductStatus::Published);
    if !variant.is_sellable || !is_published {
        return Err(not_sold(&variant));
    }
    Ok(variant)
}

/// What the new variant costs this customer now.
async fn price_of(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    variant: &variants::Model,
) -> Result<i64> {
    let (seller, goods) = ((order.store_id, order.currency), std::slice::from_ref(variant));
    let prices = prices::unit_prices(ctx, tx, seller, order.customer_id, goods).await?;
    prices.get(&variant.id).copied().ok_or_else(|| not_sold(variant))
}

fn not_sold(variant: &variants::Model) -> Error {
    let detail = format!("{} ({}) is not sold now; choose another variant", variant.title, variant.id);
    Error::new(ErrorCode::OutOfStock, detail).with_rule("not_sellable")
}

/// A line as the units it is.
pub(super) fn priced(line: &order_lines::Model) -> PricedUnits {
    PricedUnits {
        quantity: line.quantity,
        unit_price_minor: line.unit_price_minor,
        discount_minor: line.discount_minor,
        tax_minor: line.tax_minor,
    }
}

/// What comes back, as it was priced when the exchange was asked for.
pub(super) fn old_units(line: &ExchangeLine) -> PricedUnits {
    PricedUnits {
        quantity: line.quantity,
        unit_price_minor: line.old_price_minor,
        discount_minor: line.old_discount_minor,
        tax_minor: line.old_tax_minor,
    }
}
