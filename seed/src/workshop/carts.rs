//! Carts that came to an end: those that became an order. One that was left behind is in `customers.rs`, for only
//! erasing its customer leaves a cart behind.

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use serde_json::json;
use shop_domain::ids::{CartId, CartLineId};
use shop_domain::status::CartStatus;
use shop_store::entities::{cart_lines, carts};

use super::Cast;
use super::baskets::Placed::{HoursAgo, WeeksAgo};
use super::baskets::basket_abroad;
use crate::ground::Ground;
use crate::history::{Basket, History};

/// Baskets are numbered; nobody else has these.
const FIRST_BASKET: usize = 1_300;

pub(super) fn build(ground: &mut Ground, cast: &Cast) -> Result<()> {
    for (nth, placed) in (FIRST_BASKET..).zip([WeeksAgo, HoursAgo(20)]) {
        let (basket, pay) = basket_abroad(ground, cast, nth, placed)?;
        let at = basket.placed_at;
        let id = filled(ground, at, &basket);
        let order = History::placed(ground, basket)?.was_cart(id).paid(&pay)?.end()?;
        let cart = ground.rows.carts.iter_mut().find(|row| row.id == id);
        let cart = cart.context("a cart that was just filled")?;
        cart.status = CartStatus::Ordered;
        cart.order_id = Some(order);
        cart.updated_at = at;
        cart.version += 1;
        let data = json!({ "order_id": order });
        ground.books.event(&ground.draw, at, "cart.ordered", id, Some(order), data);
    }
    Ok(())
}

/// An open cart with all of a basket in it, ready to be ordered.
pub(super) fn filled(ground: &mut Ground, at: DateTime<Utc>, basket: &Basket<'_>) -> CartId {
    let id = ground.draw.id(at, CartId::new);
    let customer = basket.customer.id;
    let data = json!({ "customer_id": customer });
    ground.books.event(&ground.draw, at, "cart.created", id, None, data);
    for (position, item) in (0..).zip(&basket.items) {
        let (variant_id, quantity) = (item.variant.id, i64::from(item.quantity));
        ground.rows.cart_lines.push(cart_lines::Model {
            id: ground.draw.id(at, CartLineId::new),
            cart_id: id,
            variant_id,
            quantity,
            position,
        });
        let data = json!({ "variant_id": variant_id, "quantity": quantity });
        ground.books.event(&ground.draw, at, "cart.item_added", id, None, data);
    }
    let home = ground.rows.addresses.iter().find(|row| row.customer_id == customer && row.is_default);
    let address_id = home.map(|row| row.id);
    let data = json!({ "address_id": address_id });
    ground.books.event(&ground.draw, at, "cart.address_set", id, None, data);
    let shipping_method_id = basket.method.as_ref().map(|method| method.id);
    let data = json!({ "shipping_method_id": shipping_method_id });
    ground.books.event(&ground.draw, at, "cart.shipping_selected", id, None, data);
    ground.rows.carts.push(carts::Model {
        id,
        store_id: basket.site.store.id,
        customer_id: Some(customer),
        status: CartStatus::Open,
        currency: basket.site.store.currency,
        address_id,
        shipping_address: Some(basket.address.clone()),
        shipping_method_id,
        coupon_id: None,
        gift_card_id: None,
        store_credit_minor: 0,
        order_id: None,
        created_at: at,
        updated_at: at,
        version: 5,
    });
    id
}
