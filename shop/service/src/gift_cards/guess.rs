//! Full codes as callers give them. A code is money, so a person may try only so many within an hour, by whichever
//! operation, and a code is compared by its hash: how long that takes says nothing about the right one.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::de::DeserializeOwned;
use serde_json::json;
use sha2::{Digest, Sha256};
use shop_domain::code::ErrorCode;
use shop_domain::limits;
use shop_domain::operations::Operation;
use shop_store::entities::{events, gift_cards};

use super::input::normalized;
use super::rows::last4;
use crate::error::{Error, Result};
use crate::{Ctx, events as log};

/// The event that counts a try, hit or miss.
const TRIED: &str = "gift_card.code_tried";

/// The card with a code that a write was given, before the write begins: a try counts whatever becomes of the write.
/// A repeat of an answered call is no try, and finds nothing.
///
/// # Errors
/// As [`try_code`].
pub(crate) async fn try_code_for<V: DeserializeOwned>(
    ctx: &Ctx,
    operation: &'static Operation,
    code: Option<&str>,
) -> Result<Option<gift_cards::Model>> {
    let Some(code) = code else { return Ok(None) };
    match ctx.answered::<V>(operation).await? {
        Some(_) => Ok(None),
        None => try_code(ctx, code).await,
    }
}

/// The card with a code, whoever's it is. Every try counts, because misses are how codes are guessed.
///
/// # Errors
/// `rate_limited` after too many tries within an hour.
pub(super) async fn try_code(ctx: &Ctx, code: &str) -> Result<Option<gift_cards::Model>> {
    let code = normalized(code)?;
    let tx = ctx.begin().await?;
    must_not_be_guessing(&*tx, ctx).await?;
    log::record(&*tx, ctx, TRIED, ctx.principal.person(), None, json!({})).await?;
    let card = with_code(&*tx, &code).await?;
    tx.commit().await?;
    Ok(card)
}

async fn with_code(tx: &impl ConnectionTrait, code: &str) -> Result<Option<gift_cards::Model>> {
    let alike = gift_cards::Entity::find().filter(gift_cards::Column::Last4.eq(last4(code))).all(tx).await?;
    let wanted = Sha256::digest(code);
    Ok(alike.into_iter().find(|card| Sha256::digest(&card.code) == wanted))
}

async fn must_not_be_guessing(tx: &impl ConnectionTrait, ctx: &Ctx) -> Result<()> {
    let hour = TimeDelta::hours(1);
    let tries = events::Entity::find()
        .filter(events::Column::Kind.eq(TRIED))
        .filter(events::Column::Subject.eq(ctx.principal.person().to_string()))
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
    let detail = format!("at most {max} gift-card codes an hour; wait for the oldest to be an hour old");
    Err(Error::new(ErrorCode::RateLimited, detail).after_ms(wait_ms))
}
