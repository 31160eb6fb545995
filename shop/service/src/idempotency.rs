//! Callers' keys: the row commits with the effect, so a key is never spent without one.

use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, JsonValue, QueryFilter, Set};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shop_domain::code::ErrorCode;
use shop_domain::ids::AttemptId;
use shop_domain::limits;
use shop_domain::operations::Operation;
use shop_domain::status::AttemptOutcome;
use shop_store::entities::{attempts, idempotency_keys as keys};

use crate::Reply;
use crate::ctx::{CallerKey, Ctx};
use crate::error::{Error, Result};
use crate::shop::Profile;

/// Not answered yet: the gateway's answer is awaited.
const IN_PROGRESS: i64 = 0;
const DONE: i64 = 200;

/// Where a key stands.
pub(crate) enum Claim {
    New,
    Answered(Answer),
    InFlight(Vec<AttemptId>),
}

/// A stored answer: a view, or the refusal that was given.
pub(crate) struct Answer {
    status: i64,
    body: JsonValue,
}

impl Answer {
    pub(crate) fn into_reply<V: DeserializeOwned>(self) -> Result<Reply<V>> {
        if self.status != DONE {
            let code = self.body.get("code").and_then(JsonValue::as_str).and_then(|code| code.parse().ok());
            let detail = self.body.get("detail").and_then(JsonValue::as_str).unwrap_or_default();
            return Err(Error::new(code.unwrap_or(ErrorCode::Internal), detail));
        }
        match serde_json::from_value(self.body) {
            Ok(view) => Ok(Reply { view, is_replay: true }),
            Err(cause) => Err(Error::internal(format!("a stored answer cannot be read: {cause}"))),
        }
    }
}

/// A key belongs to one identity and one operation. The system's own keys name an action and belong to it, whoever
/// takes it on: its person, their agent or a job.
pub(crate) fn scope(ctx: &Ctx, operation: &Operation) -> String {
    match &ctx.call.key {
        Some(key) if key.is_system => format!("system/{}", operation.id),
        Some(_) | None => format!("{}/{}", ctx.principal.id, operation.id),
    }
}

fn key_of(ctx: &Ctx) -> Option<&CallerKey> {
    let key = ctx.call.key.as_ref()?;
    (key.is_system || ctx.shop.settings.idempotency != Profile::None).then_some(key)
}

pub(crate) async fn claim(tx: &impl ConnectionTrait, ctx: &Ctx, operation: &Operation) -> Result<Claim> {
    let Some(key) = key_of(ctx) else { return Ok(Claim::New) };
    if key.key.is_empty() || key.key.len() > limits::IDEMPOTENCY_KEY_CHARS_MAX {
        let max = limits::IDEMPOTENCY_KEY_CHARS_MAX;
        return Err(Error::invalid("/idempotency_key", format!("a key has 1 to {max} characters")));
    }
    let scope = scope(ctx, operation);
    if let Some(row) = keys::Entity::find_by_id((scope.clone(), key.key.clone())).one(tx).await? {
        if row.expires_at > ctx.now() || row.status == IN_PROGRESS {
            return known(tx, key, row).await;
        }
        keys::Entity::delete_by_id((scope.clone(), key.key.clone())).exec(tx).await?;
    }
    let kept =
        if key.is_system { TimeDelta::days(36_500) } else { TimeDelta::hours(limits::IDEMPOTENCY_KEY_HOURS) };
    let row = keys::ActiveModel {
        scope: Set(scope),
        key: Set(key.key.clone()),
        request_hash: Set(key.request_hash.clone()),
        status: Set(IN_PROGRESS),
        answer: Set(None),
        created_at: Set(ctx.now()),
        expires_at: Set(ctx.now() + kept),
    };
    row.insert(tx).await?;
    Ok(Claim::New)
}

