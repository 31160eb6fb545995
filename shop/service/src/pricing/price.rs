use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::address::Address;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CouponId, CustomerId, ShippingMethodId, StoreId, VariantId};
use shop_domain::limits;
use shop_domain::money::Bps;
use shop_domain::status::ProductStatus;
use shop_domain::totals::{self, BasketLine, Discount, LineTotals, Shipping, TaxMode, Totals};
use shop_store::entities::{coupons, products, promotions, shipping_methods, stores, tax_rates, variants};

use super::coupon;
use crate::error::{Error, Result};
use crate::{Ctx, prices, shipping};

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
    pub(crate) coupon: Option<(coupons::Model, promotions::Model)>,
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

/// Units of one variant, at the price of who buys them.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) variant: variants::Model,
    pub(crate) product: products::Model,
    pub(crate) quantity: i64,
    pub(crate) unit_price_minor: i64,
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
    let rates = tax_rates::Entity::find()
        .filter(tax_rates::Column::StoreId.eq(store.id))
        .filter(tax_rates::Column::StartsAt.lte(ctx.now()))
        .order_by_asc(tax_rates::Column::StartsAt)
        .all(conn)
        .await?;
    let tax = |category: &str| rate(&rates, basket.address.as_ref(), category);
    let lines = rows.iter().map(|line| basket_line(line, &tax));
    let lines: Vec<BasketLine> = lines.collect::<Result<_>>()?;
    let (subtotal, weight) = (subtotal_of(&rows), weight_of(&rows));
    let method = match basket.shipping_method_id {
        Some(id) => Some(shipping::method_for(conn, &store, id, basket.address.as_ref(), weight).await?),
        None => None,
    };
    let coupon = match basket.coupon_id {
        Some(id) => Some(coupon::by_id(ctx, conn, id, &store, basket.customer_id, holder).await?),
        None => None,
    };
    let discounts: Vec<Discount> = match &coupon {
        Some((_, promotion)) => vec![coupon::discount(promotion)?],
        None => Vec::new(),
    };
    let shipping = method.as_ref().map(|method| Shipping {
        price_minor: shipping::price_of(method, subtotal, weight),
        tax: tax("shipping"),
    });
    let priced =
        totals::Basket { currency: store.currency, tax_mode: TaxMode::Exclusive, lines, discounts, shipping };
    let totals = totals::totals(&priced)?;
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
    Ok(Priced { store, lines, totals, method, coupon })
}

fn basket_line(line: &Line, tax: &impl Fn(&str) -> Bps) -> Result<BasketLine> {
    let quantity =
        u32::try_from(line.quantity).map_err(|_| Error::invalid("/quantity", "a quantity is at least 1"))?;
    let tax = tax(&line.variant.tax_category);
    Ok(BasketLine { unit_price_minor: line.unit_price_minor, quantity, tax })
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

/// The rate of the narrowest region that has one; the latest start wins among equals.
pub fn rate(rates: &[tax_rates::Model], address: Option<&Address>, category: &str) -> Bps {
    let Some(address) = address else { return Bps(0) };
    let applies = |row: &&tax_rates::Model| {
        row.country == address.country
            && row.category == category
            && row.region.as_ref().is_none_or(|region| *region == address.region)
    };
    let best = rates.iter().filter(applies).max_by_key(|row| (row.region.is_some(), row.starts_at));
    Bps(best.map_or(0, |row| row.rate_bps))
}
