use sea_orm::EntityTrait;
use shop_domain::ids::AttemptId;
use shop_domain::limits;
use shop_store::entities::attempts;

use super::call::{abandon, look_up};
use crate::Ctx;
use crate::error::Result;
use crate::jobs::{Next, backoff};

/// Look-ups after which an attempt that nobody asks about is fenced. An action decides that for itself.
const LOOKUPS_BEFORE_FENCE: i64 = 6;

/// The settler job: finds out about an attempt whose caller is gone.
///
/// # Errors
/// When the database does not answer.
pub async fn settle_later(ctx: &Ctx, id: AttemptId) -> Result<Next> {
    let Some(attempt) = attempts::Entity::find_by_id(id).one(ctx.read()?).await? else {
        return Ok(Next::Done);
    };
    if !attempt.outcome.is_open() {
        return Ok(Next::Done);
    }
    let may_fence = attempt.action_id.is_none() && attempt.lookups >= LOOKUPS_BEFORE_FENCE;
    // What it comes to is in the rows; the error is for a caller, and there is none.
    let _ = if may_fence { abandon(ctx, id).await } else { look_up(ctx, id).await };
    let after = attempts::Entity::find_by_id(id).one(ctx.read()?).await?;
    let is_open = after.is_some_and(|attempt| attempt.outcome.is_open());
    let has_given_up = attempt.lookups >= i64::from(limits::LOOKUPS_MAX);
    Ok(if is_open && !has_given_up { Next::Again(ctx.now() + backoff(attempt.lookups)) } else { Next::Done })
}
