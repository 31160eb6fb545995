//! What a cart comes to. A cart must always be readable, so what cannot be priced is left out and said.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CartLineId, VariantId};
use shop_domain::status::GiftCardStatus;
use shop_domain::totals::LineTotals;
use shop_store::entities::{
    cart_lines, carts, coupons, credit_accounts, gift_cards, inventory_levels, products, shipping_methods,
    stores, variants,
};

use super::read::lines_of;
use super::view::{CouponChoice, GiftCardChoice, Line, Problem, ShippingChoice, TotalsView, View};
use crate::error::{Error, Result};
use crate::pricing::{self, Basket, Priced};
use crate::promotions::AppliedView;
use crate::{Ctx, inventory, prices};

/// One line of a cart with everything that is known about it.
pub(super) struct Row {
    line: cart_lines::Model,
    variant: variants::Model,
    product: products::Model,
    /// Of one unit, for this buyer.
    unit_price_minor: i64,
    is_sold: bool,
    /// Units this cart could buy; `None` when stock is not counted.
    available: Option<i64>,
}

/// The lines of a cart.
pub(super) struct Rows(Vec<Row>);

impl Rows {
    /// Those that can be priced.
    pub(super) fn priceable(&self) -> Vec<pricing::Line> {
        let sold = self.0.iter().filter(|row| row.is_sold);
        let line = |row: &Row| pricing::Line {
            variant: row.variant.clone(),
            product: row.product.clone(),
            quantity: row.line.quantity,
            unit_price_minor: row.unit_price_minor,
        };
        sold.map(line).collect()
    }
}

/// A cart as callers see it, inside or outside a transaction.
pub(super) async fn view(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    cart: carts::Model,
    store: stores::Model,
) -> Result<View> {
    let rows = rows(ctx, conn, &cart, &store).await?;
    let mut problems = Vec::new();
    let priced = price(ctx, conn, &cart, &rows, &mut problems).await?;
    problems.extend(rows.0.iter().filter_map(|row| stock_problem(row, &store)));
    if cart.shipping_address.is_none() {
        problems.push(problem(&super::read::no_address()));
    }
    let method = match cart.shipping_method_id {
        Some(id) => shipping_methods::Entity::find_by_id(id).one(conn).await?,
        None => None,
    };
    if method.is_none() {
        problems.push(problem(&super::place::no_method()));
    }
    let coupon = match cart.coupon_id {
        Some(id) => coupons::Entity::find_by_id(id).one(conn).await?,
        None => None,
    };
    let card = match cart.gift_card_id {
        Some(id) => gift_cards::Entity::find_by_id(id).one(conn).await?,
        None => None,
    };
    let gift_card = card.as_ref().map(gift_card);
    let mut totals = totals(&cart, &priced, problems);
    share(&mut totals, gift_card.as_ref(), credit_left(conn, &cart).await?);
    Ok(View {
        lines: lines(rows, &priced),
        totals,
        shipping: method.map(shipping),
        coupon: coupon.map(|row| CouponChoice { coupon_id: row.id, code: row.code }),
        gift_card,
        id: cart.id,
        store_id: cart.store_id,
        customer_id: cart.customer_id,
        status: cart.status,
        currency: cart.currency,
        address_id: cart.address_id,
        shipping_address: cart.shipping_address,
        store_credit_minor: cart.store_credit_minor,
        order_id: cart.order_id,
        created_at: cart.created_at,
        updated_at: cart.updated_at,
        version: cart.version,
    })
}

/// Loads the lines with a handful of queries, however many there are.
pub(super) async fn rows(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    cart: &carts::Model,
    store: &stores::Model,
) -> Result<Rows> {
    let lines = lines_of(conn, cart.id).await?;
    let ids: Vec<VariantId> = lines.iter().map(|line| line.variant_id).collect();
    let variants = variants::Entity::find().filter(variants::Column::Id.is_in(ids.clone())).all(conn).await?;
    let product_ids = variants.iter().map(|variant| variant.product_id);
    let products = products::Entity::find().filter(products::Column::Id.is_in(product_ids)).all(conn).await?;
    let levels = inventory_levels::Entity::find()
        .filter(inventory_levels::Column::VariantId.is_in(ids))
        .all(conn)
        .await?;
    let own = inventory::held_by(conn, &cart.id.to_string()).await?;
    let seller = (store.id, store.currency);
    let prices = prices::unit_prices(ctx, conn, seller, cart.customer_id, &variants).await?;
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        let variant = variants.iter().find(|variant| variant.id == line.variant_id);
        let variant = variant.ok_or_else(|| Error::internal("a cart line without a variant"))?.clone();
        let product = products.iter().find(|product| product.id == variant.product_id);
        let product = product.ok_or_else(|| Error::internal("a variant without a product"))?.clone();
        let free = levels.iter().filter(|level| level.variant_id == variant.id);
        let free: i64 = free.map(|level| level.on_hand - level.reserved).sum();
        let held: i64 = own.iter().filter(|row| row.variant_id == variant.id).map(|row| row.quantity).sum();
        let available = variant.is_tracked.then_some(free + held);
        let is_sold = pricing::is_sold(&variant, &product, store);
        let unit_price_minor = prices.get(&variant.id).copied().unwrap_or(variant.price_minor);
        rows.push(Row { line, variant, product, unit_price_minor, is_sold, available });
    }
    Ok(Rows(rows))
}

