//! Ada Byron's ten orders, which the tutorials name, and her open cart.

use anyhow::{Context, Result};
use chrono::TimeDelta;
use shop_domain::ids::{CartId, CartLineId, OrderId};
use shop_domain::reasons::{CancelReason, ReturnReason};
use shop_domain::status::CartStatus;
use shop_store::entities::{cart_lines, carts};

use super::{Cast, Shopper, Where};
use crate::Demo;
use crate::ground::Ground;
use crate::history::{Back, Basket, History, Instrument, Item, Reply};

/// Ada at the shop: who she is, and what she pays with.
struct Ada<'a> {
    cast: &'a Cast,
    shopper: &'a Shopper,
    visa: Instrument,
    paypal: Instrument,
}

impl<'a> Ada<'a> {
    fn new(cast: &'a Cast) -> Result<Self> {
        let shopper = cast.shopper(0)?;
        let mut methods = shopper.methods.iter().map(Instrument::saved);
        let visa = methods.next().context("Ada has a card")?;
        let paypal = methods.next().context("Ada has a PayPal account")?;
        Ok(Self { cast, shopper, visa, paypal })
    }

    /// What she puts into the basket, so many hours ago.
    fn basket(
        &self,
        hours_ago: i64,
        method: &str,
        items: &[(&str, u32)],
        ground: &Ground,
    ) -> Result<Basket<'a>> {
        let site = self.cast.sites.of(Where::De);
        let wanted = site.methods.iter().find(|row| row.name == method);
        let home = self.shopper.addresses.first().context("Ada has a home")?;
        let mut found = Vec::with_capacity(items.len());
        for (title, quantity) in items {
            found.push(Item { variant: self.cast.variant(title)?, quantity: *quantity });
        }
        Ok(Basket {
            site,
            customer: &self.shopper.customer,
            address: home.address.clone(),
            items: found,
            method: Some(wanted.context("a method the store does not have")?.clone()),
            coupon: None,
            placed_at: ground.now - TimeDelta::hours(hours_ago),
        })
    }
}

/// The ten orders, one state of the world each.
pub(super) fn orders(ground: &mut Ground, cast: &Cast) -> Result<Demo> {
    let ada = Ada::new(cast)?;
    let orders = [
        (1_001, paid_unshipped(ground, &ada)?),
        (1_002, in_transit(ground, &ada)?),
        (1_003, delivered_in_window(ground, &ada)?),
        (1_004, delivered_out_of_window(ground, &ada)?),
        (1_005, authorized(ground, &ada)?),
        (1_006, cancelled(ground, &ada)?),
        (1_007, lost(ground, &ada)?),
        (1_008, return_received(ground, &ada)?),
        (1_009, refund_unknown(ground, &ada)?),
        (1_010, payment_unknown(ground, &ada)?),
    ];
    Ok(Demo {
        customer_id: Some(ada.shopper.customer.id),
        store_id: Some(ada.shopper.customer.store_id),
        cart_id: None,
        orders: orders.into_iter().map(|(number, id)| (format!("#{number}"), id)).collect(),
        tokens: crate::staff::tokens(ground),
    })
}

fn paid_unshipped(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = ada.basket(20, "Standard", &[("Blue mug", 2), ("Linen tea towel, striped", 1)], ground)?;
    History::placed(ground, basket)?.numbered(1_001).paid(&ada.visa)?.end()
}

/// Express was paid for, and standard was sent.
fn in_transit(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = ada.basket(60, "Express", &[("Black desk lamp", 1)], ground)?;
    let order = History::placed(ground, basket)?.numbered(1_002).paid(&ada.visa)?;
    order.sent()?.by_method("Standard")?.scanned()?.end()
}

fn delivered_in_window(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let items = [("Trail shoes, grey, 42", 1), ("Wool socks, 39-42", 2)];
    let basket = ada.basket(9 * 24, "Standard", &items, ground)?;
    History::placed(ground, basket)?.numbered(1_003).paid(&ada.visa)?.in_transit()?.delivered()?.end()
}

fn delivered_out_of_window(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = Basket {
        coupon: Some(ada.cast.coupon("WELCOME10")?),
        ..ada.basket(60 * 24, "Standard", &[("Linen shirt, white, M", 1), ("Leather belt, M", 1)], ground)?
    };
    History::placed(ground, basket)?.numbered(1_004).paid(&ada.paypal)?.in_transit()?.delivered()?.end()
}

fn authorized(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = ada.basket(3, "Express", &[("Power bank, 20 Ah", 1)], ground)?;
    History::placed(ground, basket)?.numbered(1_005).held_on(&ada.visa)?.end()
}

fn cancelled(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = ada.basket(8 * 24, "Standard", &[("Rust wool scarf", 1)], ground)?;
    let order = History::placed(ground, basket)?.numbered(1_006).held_on(&ada.visa)?.wait_hours(2);
    order.cancelled(Some(CancelReason::OrderedByMistake))?.voided(Reply::Done)?.end()
}

fn lost(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = ada.basket(12 * 24, "Standard", &[("Black Bluetooth speaker", 1)], ground)?;
    History::placed(ground, basket)?.numbered(1_007).paid(&ada.visa)?.in_transit()?.lost()?.end()
}

fn return_received(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket =
        ada.basket(14 * 24, "Standard", &[("Denim jeans, 32", 1), ("T-shirt, navy, M", 1)], ground)?;
    let order =
        History::placed(ground, basket)?.numbered(1_008).paid(&ada.visa)?.in_transit()?.delivered()?;
    order.came_back(&[0], ReturnReason::WrongSize)?.end()
}

/// The money has gone back, and the answer that says so never came.
fn refund_unknown(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket =
        ada.basket(5 * 24, "Standard", &[("Teapot, 0.8 l", 1), ("White espresso cup", 2)], ground)?;
    let order = History::placed(ground, basket)?.numbered(1_009).paid(&ada.visa)?.wait_hours(5);
    order.refund_decided(Back::unshipped(&[0]))?.refund_sent(Reply::LostAfter)?.end()
}

/// The money is held, and the answer that says so never came.
fn payment_unknown(ground: &mut Ground, ada: &Ada<'_>) -> Result<OrderId> {
    let basket = ada.basket(6, "Standard", &[("Webcam", 1)], ground)?;
    History::placed(ground, basket)?.numbered(1_010).opened(&ada.visa)?.authorized(Reply::LostAfter)?.end()
}

/// Two lines, an address and a method: ready to be checked out.
pub(super) fn cart(ground: &mut Ground, cast: &Cast, demo: &mut Demo) -> Result<()> {
    let ada = Ada::new(cast)?;
    let basket = ada.basket(1, "Standard", &[("Blue mug", 1), ("Cutting board, oak", 1)], ground)?;
    let at = basket.placed_at;
    let id = ground.draw.id(at, CartId::new);
    ground.rows.carts.push(carts::Model {
        id,
        store_id: basket.site.store.id,
        customer_id: Some(basket.customer.id),
        status: CartStatus::Open,
        currency: basket.site.store.currency,
        address_id: None,
        shipping_address: None,
        shipping_method_id: None,
        coupon_id: None,
        gift_card_id: None,
        store_credit_minor: 0,
        order_id: None,
        created_at: at,
        updated_at: at,
        version: 1,
    });
    for (position, item) in (0..).zip(basket.items) {
        ground.rows.cart_lines.push(cart_lines::Model {
            id: ground.draw.id(at, CartLineId::new),
            cart_id: id,
            variant_id: item.variant.id,
            quantity: i64::from(item.quantity),
            position,
        });
    }
    demo.cart_id = Some(id);
    Ok(())
}