async fn known(tx: &impl ConnectionTrait, key: &CallerKey, row: keys::Model) -> Result<Claim> {
    if row.request_hash != key.request_hash {
        return Err(Error::new(
            ErrorCode::IdempotencyConflict,
            "this Idempotency-Key was used with other content; repeat that content, or use a new key for a new call",
        ));
    }
    if let Some(body) = row.answer {
        return Ok(Claim::Answered(Answer { status: row.status, body }));
    }
    let open = attempts::Entity::find()
        .filter(attempts::Column::CallerScope.eq(&row.scope))
        .filter(attempts::Column::CallerKey.eq(&row.key))
        .filter(attempts::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
        .all(tx)
        .await?;
    if open.is_empty() {
        return Err(in_flight());
    }
    Ok(Claim::InFlight(open.into_iter().map(|attempt| attempt.id).collect()))
}

/// The same call is being done right now.
pub(crate) fn in_flight() -> Error {
    Error::new(
        ErrorCode::InProgress,
        "the same call is still running; repeat it with the same key in a moment",
    )
    .with_rule("idempotency_in_flight")
    .after_ms(limits::RETRY_AFTER_MS)
}

/// Stores the answer of a write that ends in the transaction that claimed its key.
pub(crate) async fn answer(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &Operation,
    view: &impl Serialize,
) -> Result<()> {
    let Some(key) = key_of(ctx) else { return Ok(()) };
    let body = to_json(view)?;
    store(tx, &scope(ctx, operation), &key.key, DONE, body).await
}

/// Stores the view a settled attempt earned for the call that waited for it.
pub(crate) async fn answer_for(
    tx: &impl ConnectionTrait,
    attempt: &attempts::Model,
    view: &impl Serialize,
) -> Result<()> {
    let (Some(scope), Some(key)) = (&attempt.caller_scope, &attempt.caller_key) else { return Ok(()) };
    store(tx, scope, key, DONE, to_json(view)?).await
}

/// Stores a refusal: it is as final as a success.
pub(crate) async fn refuse_for(
    tx: &impl ConnectionTrait,
    attempt: &attempts::Model,
    error: &Error,
) -> Result<()> {
    let (Some(scope), Some(key)) = (&attempt.caller_scope, &attempt.caller_key) else { return Ok(()) };
    let body = serde_json::json!({ "code": error.code.as_str(), "detail": error.detail });
    store(tx, scope, key, 400, body).await
}

/// Nothing happened at the gateway: the key may be used again.
pub(crate) async fn release_for(tx: &impl ConnectionTrait, attempt: &attempts::Model) -> Result<()> {
    let (Some(scope), Some(key)) = (&attempt.caller_scope, &attempt.caller_key) else { return Ok(()) };
    keys::Entity::delete_by_id((scope.clone(), key.clone())).exec(tx).await?;
    Ok(())
}

async fn store(
    tx: &impl ConnectionTrait,
    scope: &str,
    key: &str,
    status: i64,
    body: JsonValue,
) -> Result<()> {
    let row = keys::ActiveModel {
        scope: Set(scope.to_owned()),
        key: Set(key.to_owned()),
        status: Set(status),
        answer: Set(Some(body)),
        ..Default::default()
    };
    row.update(tx).await?;
    Ok(())
}

fn to_json(view: &impl Serialize) -> Result<JsonValue> {
    serde_json::to_value(view)
        .map_err(|cause| Error::internal(format!("an answer cannot be stored: {cause}")))
}

/// Remembers a message from outside that has an id of its own; false when it came before.
pub(crate) async fn is_new(tx: &impl ConnectionTrait, ctx: &Ctx, scope: &str, id: &str) -> Result<bool> {
    let known = keys::Entity::find_by_id((scope.to_owned(), id.to_owned())).one(tx).await?;
    if known.is_some() {
        return Ok(false);
    }
    let row = keys::ActiveModel {
        scope: Set(scope.to_owned()),
        key: Set(id.to_owned()),
        request_hash: Set(String::new()),
        status: Set(DONE),
        answer: Set(None),
        created_at: Set(ctx.now()),
        expires_at: Set(ctx.now() + TimeDelta::hours(limits::IDEMPOTENCY_KEY_HOURS)),
    };
    row.insert(tx).await?;
    Ok(true)
}

/// What was answered under the key of this call, if anything was. Claims nothing.
pub(crate) async fn answered<V: DeserializeOwned>(
    conn: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &Operation,
) -> Result<Option<V>> {
    let Some(key) = key_of(ctx) else { return Ok(None) };
    let row = keys::Entity::find_by_id((scope(ctx, operation), key.key.clone())).one(conn).await?;
    let Some((status, body)) = row.and_then(|row| Some((row.status, row.answer?))) else { return Ok(None) };
    Answer { status, body }.into_reply().map(|reply| Some(reply.view))
}
