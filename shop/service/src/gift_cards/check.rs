use shop_domain::governance::sees;
use shop_domain::operations::operation;
use shop_domain::status::GiftCardStatus;

use super::guess::try_code;
use super::input::Check;
use super::read::owner;
use super::view::BalanceView;
use crate::Ctx;
use crate::error::{Error, Result};

/// What a full code is worth.
///
/// # Errors
/// `rate_limited` after twenty tries within an hour; `not_found` for a code that is nobody's or somebody else's.
pub async fn check(ctx: &Ctx, input: Check) -> Result<BalanceView> {
    ctx.may(operation("check_gift_card_balance"))?;
    let missing = || Error::not_found("gift card with this code");
    let card = try_code(ctx, &input.code).await?.ok_or_else(missing)?;
    // A card that is nobody's belongs to whoever knows its code.
    if card.customer_id.is_some() && !sees(&ctx.principal.scope, &owner(ctx.read()?, &card).await?) {
        return Err(missing());
    }
    let is_disabled = card.status == GiftCardStatus::Disabled;
    Ok(BalanceView {
        gift_card_id: card.id,
        last4: card.last4,
        currency: card.currency,
        available_minor: if is_disabled { 0 } else { card.balance_minor - card.held_minor },
        status: card.status,
        version: card.version,
    })
}
