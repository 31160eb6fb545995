use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, ModelTrait, Set};
use serde_json::json;
use shop_domain::governance::Scope;
use shop_domain::ids::{CartId, CartLineId, CustomerId, StoreId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::CartStatus;
use shop_store::entities::{cart_lines, carts, stores as store_rows};

use super::input::{AddItem, Create, UpdateItem};
use super::read::{find_open, lines_of};
use super::totals::{line_of, view};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events, inventory, pricing, stores};

/// Opens an empty cart.
///
/// # Errors
/// When the customer or the store is out of sight.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_cart")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (customer, home) = buyer(ctx, &*tx, input.customer_id).await?;
    let store = stores::choose(ctx, &*tx, input.store_id.or(home)).await?;
    let row = carts::ActiveModel {
        id: Set(ctx.id(CartId::new)),
        store_id: Set(store.id),
        customer_id: Set(customer),
        status: Set(CartStatus::Open),
        currency: Set(store.currency),
        address_id: Set(None),
        shipping_address: Set(None),
        shipping_method_id: Set(None),
        coupon_id: Set(None),
        gift_card_id: Set(None),
        store_credit_minor: Set(0),
        order_id: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let cart = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "cart.created", cart.id, None, json!({ "customer_id": customer })).await?;
    let id = cart.id;
    let view = view(ctx, &*tx, cart, store).await?;
    tx.finish(ctx, id, view).await
}

/// Whose cart it will be, and the store they buy in.
async fn buyer(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    named: Option<CustomerId>,
) -> Result<(Option<CustomerId>, Option<StoreId>)> {
    let id = match (named, ctx.principal.scope) {
        (Some(id), _) | (None, Scope::Customer(id)) => id,
        (None, Scope::Tenant | Scope::Brand(_) | Scope::Store(_)) => return Ok((None, None)),
    };
    let customer = customers::find(ctx, tx, id).await?;
    Ok((Some(id), Some(customer.store_id)))
}

/// Adds units of a variant.
///
/// # Errors
/// When the cart is out of sight, closed or full, or the variant is not sold there.
pub async fn add_item(ctx: &Ctx, id: CartId, input: AddItem) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("add_cart_item")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    pricing::check_quantity(input.quantity, "/quantity")?;
    pricing::load_lines(ctx, &*tx, &store, cart.customer_id, &[(input.variant_id, input.quantity)]).await?;
    let lines = lines_of(&*tx, id).await?;
    let position = lines.last().map_or(0, |line| line.position + 1);
    let is_full = lines.len() >= limits::LINES_MAX;
    match lines.into_iter().find(|line| line.variant_id == input.variant_id) {
        Some(line) => {
            let quantity = line.quantity + input.quantity;
            pricing::check_quantity(quantity, "/quantity")?;
            let mut row = line.into_active_model();
            row.quantity = Set(quantity);
            row.update(&*tx).await?;
        }
        None if is_full => {
            return Err(Error::invalid(
                "/variant_id",
                format!("a cart has at most {} lines", limits::LINES_MAX),
            ));
        }
        None => {
            let row = cart_lines::ActiveModel {
                id: Set(ctx.id(CartLineId::new)),
                cart_id: Set(id),
                variant_id: Set(input.variant_id),
                quantity: Set(input.quantity),
                position: Set(position),
            };
            row.insert(&*tx).await?;
        }
    }
    let data = json!({ "variant_id": input.variant_id, "quantity": input.quantity });
    events::record(&*tx, ctx, "cart.item_added", id, None, data).await?;
    let view = touched(ctx, &*tx, cart, store).await?;
    tx.finish(ctx, id, view).await
}

/// Changes how many units of a line there are.
///
/// # Errors
/// When the cart or the line is out of sight, or the cart is closed.
pub async fn update_item(ctx: &Ctx, id: CartId, line: CartLineId, input: UpdateItem) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_cart_item")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    pricing::check_quantity(input.quantity, "/quantity")?;
    let row = line_of(lines_of(&*tx, id).await?, line)?;
    inventory::keep_at_most(&*tx, &id.to_string(), row.variant_id, input.quantity).await?;
    let mut row = row.into_active_model();
    row.quantity = Set(input.quantity);
    row.update(&*tx).await?;
    let data = json!({ "line_id": line, "quantity": input.quantity });
    events::record(&*tx, ctx, "cart.item_updated", id, None, data).await?;
    let view = touched(ctx, &*tx, cart, store).await?;
    tx.finish(ctx, id, view).await
}

/// Drops a line, and gives back what was held for it.
///
/// # Errors
/// When the cart or the line is out of sight, or the cart is closed.
pub async fn remove_item(ctx: &Ctx, id: CartId, line: CartLineId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("remove_cart_item")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let row = line_of(lines_of(&*tx, id).await?, line)?;
    inventory::keep_at_most(&*tx, &id.to_string(), row.variant_id, 0).await?;
    row.delete(&*tx).await?;
    events::record(&*tx, ctx, "cart.item_removed", id, None, json!({ "line_id": line })).await?;
    let view = touched(ctx, &*tx, cart, store).await?;
    tx.finish(ctx, id, view).await
}

/// The cart after its lines have changed, one version on.
async fn touched(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    cart: carts::Model,
    store: store_rows::Model,
) -> Result<View> {
    let row = cart.clone().into_active_model();
    save(ctx, tx, &cart, row, store).await
}

/// Saves a changed cart, one version on.
pub(super) async fn save(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    before: &carts::Model,
    mut row: carts::ActiveModel,
    store: store_rows::Model,
) -> Result<View> {
    row.updated_at = Set(ctx.now());
    row.version = Set(before.version + 1);
    let cart = row.update(tx).await?;
    view(ctx, tx, cart, store).await
}
