use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::ids::CartId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::CartStatus;
use shop_store::entities::{carts, customers};

use super::input::PlaceOrder;
use super::read::{find_open, lines_of, no_address};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, orders};

/// Turns a cart into an order and reserves its stock. Charges nothing.
///
/// # Errors
/// When the cart is out of sight, closed or not complete, or something in it cannot be had as shown; then nothing is
/// changed.
pub async fn place_order(ctx: &Ctx, id: CartId, input: PlaceOrder) -> Result<Reply<orders::View>> {
    let tx = match ctx.start(operation("place_order_from_cart")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, _) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let lines = lines_of(&*tx, id).await?;
    let basket = orders::Basket {
        store_id: cart.store_id,
        customer_id: cart.customer_id,
        lines: lines.into_iter().map(|line| (line.variant_id, line.quantity)).collect(),
        address: cart.shipping_address.clone().ok_or_else(no_address)?,
        shipping_method_id: cart.shipping_method_id.ok_or_else(no_method)?,
        coupon_id: cart.coupon_id,
        cart_id: Some(id),
        contact_email: contact(&*tx, &cart, input.contact_email).await?,
        holder: Some(id.to_string()),
        agreed_total_minor: input.agreed_total_minor,
    };
    let order = orders::place(&*tx, ctx, basket).await?;
    let version = cart.version + 1;
    let mut row = cart.into_active_model();
    row.status = Set(CartStatus::Ordered);
    row.order_id = Set(Some(order.id));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(&*tx).await?;
    events::record(&*tx, ctx, "cart.ordered", id, Some(order.id), json!({ "order_id": order.id })).await?;
    let view = orders::view(&*tx, order.id).await?;
    tx.finish(ctx, order.id, view).await
}

pub(super) fn no_method() -> Error {
    Error::precondition(
        "cart_has_no_shipping_option",
        "choose how to ship it: list_cart_shipping_options, then select_cart_shipping_option",
    )
}

async fn contact(tx: &impl ConnectionTrait, cart: &carts::Model, given: Option<String>) -> Result<String> {
    if let Some(email) = given {
        let is_plausible = email.len() <= limits::EMAIL_CHARS_MAX
            && email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        let message = "an email address such as ada@example.com";
        return is_plausible.then_some(email).ok_or_else(|| Error::invalid("/contact_email", message));
    }
    let customer = match cart.customer_id {
        Some(id) => customers::Entity::find_by_id(id).one(tx).await?,
        None => None,
    };
    let missing = || Error::invalid("/contact_email", "a guest has to give an email address");
    customer.map(|customer| customer.email).ok_or_else(missing)
}
