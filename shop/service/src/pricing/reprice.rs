use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::address::Address;
use shop_domain::money::Bps;
use shop_domain::taxes::is_same_place;
use shop_domain::totals::{self, BasketLine, Discount, DiscountKind, Shipping, TaxMode, Totals};
use shop_store::entities::{order_lines, orders, promotions as rows, shipping_methods, variants};

use crate::error::{Error, Result};
use crate::{promotions, shipping, taxes};

/// What would be different about an order.
pub(crate) struct Change<'a> {
    pub(crate) address: &'a Address,
    pub(crate) method: Option<&'a shipping_methods::Model>,
    /// A promotion it did not have.
    pub(crate) extra: Option<&'a rows::Model>,
}

/// What an order would come to with a change. What was agreed stays: its prices, and the discounts on its lines.
pub(crate) async fn reprice(
    conn: &impl ConnectionTrait,
    order: &orders::Model,
    lines: &[order_lines::Model],
    change: Change<'_>,
) -> Result<Totals> {
    let ids = lines.iter().map(|line| line.variant_id);
    let bought = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    // A rate or an exemption that came later is for later orders.
    let rates = taxes::rates_at(conn, order.store_id, order.placed_at).await?;
    let is_exempt = order.is_tax_exempt && is_same_place(&order.shipping_address, change.address);
    let tax = |category: &str| match is_exempt {
        true => Bps(0),
        false => taxes::rate(&rates, Some(change.address), category),
    };
    let mut basket = Vec::with_capacity(lines.len());
    let (mut subtotal, mut weight) = (0, 0);
    for line in lines {
        let variant = bought.iter().find(|variant| variant.id == line.variant_id);
        let quantity = u32::try_from(line.quantity);
        let quantity = quantity.map_err(|_| Error::internal("a line with negative units"))?;
        let category = variant.map(|variant| variant.tax_category.as_str());
        basket.push(BasketLine {
            unit_price_minor: line.unit_price_minor,
            quantity,
            tax: category.map_or(Bps(0), tax),
        });
        subtotal += line.unit_price_minor * line.quantity;
        weight += variant.map_or(0, |variant| variant.weight_g) * line.quantity;
    }
    let shipping = change.method.map(|method| Shipping {
        price_minor: shipping::price_of(method, subtotal, weight),
        tax: tax("shipping"),
    });
    let mut discounts = agreed(lines);
    if promotions::ships_free(conn, order.id).await? {
        discounts.push(Discount { kind: DiscountKind::FreeShipping, lines: None, min_subtotal_minor: 0 });
    }
    if let Some(promotion) = change.extra {
        let goods: Vec<_> = lines.iter().map(|line| line.product_id).collect();
        discounts.push(promotions::discount_on(conn, promotion, &goods).await?);
    }
    let basket = totals::Basket {
        currency: order.currency,
        tax_mode: TaxMode::Exclusive,
        lines: basket,
        discounts,
        shipping,
    };
    Ok(totals::totals(&basket)?)
}

/// The discounts on each line, as amounts of their own.
fn agreed(lines: &[order_lines::Model]) -> Vec<Discount> {
    let discounted = lines.iter().enumerate().filter(|(_, line)| line.discount_minor > 0);
    let fixed = discounted.map(|(at, line)| Discount {
        kind: DiscountKind::Fixed { amount_minor: line.discount_minor },
        lines: Some(vec![at]),
        min_subtotal_minor: 0,
    });
    fixed.collect()
}
