use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::address::Address;
use shop_domain::ids::{CouponId, CustomerId, ProductId, ShippingMethodId, StoreId, VariantId};
use shop_domain::money::Bps;
use shop_domain::totals::{self, BasketLine, LineTotals, Shipping, TaxMode, Totals};
use shop_store::entities::{coupons, products, promotions as rows, shipping_methods, stores, variants};

use super::coupon;
use super::lines::{Line, load_lines, subtotal_of, weight_of};
use crate::error::{Error, Result};
use crate::promotions::Applied;
use crate::{Ctx, promotions, shipping, taxes};

/// What is to be priced.
#[derive(Clone, Debug)]
pub(crate) struct Basket {
    pub(crate) store_id: StoreId,
    pub(crate) customer_id: Option<CustomerId>,
    pub(crate) lines: Vec<(VariantId, i64)>,
    pub(crate) address: Option<Address>,
    pub(crate) shipping_method_id: Option<ShippingMethodId>,
    pub(crate) coupon_id: Option<CouponId>,
}

/// What it costs, with the rows that decided it.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub(crate) store: stores::Model,
    pub(crate) lines: Vec<PricedLine>,
    pub(crate) totals: Totals,
    pub(crate) method: Option<shipping_methods::Model>,
    pub(crate) coupon: Option<(coupons::Model, rows::Model)>,
    /// What each promotion takes off, the one of the coupon last.
    pub(crate) promotions: Vec<Applied>,
    pub(crate) is_tax_exempt: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct PricedLine {
    pub(crate) variant: variants::Model,
    pub(crate) product: products::Model,
    pub(crate) quantity: i64,
    /// Of one unit, for this buyer.
    pub(crate) unit_price_minor: i64,
    pub(crate) tax: Bps,
    pub(crate) totals: LineTotals,
}

/// Prices a basket. Stock is not judged here.
///
/// # Errors
/// When a variant cannot be bought, a coupon cannot be used, or a method does not go to the address.
pub(crate) async fn price(ctx: &Ctx, conn: &impl ConnectionTrait, basket: &Basket) -> Result<Priced> {
    price_held(ctx, conn, basket, None).await
}

/// Prices a basket for somebody who may hold a use of its coupon already.
///
/// # Errors
/// As [`price`].
pub(crate) async fn price_held(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    basket: &Basket,
    holder: Option<&str>,
) -> Result<Priced> {
    let store = stores::Entity::find_by_id(basket.store_id).one(conn).await?;
    let store = store.ok_or_else(|| Error::not_found(format!("store {}", basket.store_id)))?;
    let rows = load_lines(ctx, conn, &store, basket.customer_id, &basket.lines).await?;
    let rates = taxes::rates_at(conn, store.id, ctx.now()).await?;
    let address = basket.address.as_ref();
    let is_tax_exempt = taxes::is_exempt(ctx, conn, basket.customer_id, address).await?;
    let tax = |category: &str| if is_tax_exempt { Bps(0) } else { taxes::rate(&rates, address, category) };
    let lines = rows.iter().map(|line| basket_line(line, &tax));
    let lines: Vec<BasketLine> = lines.collect::<Result<_>>()?;
    let (subtotal, weight) = (subtotal_of(&rows), weight_of(&rows));
    let method = match basket.shipping_method_id {
        Some(id) => Some(shipping::method_for(conn, &store, id, address, weight).await?),
        None => None,
    };
    let coupon = match basket.coupon_id {
        Some(id) => Some(coupon::by_id(ctx, conn, id, &store, basket.customer_id, holder).await?),
        None => None,
    };
    let goods: Vec<ProductId> = rows.iter().map(|line| line.product.id).collect();
    let offers = promotions::offers(ctx, conn, &store, coupon.as_ref(), &goods).await?;
    let shipping = method.as_ref().map(|method| Shipping {
        price_minor: shipping::price_of(method, subtotal, weight),
        tax: tax("shipping"),
    });
    let (currency, tax_mode, discounts) = (store.currency, TaxMode::Exclusive, Vec::new());
    let priced = totals::Basket { currency, tax_mode, lines, discounts, shipping };
    let (totals, promotions) = promotions::price(priced, offers)?;
    let lines = rows
        .into_iter()
        .zip(&totals.lines)
        .map(|(line, totals)| PricedLine {
            tax: tax(&line.variant.tax_category),
            variant: line.variant,
            product: line.product,
            quantity: line.quantity,
            unit_price_minor: line.unit_price_minor,
            totals: *totals,
        })
        .collect();
    Ok(Priced { store, lines, totals, method, coupon, promotions, is_tax_exempt })
}

fn basket_line(line: &Line, tax: &impl Fn(&str) -> Bps) -> Result<BasketLine> {
    let quantity =
        u32::try_from(line.quantity).map_err(|_| Error::invalid("/quantity", "a quantity is at least 1"))?;
    let tax = tax(&line.variant.tax_category);
    Ok(BasketLine { unit_price_minor: line.unit_price_minor, quantity, tax })
}
