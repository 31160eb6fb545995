//! What the buyer means to pay with. It is written down only: payments of the order do the taking.

use sea_orm::{IntoActiveModel, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::CartId;
use shop_domain::operations::operation;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::{carts, gift_cards as card_rows};

use super::input::{ApplyGiftCard, ApplyStoreCredit};
use super::items::save;
use super::read::find_open;
use super::totals::credit_left;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, gift_cards};

/// Notes a gift card on a cart, or takes it off.
///
/// # Errors
/// When the cart is out of sight or closed, or the card cannot pay for it.
pub async fn apply_gift_card(ctx: &Ctx, id: CartId, input: ApplyGiftCard) -> Result<Reply<View>> {
    let operation = operation("apply_cart_gift_card");
    let known = gift_cards::try_code_for::<View>(ctx, operation, input.code.as_deref()).await?;
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let card = match input.code {
        Some(_) => Some(usable(&cart, known)?.id),
        None => None,
    };
    let mut row = cart.clone().into_active_model();
    row.gift_card_id = Set(card);
    events::record(&*tx, ctx, "cart.gift_card_applied", id, None, json!({ "gift_card_id": card })).await?;
    let view = save(ctx, &*tx, &cart, row, store).await?;
    tx.finish(ctx, id, view).await
}

/// A card with something on it, of nobody or of the cart's own customer.
fn usable(cart: &carts::Model, known: Option<card_rows::Model>) -> Result<card_rows::Model> {
    let is_theirs =
        |card: &card_rows::Model| card.customer_id.is_none() || card.customer_id == cart.customer_id;
    let card = known.filter(is_theirs).ok_or_else(|| Error::not_found("gift card with this code"))?;
    if card.currency != cart.currency {
        let detail = format!("the gift card is in {}, and the cart in {}", card.currency, cart.currency);
        return Err(Error::precondition("currency_mismatch", detail));
    }
    if card.status != GiftCardStatus::Active || card.balance_minor <= card.held_minor {
        return Err(Error::new(ErrorCode::PaymentDeclined, "there is nothing on this gift card")
            .with_rule("insufficient_balance"));
    }
    Ok(card)
}

/// Notes how much store credit to use at most.
///
/// # Errors
/// When the cart is out of sight or closed, or the customer has less.
pub async fn apply_store_credit(ctx: &Ctx, id: CartId, input: ApplyStoreCredit) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("apply_cart_store_credit")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let left = credit_left(&*tx, &cart).await?;
    if input.amount_minor < 0 || input.amount_minor > left {
        return Err(Error::invalid("/amount_minor", format!("0 to {left} of store credit can be used")));
    }
    let mut row = cart.clone().into_active_model();
    row.store_credit_minor = Set(input.amount_minor);
    let data = json!({ "amount_minor": input.amount_minor });
    events::record(&*tx, ctx, "cart.store_credit_applied", id, None, data).await?;
    let view = save(ctx, &*tx, &cart, row, store).await?;
    tx.finish(ctx, id, view).await
}
