use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, JsonValue, Set};
use serde::{Deserialize, Serialize};
use shop_domain::ids::ActionId;
use shop_store::entities::idempotency_keys as keys;

use crate::ctx::Ctx;
use crate::error::{Error, Result};

/// Not answered yet, in the words of the table.
const IN_PROGRESS: i64 = 0;
const ANSWERED: i64 = 200;

/// A key a caller sent with a call about actions. It belongs to the person and the operation.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRow {
    pub operation: String,
    pub key: String,
    /// A hash of what it was sent with.
    pub content: String,
    pub action_id: ActionId,
    /// `None` while the first call is still under way.
    pub answer: Option<JsonValue>,
    pub expires_at: DateTime<Utc>,
}

/// What happens to a key along with a change.
#[derive(Clone, Debug)]
pub enum KeyChange {
    /// It is used now; refused while a live row stands.
    Claim(KeyRow),
    /// What every repetition is answered.
    Answer(KeyRow),
}

/// What the table's `answer` holds for these keys.
#[derive(Serialize, Deserialize)]
struct Kept {
    action_id: ActionId,
    answer: Option<JsonValue>,
}

/// A live key of the person behind the call.
///
/// # Errors
/// When the database does not answer.
pub async fn key(ctx: &Ctx, operation: &str, key: &str) -> Result<Option<KeyRow>> {
    let id = (scope(ctx, operation), key.to_owned());
    let row = keys::Entity::find_by_id(id).one(ctx.read()?).await?;
    let Some(row) = row.filter(|row| row.expires_at > ctx.now()) else { return Ok(None) };
    let kept: Kept = serde_json::from_value(row.answer.unwrap_or_default())
        .map_err(|cause| Error::internal(format!("a stored answer cannot be read: {cause}")))?;
    Ok(Some(KeyRow {
        operation: operation.to_owned(),
        key: row.key,
        content: row.request_hash,
        action_id: kept.action_id,
        answer: kept.answer,
        expires_at: row.expires_at,
    }))
}

/// False when the key is in use.
pub(super) async fn write(tx: &impl ConnectionTrait, ctx: &Ctx, change: KeyChange) -> Result<bool> {
    let (row, is_claim) = match change {
        KeyChange::Claim(row) => (row, true),
        KeyChange::Answer(row) => (row, false),
    };
    let id = (scope(ctx, &row.operation), row.key.clone());
    let held = keys::Entity::find_by_id(id.clone()).one(tx).await?;
    if is_claim && held.as_ref().is_some_and(|held| held.expires_at > ctx.now()) {
        return Ok(false);
    }
    let created_at = held.as_ref().filter(|_| !is_claim).map_or(ctx.now(), |held| held.created_at);
    if held.is_some() {
        keys::Entity::delete_by_id(id.clone()).exec(tx).await?;
    }
    let status = if row.answer.is_some() { ANSWERED } else { IN_PROGRESS };
    let kept = serde_json::to_value(Kept { action_id: row.action_id, answer: row.answer })
        .map_err(|cause| Error::internal(format!("an answer cannot be stored: {cause}")))?;
    let (scope, key) = id;
    let row = keys::ActiveModel {
        scope: Set(scope),
        key: Set(key),
        request_hash: Set(row.content),
        status: Set(status),
        answer: Set(Some(kept)),
        created_at: Set(created_at),
        expires_at: Set(row.expires_at),
    };
    row.insert(tx).await?;
    Ok(true)
}

/// Apart from the keys of REST, which belong to a token.
fn scope(ctx: &Ctx, operation: &str) -> String {
    format!("{}/actions/{operation}", ctx.principal.person())
}
