//! The placing of an order: what it costs, what it holds.

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::ids::{OrderId, OrderLineId, ReservationId};
use shop_domain::ledger::Sale;
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus, ReservationStatus};
use shop_domain::totals::{self, BasketLine, Discount, LineTotals, Shipping, TaxMode, Totals};
use shop_service::promotions::discount;
use shop_service::shipping::price_of;
use shop_service::taxes::rate;
use shop_store::entities::{
    coupons, customers, order_lines, order_promotions, orders, promotions, reservations, shipping_methods,
    variants,
};

use super::{History, Site};
use crate::ground::Ground;

/// What is ordered, by whom, and how.
pub(crate) struct Basket<'a> {
    pub(crate) site: &'a Site,
    pub(crate) customer: &'a customers::Model,
    pub(crate) address: Address,
    pub(crate) items: Vec<Item>,
    pub(crate) method: Option<shipping_methods::Model>,
    pub(crate) coupon: Option<(coupons::Model, promotions::Model)>,
    pub(crate) placed_at: DateTime<Utc>,
}

#[derive(Clone)]
pub(crate) struct Item {
    pub(crate) variant: variants::Model,
    pub(crate) quantity: u32,
}

impl<'g> History<'g> {
    /// A customer places an order: they owe its total, and its stock is held.
    pub(crate) fn placed(ground: &'g mut Ground, basket: Basket<'_>) -> Result<Self> {
        let mut history = Self::open(ground, basket, OrderStatus::Pending)?;
        history.owe()?;
        history.hold_stock();
        let total = history.order.total_minor;
        history.tell("order.placed", history.order.id, json!({ "total_minor": total }));
        history.refresh();
        history.pass_minutes(1);
        Ok(history)
    }

    /// Staff write a draft for a customer: nothing is owed or held until it is accepted.
    pub(crate) fn drafted(ground: &'g mut Ground, basket: Basket<'_>) -> Result<Self> {
        let mut history = Self::open(ground, basket, OrderStatus::Draft)?;
        history.tell("order.drafted", history.order.id, json!({}));
        history.refresh();
        history.pass_minutes(1);
        Ok(history)
    }

    fn open(ground: &'g mut Ground, basket: Basket<'_>, status: OrderStatus) -> Result<Self> {
        let totals = price(&basket)?;
        let at = basket.placed_at;
        let id = ground.draw.id(at, OrderId::new);
        if let Some((coupon, promotion)) = &basket.coupon {
            use_coupon(ground, coupon)?;
            count(ground, promotion, totals.discount_minor)?;
            ground.rows.order_promotions.push(order_promotions::Model {
                order_id: id,
                promotion_id: promotion.id,
                coupon_id: Some(coupon.id),
                discount_minor: totals.discount_minor,
            });
        }
        let order = order(id, &basket, &totals, status);
        let mut lines = Vec::with_capacity(basket.items.len());
        for (position, (item, totals)) in (0..).zip(basket.items.iter().zip(&totals.lines)) {
            lines.push(line(ground.draw.id(at, OrderLineId::new), id, position, item, totals));
        }
        let mut reservations = Vec::new();
        for item in basket.items.iter().filter(|item| item.variant.is_tracked) {
            reservations.push(reservations::Model {
                id: ground.draw.id(at, ReservationId::new),
                variant_id: item.variant.id,
                location_id: basket.site.location_id,
                quantity: i64::from(item.quantity),
                holder: id.to_string(),
                // Until the order is placed nothing is held.
                status: ReservationStatus::Released,
                expires_at: None,
                created_at: at,
            });
        }
        Ok(Self {
            ground,
            site: basket.site.clone(),
            at,
            sale: Sale::of(&totals)?,
            order,
            lines,
            reservations,
            payments: Vec::new(),
            attempts: Vec::new(),
            refunds: Vec::new(),
            parcels: Vec::new(),
            returns: Vec::new(),
            exchanges: Vec::new(),
            approvals: Vec::new(),
            edits: Vec::new(),
            links: Vec::new(),
            disputes: Vec::new(),
        })
    }

    pub(super) fn hold_stock(&mut self) {
        for row in &mut self.reservations {
            row.status = ReservationStatus::Active;
        }
    }
}

