use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, JsonValue, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::ids::{ActionId, PrincipalId};
use shop_store::entities::{action_journal, actions};

use super::commit::missing;
use crate::ctx::Ctx;
use crate::error::Result;

/// An action that somebody has to look at, and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    pub id: ActionId,
    pub principal_id: PrincipalId,
}

/// The body of an action of the person behind the call; `None` for anybody else's.
///
/// # Errors
/// When the database does not answer.
pub async fn load(ctx: &Ctx, id: ActionId) -> Result<Option<JsonValue>> {
    let row = actions::Entity::find_by_id(id).one(ctx.read()?).await?;
    Ok(row.filter(|row| row.principal_id == ctx.principal.person()).map(|row| row.body))
}

/// What an action did, oldest line first.
///
/// # Errors
/// `not_found` for anybody else's.
pub async fn journal(ctx: &Ctx, id: ActionId) -> Result<Vec<JsonValue>> {
    load(ctx, id).await?.ok_or_else(|| missing(id))?;
    let lines = action_journal::Entity::find()
        .filter(action_journal::Column::ActionId.eq(id))
        .order_by_asc(action_journal::Column::Seq)
        .all(ctx.read()?)
        .await?;
    Ok(lines.into_iter().map(|line| line.entry).collect())
}

/// Anybody's actions whose time has come, the longest overdue first: for the runner, never for a caller.
///
/// # Errors
/// When the database does not answer.
pub async fn due(ctx: &Ctx, now: DateTime<Utc>, limit: u64) -> Result<Vec<Due>> {
    let rows = actions::Entity::find()
        .filter(actions::Column::DueAt.lte(now))
        .order_by_asc(actions::Column::DueAt)
        .order_by_asc(actions::Column::Id)
        .limit(limit)
        .all(ctx.read()?)
        .await?;
    Ok(rows.into_iter().map(|row| Due { id: row.id, principal_id: row.principal_id }).collect())
}

/// Whose an action is: for the runner, never for a caller.
///
/// # Errors
/// When the database does not answer.
pub async fn person_of(ctx: &Ctx, id: ActionId) -> Result<Option<PrincipalId>> {
    let row = actions::Entity::find_by_id(id).one(ctx.read()?).await?;
    Ok(row.map(|row| row.principal_id))
}
