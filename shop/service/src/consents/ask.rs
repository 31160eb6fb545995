use chrono::{DateTime, Utc};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, JsonValue, QueryFilter, QueryOrder, Set,
};
use shop_domain::ids::{ActionId, ConsentId};
use shop_store::entities::{actions, consents};

use super::{GRANTED, PENDING, SPENT, VOID};
use crate::ctx::Ctx;
use crate::error::{Error, Result};

/// One question to the person and its answer, as the action's engine sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Consent {
    pub id: ConsentId,
    pub action_id: ActionId,
    /// Of the summary.
    pub digest: String,
    /// Exactly what will happen.
    pub summary: JsonValue,
    /// `pending`, `granted`, `rejected`, `void` or `spent`.
    pub status: String,
    /// The half of the page's address that cannot be guessed from the other.
    pub nonce: String,
    pub asked_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub decided_by: Option<String>,
}

/// All questions about an action of the person behind the call, oldest first; none for anybody else's.
///
/// # Errors
/// When the database does not answer.
pub async fn list(ctx: &Ctx, action: ActionId) -> Result<Vec<Consent>> {
    if !is_own(ctx, ctx.read()?, action).await? {
        return Ok(Vec::new());
    }
    let rows = consents::Entity::find()
        .filter(consents::Column::ActionId.eq(action))
        .order_by_asc(consents::Column::CreatedAt)
        .order_by_asc(consents::Column::Id)
        .all(ctx.read()?)
        .await?;
    Ok(rows.into_iter().map(Consent::from).collect())
}

/// One question to the person behind the call; `None` for anybody else's.
///
/// # Errors
/// When the database does not answer.
pub async fn get(ctx: &Ctx, id: ConsentId) -> Result<Option<Consent>> {
    let Some(row) = consents::Entity::find_by_id(id).one(ctx.read()?).await? else { return Ok(None) };
    let is_own = is_own(ctx, ctx.read()?, row.action_id).await?;
    Ok(is_own.then(|| row.into()))
}

/// Writes down that the person is asked, unless the same question is open or answered with yes.
///
/// # Errors
/// When the action is not theirs.
pub async fn ask(ctx: &Ctx, consent: Consent) -> Result<Consent> {
    let tx = ctx.begin().await?;
    if !is_own(ctx, &*tx, consent.action_id).await? {
        return Err(Error::not_found(format!("action {}", consent.action_id)));
    }
    let live = consents::Entity::find()
        .filter(consents::Column::ActionId.eq(consent.action_id))
        .filter(consents::Column::Digest.eq(&consent.digest))
        .filter(consents::Column::Status.is_in([PENDING, GRANTED]))
        .filter(consents::Column::ExpiresAt.gt(ctx.now()))
        .one(&*tx)
        .await?;
    if let Some(live) = live {
        return Ok(live.into());
    }
    insert(&*tx, consent.clone()).await?;
    tx.commit().await?;
    Ok(consent)
}

/// Moves a pending question to its answer; false when it was not pending any more.
///
/// # Errors
/// When the database does not answer.
pub async fn answer(ctx: &Ctx, consent: &Consent) -> Result<bool> {
    let tx = ctx.begin().await?;
    let changed = consents::Entity::update_many()
        .col_expr(consents::Column::Status, Expr::value(consent.status.clone()))
        .col_expr(consents::Column::DecidedBy, Expr::value(consent.decided_by.clone()))
        .col_expr(consents::Column::DecidedAt, Expr::value(Some(ctx.now())))
        .col_expr(consents::Column::ExpiresAt, Expr::value(consent.expires_at))
        .filter(consents::Column::Id.eq(consent.id))
        .filter(consents::Column::Status.eq(PENDING))
        .exec(&*tx)
        .await?;
    tx.commit().await?;
    Ok(changed.rows_affected == 1)
}

/// Whatever the person was asked or agreed to about an action is void.
pub(crate) async fn void_all(tx: &impl ConnectionTrait, action: ActionId) -> Result<()> {
    consents::Entity::update_many()
        .col_expr(consents::Column::Status, Expr::value(VOID))
        .filter(consents::Column::ActionId.eq(action))
        .filter(consents::Column::Status.is_in([PENDING, GRANTED]))
        .exec(tx)
        .await?;
    Ok(())
}

/// Uses a yes up, once; false when there is none that is live.
pub(crate) async fn spend(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    action: ActionId,
    id: ConsentId,
) -> Result<bool> {
    let changed = consents::Entity::update_many()
        .col_expr(consents::Column::Status, Expr::value(SPENT))
        .filter(consents::Column::Id.eq(id))
        .filter(consents::Column::ActionId.eq(action))
        .filter(consents::Column::Status.eq(GRANTED))
        .filter(consents::Column::ExpiresAt.gt(ctx.now()))
        .exec(tx)
        .await?;
    Ok(changed.rows_affected == 1)
}

pub(crate) async fn insert(tx: &impl ConnectionTrait, consent: Consent) -> Result<()> {
    let decided_at = consent.decided_by.as_ref().map(|_| consent.asked_at);
    let row = consents::ActiveModel {
        id: Set(consent.id),
        action_id: Set(consent.action_id),
        digest: Set(consent.digest),
        status: Set(consent.status),
        summary: Set(consent.summary),
        nonce: Set(consent.nonce),
        decided_by: Set(consent.decided_by),
        decided_at: Set(decided_at),
        expires_at: Set(consent.expires_at),
        created_at: Set(consent.asked_at),
    };
    row.insert(tx).await?;
    Ok(())
}

async fn is_own(ctx: &Ctx, conn: &impl ConnectionTrait, action: ActionId) -> Result<bool> {
    let row = actions::Entity::find_by_id(action).one(conn).await?;
    Ok(row.is_some_and(|row| row.principal_id == ctx.principal.person()))
}

impl From<consents::Model> for Consent {
    fn from(row: consents::Model) -> Self {
        Self {
            id: row.id,
            action_id: row.action_id,
            digest: row.digest,
            summary: row.summary,
            status: row.status,
            nonce: row.nonce,
            asked_at: row.created_at,
            expires_at: row.expires_at,
            decided_by: row.decided_by,
        }
    }
}