/// Prices what can be priced: a coupon or method that does not fit any more is left out and becomes a problem.
async fn price(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    cart: &carts::Model,
    rows: &Rows,
    problems: &mut Vec<Problem>,
) -> Result<Priced> {
    let sold = rows.0.iter().filter(|row| row.is_sold);
    let mut basket = Basket {
        store_id: cart.store_id,
        customer_id: cart.customer_id,
        lines: sold.map(|row| (row.variant.id, row.line.quantity)).collect(),
        address: cart.shipping_address.clone(),
        shipping_method_id: cart.shipping_method_id,
        coupon_id: cart.coupon_id,
    };
    let holder = cart.id.to_string();
    loop {
        let error = match pricing::price_held(ctx, conn, &basket, Some(&holder)).await {
            Ok(priced) => return Ok(priced),
            Err(error) => error,
        };
        if error.code == ErrorCode::CouponInvalid && basket.coupon_id.take().is_some() {
            problems.push(problem(&error));
            continue;
        }
        let is_about_method = matches!(error.code, ErrorCode::AddressUndeliverable | ErrorCode::NotFound);
        if is_about_method && basket.shipping_method_id.take().is_some() {
            problems.push(problem(&error));
            continue;
        }
        return Err(error);
    }
}

fn problem(error: &Error) -> Problem {
    Problem { code: error.code, detail: error.detail.clone() }
}

fn stock_problem(row: &Row, store: &stores::Model) -> Option<Problem> {
    let title = &row.variant.title;
    let detail = match row.available {
        _ if !row.is_sold => format!("{title} is not sold in {} now; remove it", store.name),
        Some(units) if units < row.line.quantity => {
            format!("{title} has {units} units left for this cart; ask for fewer or another variant")
        }
        Some(_) | None => return None,
    };
    Some(Problem { code: ErrorCode::OutOfStock, detail })
}

fn lines(rows: Rows, priced: &Priced) -> Vec<Line> {
    let totals_of = |id: VariantId| {
        priced
            .lines
            .iter()
            .find(|line| line.variant.id == id)
            .map_or(LineTotals::default(), |line| line.totals)
    };
    let line = |row: Row| {
        let totals = totals_of(row.variant.id);
        let is_available = row.is_sold && row.available.is_none_or(|units| units >= row.line.quantity);
        Line {
            id: row.line.id,
            variant_id: row.variant.id,
            product_id: row.product.id,
            title: row.variant.title,
            sku: row.variant.sku,
            options: row.variant.options.0,
            quantity: row.line.quantity,
            unit_price_minor: row.unit_price_minor,
            discount_minor: totals.discount_minor,
            tax_minor: totals.tax_minor,
            total_minor: totals.total_minor,
            available: if row.is_sold { row.available } else { Some(0) },
            is_available,
        }
    };
    rows.0.into_iter().map(line).collect()
}

fn totals(cart: &carts::Model, priced: &Priced, problems: Vec<Problem>) -> TotalsView {
    let totals = &priced.totals;
    TotalsView {
        cart_id: cart.id,
        currency: cart.currency,
        subtotal_minor: totals.subtotal_minor,
        discount_minor: totals.discount_minor,
        promotions: priced.promotions.iter().cloned().map(AppliedView::from).collect(),
        shipping_minor: totals.shipping.total_minor - totals.shipping.tax_minor,
        tax_minor: totals.tax_minor,
        total_minor: totals.total_minor,
        gift_card_minor: 0,
        store_credit_minor: cart.store_credit_minor,
        due_minor: totals.total_minor,
        problems,
        version: cart.version,
    }
}

/// The gift card pays first, then store credit, then whatever else is chosen.
fn share(totals: &mut TotalsView, card: Option<&GiftCardChoice>, credit_left: i64) {
    let on_card = card.map_or(0, |card| card.available_minor);
    totals.gift_card_minor = Ord::min(on_card, totals.total_minor);
    let after_card = totals.total_minor - totals.gift_card_minor;
    totals.store_credit_minor = after_card.min(credit_left).min(totals.store_credit_minor);
    totals.due_minor = after_card - totals.store_credit_minor;
}

fn gift_card(row: &gift_cards::Model) -> GiftCardChoice {
    let is_active = row.status == GiftCardStatus::Active;
    GiftCardChoice {
        gift_card_id: row.id,
        last4: row.last4.clone(),
        available_minor: if is_active { row.balance_minor - row.held_minor } else { 0 },
    }
}

fn shipping(row: shipping_methods::Model) -> ShippingChoice {
    ShippingChoice {
        shipping_method_id: row.id,
        name: row.name,
        days_min: row.days_min,
        days_max: row.days_max,
    }
}

/// Store credit of the customer that nothing holds.
pub(super) async fn credit_left(conn: &impl ConnectionTrait, cart: &carts::Model) -> Result<i64> {
    let Some(customer) = cart.customer_id else { return Ok(0) };
    let account = credit_accounts::Entity::find_by_id((customer, cart.currency)).one(conn).await?;
    Ok(account.map_or(0, |account| account.balance_minor - account.held_minor))
}

/// The line of a cart with this id.
pub(super) fn line_of(lines: Vec<cart_lines::Model>, id: CartLineId) -> Result<cart_lines::Model> {
    let found = lines.into_iter().find(|line| line.id == id);
    found.ok_or_else(|| Error::not_found(format!("cart line {id}")))
}
