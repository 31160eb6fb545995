use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::governance::sees;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::{events, gift_cards};

use super::input::{Check, normalized};
use super::read::owner;
use super::view::BalanceView;
use crate::error::{Error, Result};
use crate::{Ctx, events as log};

/// The event that counts a check, hit or miss.
const CHECKED: &str = "gift_card.balance_checked";

/// What a full code is worth. Every try counts, because misses are how codes are guessed.
///
/// # Errors
/// `rate_limited` after twenty tries within an hour; `not_found` for a code that is nobody's or somebody else's.
pub async fn check(ctx: &Ctx, input: Check) -> Result<BalanceView> {
    ctx.may(operation("check_gift_card_balance"))?;
    let code = normalized(&input.code)?;
    let tx = ctx.begin().await?;
    must_not_be_guessing(&*tx, ctx).await?;
    let card = gift_cards::Entity::find().filter(gift_cards::Column::Code.eq(code)).one(&*tx).await?;
    let card = match card {
        // A card that is nobody's belongs to whoever knows its code.
        Some(card)
            if card.customer_id.is_none() || sees(&ctx.principal.scope, &owner(&*tx, &card).await?) =>
        {
            Some(card)
        }
        Some(_) | None => None,
    };
    let data = json!({ "found": card.is_some() });
    log::record(&*tx, ctx, CHECKED, ctx.principal.id, None, data).await?;
    tx.commit().await?;
    let card = card.ok_or_else(|| Error::not_found("gift card with this code"))?;
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

async fn must_not_be_guessing(tx: &impl ConnectionTrait, ctx: &Ctx) -> Result<()> {
    let hour = TimeDelta::hours(1);
    let tries = events::Entity::find()
        .filter(events::Column::Kind.eq(CHECKED))
        .filter(events::Column::Subject.eq(ctx.principal.id.to_string()))
        .filter(events::Column::At.gt(ctx.now() - hour))
        .order_by_asc(events::Column::Seq)
        .all(tx)
        .await?;
    let max = limits::GIFT_CARD_CHECKS_PER_HOUR;
    if tries.len() < usize::try_from(max).unwrap_or(usize::MAX) {
        return Ok(());
    }
    let free_at: DateTime<Utc> = tries.first().map_or(ctx.now(), |first| first.at) + hour;
    let wait_ms = u64::try_from((free_at - ctx.now()).num_milliseconds()).unwrap_or(limits::RETRY_AFTER_MS);
    let detail = format!("at most {max} balance checks an hour; wait for the oldest to be an hour old");
    Err(Error::new(ErrorCode::RateLimited, detail).after_ms(wait_ms))
}
