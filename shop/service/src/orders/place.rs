use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{
    CartId, CouponId, CustomerId, OrderId, OrderLineId, ShippingMethodId, StoreId, VariantId,
};
use shop_domain::ledger::{Sale, order_placed};
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};
use shop_store::entities::{counters, customers, order_lines, orders, variants};

use super::refresh::refresh;
use crate::error::{Error, Result};
use crate::pricing::{self, Priced, PricedLine};
use crate::{Ctx, events, inventory, ledger, promotions};

/// The counter that numbers orders.
const ORDER_NUMBERS: &str = "order_number";

/// Everything an order is made of.
#[derive(Clone, Debug)]
pub(crate) struct Basket {
    pub(crate) store_id: StoreId,
    pub(crate) customer_id: Option<CustomerId>,
    pub(crate) lines: Vec<(VariantId, i64)>,
    pub(crate) address: Address,
    pub(crate) shipping_method_id: ShippingMethodId,
    pub(crate) coupon_id: Option<CouponId>,
    pub(crate) cart_id: Option<CartId>,
    pub(crate) contact_email: String,
    /// Who holds stock for it already, if anybody.
    pub(crate) holder: Option<String>,
    /// The total that was agreed to; another one is refused.
    pub(crate) agreed_total_minor: Option<i64>,
}

/// Turns a basket into an order and reserves its stock. Charges nothing.
///
/// # Errors
/// When something cannot be bought, delivered or discounted as agreed; then nothing is changed.
pub(crate) async fn place(tx: &impl ConnectionTrait, ctx: &Ctx, basket: Basket) -> Result<orders::Model> {
    if basket.lines.is_empty() {
        return Err(Error::precondition("cart_is_empty", "there is nothing to order; add an item first"));
    }
    must_not_be_blocked(tx, basket.customer_id).await?;
    let to_price = pricing::Basket {
        store_id: basket.store_id,
        customer_id: basket.customer_id,
        lines: basket.lines.clone(),
        address: Some(basket.address.clone()),
        shipping_method_id: Some(basket.shipping_method_id),
        coupon_id: basket.coupon_id,
    };
    let priced = pricing::price_held(ctx, tx, &to_price, basket.holder.as_deref()).await?;
    let total = priced.totals.total_minor;
    if basket.agreed_total_minor.is_some_and(|agreed| agreed != total) {
        return Err(Error::new(
            ErrorCode::PriceChanged,
            format!("the total is {total} now, not what was agreed to; look again"),
        ));
    }
    if let Some((coupon, _)) = &priced.coupon {
        let is_held = match &basket.holder {
            Some(holder) => inventory::spend_use(tx, holder, coupon.id).await?,
            None => false,
        };
        if !is_held {
            pricing::take_use(tx, coupon.id).await?;
        }
    }
    let order = insert(tx, ctx, &basket, &priced, OrderStatus::Pending).await?;
    promotions::take(tx, order.id, &priced.promotions).await?;
    for (position, line) in (0..).zip(&priced.lines) {
        insert_line(tx, ctx, order.id, position, line).await?;
    }
    hold_stock(tx, ctx, &basket, &priced, order.id).await?;
    let sale = Sale::of(&priced.totals)?;
    ledger::post(tx, ctx, &order_placed(&sale)?, ledger::Refs::order(&order), "placed").await?;
    events::record(tx, ctx, "order.placed", order.id, Some(order.id), json!({ "total_minor": total }))
        .await?;
    refresh(tx, ctx, order.id).await
}

/// # Errors
/// When the customer may not buy.
pub(super) async fn must_not_be_blocked(
    tx: &impl ConnectionTrait,
    customer: Option<CustomerId>,
) -> Result<()> {
    let Some(id) = customer else { return Ok(()) };
    let row = customers::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::not_found(format!("customer {id}")))?;
    if row.status.is_welcome() {
        return Ok(());
    }
    Err(Error::not_eligible(
        "customer_blocked",
        format!("customer {id} is {}; new orders are refused", row.status),
    ))
}

