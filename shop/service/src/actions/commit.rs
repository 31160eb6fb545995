use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, JsonValue, QueryFilter, QueryOrder,
    QuerySelect, Set,
};
use shop_domain::governance::Scope;
use shop_domain::ids::{ActionId, ConsentId};
use shop_store::entities::{action_journal, actions};
use shop_store::is_unique_violation;

use super::Action;
use super::keys::{self, KeyChange};
use crate::consents::{self, Consent};
use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::jobs;

/// Everything that changes together when an action changes.
#[derive(Clone, Debug)]
pub struct Change {
    pub action: Action,
    /// The version the stored action must have; `None` when it is new.
    pub expected: Option<i64>,
    /// New lines of its journal.
    pub journal: Vec<JsonValue>,
    pub consent: Option<ConsentChange>,
    pub key: Option<KeyChange>,
}

/// What happens to consents along with a change.
#[derive(Clone, Debug)]
pub enum ConsentChange {
    /// Whatever the person was asked or agreed to is void.
    VoidAll,
    /// This consent is used up; it must be granted and live.
    Spend(ConsentId),
    /// A consent that comes with the change, used up already.
    Spent(Box<Consent>),
}

/// How a commit ended. Anything but `Done` changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    Done,
    /// Somebody else changed the action first.
    Stale,
    /// The caller's key is in use.
    KeyTaken,
    ConsentUnusable,
}

/// Compares and sets: the action, its journal, the consent and the caller's key change together or not at all.
///
/// # Errors
/// When the database does not answer; then nothing changed.
pub async fn commit(ctx: &Ctx, change: Change) -> Result<Committed> {
    let Change { action, expected, journal, consent, key } = change;
    let tx = ctx.begin().await?;
    let is_mine = match expected {
        None => insert(&*tx, ctx, &action).await?,
        Some(version) => update(&*tx, ctx, &action, version).await?,
    };
    if !is_mine {
        return Ok(Committed::Stale);
    }
    if let Some(key) = key
        && !keys::write(&*tx, ctx, key).await?
    {
        return Ok(Committed::KeyTaken);
    }
    match consent {
        Some(ConsentChange::VoidAll) => consents::void_all(&*tx, action.id).await?,
        Some(ConsentChange::Spend(id)) if !consents::spend(&*tx, ctx, action.id, id).await? => {
            return Ok(Committed::ConsentUnusable);
        }
        Some(ConsentChange::Spent(consent)) => consents::insert(&*tx, *consent).await?,
        Some(ConsentChange::Spend(_)) | None => {}
    }
    write_journal(&*tx, ctx, action.id, journal).await?;
    if let Some(at) = action.resume_at {
        jobs::enqueue(&*tx, &ctx.shop, jobs::Kind::ResumeAction, action.id, at).await?;
    }
    if let Some(at) = action.expires_at {
        jobs::enqueue(&*tx, &ctx.shop, jobs::Kind::ExpireAction, action.id, at).await?;
    }
    tx.commit().await?;
    Ok(Committed::Done)
}

/// False when there is such an action already.
async fn insert(tx: &impl ConnectionTrait, ctx: &Ctx, action: &Action) -> Result<bool> {
    let (store_id, customer_id) = match ctx.principal.scope {
        Scope::Customer(customer) => (None, Some(customer)),
        Scope::Store(store) => (Some(store), None),
        Scope::Tenant | Scope::Brand(_) => (None, None),
    };
    let row = actions::ActiveModel {
        id: Set(action.id),
        capability: Set(action.capability.clone()),
        principal_id: Set(ctx.principal.person()),
        store_id: Set(store_id),
        customer_id: Set(customer_id),
        entity: Set(action.entity.clone()),
        node: Set(action.node.clone()),
        status: Set(action.status.clone()),
        version: Set(action.version),
        body: Set(action.body.clone()),
        due_at: Set(action.due_at()),
        lease_until_ms: Set(0),
        lease_owner: Set(None),
        created_at: Set(action.created_at),
        updated_at: Set(action.updated_at),
    };
    match row.insert(tx).await {
        Ok(_) => Ok(true),
        Err(cause) if is_unique_violation(&cause) => Ok(false),
        Err(cause) => Err(cause.into()),
    }
}

/// False when the stored action is at another version. The lease is left as it is.
async fn update(tx: &impl ConnectionTrait, ctx: &Ctx, action: &Action, expected: i64) -> Result<bool> {
    use actions::Column;
    let changed = actions::Entity::update_many()
        .col_expr(Column::Entity, Expr::value(action.entity.clone()))
        .col_expr(Column::Node, Expr::value(action.node.clone()))
        .col_expr(Column::Status, Expr::value(action.status.clone()))
        .col_expr(Column::Version, Expr::value(action.version))
        .col_expr(Column::Body, Expr::value(action.body.clone()))
        .col_expr(Column::DueAt, Expr::value(action.due_at()))
        .col_expr(Column::UpdatedAt, Expr::value(action.updated_at))
        .filter(Column::Id.eq(action.id))
        .filter(Column::PrincipalId.eq(ctx.principal.person()))
        .filter(Column::Version.eq(expected))
        .exec(tx)
        .await?;
    Ok(changed.rows_affected == 1)
}

async fn write_journal(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    id: ActionId,
    entries: Vec<JsonValue>,
) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let last = action_journal::Entity::find()
        .filter(action_journal::Column::ActionId.eq(id))
        .order_by_desc(action_journal::Column::Seq)
        .limit(1)
        .one(tx)
        .await?;
    let first = last.map_or(0, |line| line.seq) + 1;
    let rows = (first..).zip(entries).map(|(seq, entry)| action_journal::ActiveModel {
        action_id: Set(id),
        seq: Set(seq),
        entry: Set(entry),
        at: Set(ctx.now()),
    });
    action_journal::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(())
}

/// An id of the door as an action's: anything else names nothing.
pub(super) fn missing(id: impl std::fmt::Display) -> Error {
    Error::not_found(format!("action {id}"))
}