/// One more use of a coupon; the table itself forbids more than its limit.
fn use_coupon(ground: &mut Ground, coupon: &coupons::Model) -> Result<()> {
    let row = ground.rows.coupons.iter_mut().find(|row| row.id == coupon.id);
    row.context("a coupon that was never made")?.used += 1;
    Ok(())
}

/// One more order that a promotion took something off.
fn count(ground: &mut Ground, promotion: &promotions::Model, discount_minor: i64) -> Result<()> {
    let row = ground.rows.promotions.iter_mut().find(|row| row.id == promotion.id);
    let row = row.context("a promotion that was never made")?;
    row.used += 1;
    row.spent_minor += discount_minor;
    Ok(())
}

fn price(basket: &Basket<'_>) -> Result<Totals> {
    let tax = |category: &str| rate(&basket.site.tax_rates, Some(&basket.address), category);
    let lines = basket.items.iter().map(|item| BasketLine {
        unit_price_minor: item.variant.price_minor,
        quantity: item.quantity,
        tax: tax(&item.variant.tax_category),
    });
    let discounts: Vec<Discount> = match &basket.coupon {
        Some((_, promotion)) => vec![discount(promotion)?],
        None => Vec::new(),
    };
    let over = |part: fn(&variants::Model) -> i64| -> i64 {
        basket.items.iter().map(|item| part(&item.variant) * i64::from(item.quantity)).sum()
    };
    let (subtotal, weight) = (over(|variant| variant.price_minor), over(|variant| variant.weight_g));
    let shipping = basket
        .method
        .as_ref()
        .map(|method| Shipping { price_minor: price_of(method, subtotal, weight), tax: tax("shipping") });
    let (currency, tax_mode) = (basket.site.store.currency, TaxMode::Exclusive);
    Ok(totals::totals(&totals::Basket { currency, tax_mode, lines: lines.collect(), discounts, shipping })?)
}

fn order(id: OrderId, basket: &Basket<'_>, totals: &Totals, status: OrderStatus) -> orders::Model {
    let shipping = &totals.shipping;
    orders::Model {
        id,
        number: 0,
        external_id: None,
        store_id: basket.site.store.id,
        brand_id: basket.site.store.brand_id,
        customer_id: Some(basket.customer.id),
        cart_id: None,
        status,
        payment_status: OrderPaymentStatus::Unpaid,
        fulfillment_status: OrderFulfillmentStatus::Unfulfilled,
        currency: totals.currency,
        subtotal_minor: totals.subtotal_minor,
        discount_minor: totals.discount_minor - shipping.discount_minor,
        shipping_minor: shipping.total_minor - shipping.tax_minor,
        shipping_tax_minor: shipping.tax_minor,
        tax_minor: totals.tax_minor,
        total_minor: totals.total_minor,
        shipping_refunded_minor: 0,
        adjusted_minor: 0,
        coupon_id: basket.coupon.as_ref().map(|(coupon, _)| coupon.id),
        shipping_address: basket.address.clone(),
        shipping_method_id: basket.method.as_ref().map(|method| method.id),
        shipped_method_id: None,
        contact_email: basket.customer.email.clone(),
        contact_phone: basket.customer.phone.clone(),
        is_tax_exempt: false,
        is_edited: false,
        cancel_reason: None,
        placed_at: basket.placed_at,
        cancelled_at: None,
        delivered_at: None,
        updated_at: basket.placed_at,
        version: 0,
    }
}

fn line(
    id: OrderLineId,
    order_id: OrderId,
    position: i64,
    item: &Item,
    totals: &LineTotals,
) -> order_lines::Model {
    let variant = &item.variant;
    order_lines::Model {
        id,
        order_id,
        position,
        variant_id: variant.id,
        product_id: variant.product_id,
        title: variant.title.clone(),
        sku: variant.sku.clone(),
        options: variant.options.clone(),
        quantity: i64::from(item.quantity),
        unit_price_minor: variant.price_minor,
        discount_minor: totals.discount_minor,
        tax_minor: totals.tax_minor,
        total_minor: totals.total_minor,
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
