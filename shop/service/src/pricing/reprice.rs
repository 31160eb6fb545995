use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::address::Address;
use shop_domain::money::Bps;
use shop_domain::totals::{self, BasketLine, Discount, DiscountKind, Shipping, TaxMode, Totals};
use shop_store::entities::{coupons, order_lines, orders, promotions, shipping_methods, tax_rates, variants};

use super::coupon::discount;
use super::price::rate;
use crate::Ctx;
use crate::error::{Error, Result};
use crate::shipping;

/// What would be different about an order.
pub(crate) struct Change<'a> {
    pub(crate) address: &'a Address,
    pub(crate) method: Option<&'a shipping_methods::Model>,
    /// A promotion it did not have.
    pub(crate) extra: Option<&'a promotions::Model>,
}

/// What an order would come to with a change. What was agreed stays: its prices, and the discounts on its lines.
pub(crate) async fn reprice(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    order: &orders::Model,
    lines: &[order_lines::Model],
    change: Change<'_>,
) -> Result<Totals> {
    let ids = lines.iter().map(|line| line.variant_id);
    let bought = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    let rates = tax_rates::Entity::find()
        .filter(tax_rates::Column::StoreId.eq(order.store_id))
        .filter(tax_rates::Column::StartsAt.lte(ctx.now()))
        .order_by_asc(tax_rates::Column::StartsAt)
        .all(conn)
        .await?;
    let tax = |category: &str| rate(&rates, Some(change.address), category);
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
    if ships_free(conn, order).await? {
        discounts.push(Discount { kind: DiscountKind::FreeShipping, lines: None, min_subtotal_minor: 0 });
    }
    if let Some(promotion) = change.extra {
        discounts.push(discount(promotion)?);
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

async fn ships_free(conn: &impl ConnectionTrait, order: &orders::Model) -> Result<bool> {
    let Some(coupon) = order.coupon_id else { return Ok(false) };
    let Some(coupon) = coupons::Entity::find_by_id(coupon).one(conn).await? else { return Ok(false) };
    let Some(promotion) = promotions::Entity::find_by_id(coupon.promotion_id).one(conn).await? else {
        return Ok(false);
    };
    Ok(discount(&promotion)?.kind == DiscountKind::FreeShipping)
}