pub(super) async fn insert(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    basket: &Basket,
    priced: &Priced,
    status: OrderStatus,
) -> Result<orders::Model> {
    let totals = &priced.totals;
    let row = orders::ActiveModel {
        id: Set(ctx.id(OrderId::new)),
        number: Set(next_number(tx).await?),
        external_id: Set(None),
        store_id: Set(priced.store.id),
        brand_id: Set(priced.store.brand_id),
        customer_id: Set(basket.customer_id),
        cart_id: Set(basket.cart_id),
        status: Set(status),
        payment_status: Set(OrderPaymentStatus::Unpaid),
        fulfillment_status: Set(OrderFulfillmentStatus::Unfulfilled),
        currency: Set(priced.store.currency),
        subtotal_minor: Set(totals.subtotal_minor),
        discount_minor: Set(totals.discount_minor - totals.shipping.discount_minor),
        shipping_minor: Set(totals.shipping.total_minor - totals.shipping.tax_minor),
        shipping_tax_minor: Set(totals.shipping.tax_minor),
        tax_minor: Set(totals.tax_minor),
        total_minor: Set(totals.total_minor),
        shipping_refunded_minor: Set(0),
        adjusted_minor: Set(0),
        coupon_id: Set(basket.coupon_id),
        shipping_address: Set(basket.address.clone()),
        shipping_method_id: Set(Some(basket.shipping_method_id)),
        shipped_method_id: Set(None),
        contact_email: Set(basket.contact_email.clone()),
        contact_phone: Set(None),
        is_tax_exempt: Set(priced.is_tax_exempt),
        is_edited: Set(false),
        cancel_reason: Set(None),
        placed_at: Set(ctx.now()),
        cancelled_at: Set(None),
        delivered_at: Set(None),
        updated_at: Set(ctx.now()),
        version: Set(0),
    };
    Ok(row.insert(tx).await?)
}

pub(super) async fn insert_line(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: OrderId,
    position: i64,
    line: &PricedLine,
) -> Result<()> {
    let row = order_lines::Model {
        position,
        unit_price_minor: line.unit_price_minor,
        discount_minor: line.totals.discount_minor,
        tax_minor: line.totals.tax_minor,
        total_minor: line.totals.total_minor,
        ..new_line(ctx.id(OrderLineId::new), order, &line.variant, line.quantity)
    };
    row.into_active_model().reset_all().insert(tx).await?;
    Ok(())
}

/// A line of units that are still here, at their price of now and before discount and tax.
pub(crate) fn new_line(
    id: OrderLineId,
    order_id: OrderId,
    variant: &variants::Model,
    quantity: i64,
) -> order_lines::Model {
    order_lines::Model {
        id,
        order_id,
        position: 0,
        variant_id: variant.id,
        product_id: variant.product_id,
        title: variant.title.clone(),
        sku: variant.sku.clone(),
        options: variant.options.clone(),
        quantity,
        unit_price_minor: variant.price_minor,
        discount_minor: 0,
        tax_minor: 0,
        total_minor: 0,
        allocated_quantity: 0,
        shipped_quantity: 0,
        delivered_quantity: 0,
        cancelled_quantity: 0,
        return_quantity: 0,
        received_quantity: 0,
        refunded_quantity: 0,
        refunded_minor: 0,
    }
}

/// What a holder has is handed over; what is missing is reserved now.
async fn hold_stock(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    basket: &Basket,
    priced: &Priced,
    order: OrderId,
) -> Result<()> {
    let order = order.to_string();
    let held = match &basket.holder {
        Some(holder) => inventory::consume(tx, holder, &order).await?,
        None => Vec::new(),
    };
    for line in &priced.lines {
        let has: i64 =
            held.iter().filter(|row| row.variant_id == line.variant.id).map(|row| row.quantity).sum();
        if has < line.quantity {
            inventory::reserve(tx, ctx, &line.variant, line.quantity - has, &order, None).await?;
        } else if has > line.quantity {
            inventory::restock(tx, &order, line.variant.id, has - line.quantity).await?;
        }
    }
    for row in held {
        if !priced.lines.iter().any(|line| line.variant.id == row.variant_id) {
            inventory::restock(tx, &order, row.variant_id, row.quantity).await?;
        }
    }
    Ok(())
}

async fn next_number(tx: &impl ConnectionTrait) -> Result<i64> {
    let row = counters::Entity::find_by_id(ORDER_NUMBERS.to_owned()).one(tx).await?;
    let Some(row) = row else {
        let first = counters::ActiveModel { name: Set(ORDER_NUMBERS.to_owned()), value: Set(1_001) };
        return Ok(first.insert(tx).await?.value);
    };
    let next = row.value + 1;
    let mut row = row.into_active_model();
    row.value = Set(next);
    row.update(tx).await?;
    Ok(next)
}
