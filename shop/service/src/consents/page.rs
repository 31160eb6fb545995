use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::Query;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Set,
};
use serde_json::{Map, Value, json};
use shop_domain::code::ErrorCode;
use shop_domain::governance::Principal;
use shop_domain::ids::{ActionId, ConsentId};
use shop_domain::limits;
use shop_store::entities::{actions, consents, principals};

use super::{GRANTED, PENDING, REJECTED, SPENT};
use crate::ctx::{Ctx, Door};
use crate::error::{Error, Result};
use crate::shop::Shop;
use crate::{Reply, events};

/// How long a yes is good for.
const LIFE: TimeDelta = TimeDelta::minutes(15);
/// The state of an action that waits for its person.
const WAITS: &str = "ready_for_confirmation";

/// One question to a person, as their page shows it.
#[derive(Clone, Debug)]
pub struct View {
    pub id: ConsentId,
    pub action_id: ActionId,
    /// What kind of action it is: `checkout`.
    pub capability: String,
    /// Who is asked.
    pub person: String,
    /// Exactly what will happen.
    pub summary: Map<String, Value>,
    pub standing: Standing,
    pub expires_at: DateTime<Utc>,
    pub decided_at: Option<DateTime<Utc>>,
    /// Together with the id it is the right to answer.
    pub nonce: String,
}

/// Where a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Open,
    Granted,
    Rejected,
    /// The yes was used.
    Used,
    /// Nobody answered in time, or the yes was not used in time.
    Expired,
    /// Something in the summary has changed, or the action was given up.
    Gone,
}

/// The question behind an address.
///
/// # Errors
/// `not_found` when either half of the address is wrong.
pub async fn find_for_page(shop: &Shop, id: ConsentId, nonce: &str) -> Result<View> {
    let found = find(shop.db.reader(), id, nonce).await?;
    Ok(found.into_view(shop.world.clock.now()))
}

/// The person's answer. A second answer changes nothing.
///
/// # Errors
/// `not_found` for a wrong address, `consent_stale` when the question is not open any more.
pub async fn decide(shop: &Arc<Shop>, id: ConsentId, nonce: &str, yes: bool) -> Result<Reply<View>> {
    let person = find(shop.db.reader(), id, nonce).await?.person;
    let ctx = Ctx::new(Arc::clone(shop), Arc::new(person), Door::Console);
    let tx = ctx.begin().await?;
    let mut found = find(&*tx, id, nonce).await?;
    let now = ctx.now();
    match (found.standing(now), yes) {
        (Standing::Open, _) => {}
        // The same answer twice is one answer.
        (Standing::Granted, true) | (Standing::Rejected, false) => {
            return Ok(Reply { view: found.into_view(now), is_replay: true });
        }
        (standing, _) => return Err(closed(standing)),
    }
    let word = if yes { GRANTED } else { REJECTED };
    let mut row = found.consent.into_active_model();
    row.status = Set(word.to_owned());
    row.decided_by = Set(Some(ctx.principal.id.to_string()));
    row.decided_at = Set(Some(now));
    row.expires_at = Set(now + LIFE);
    found.consent = row.update(&*tx).await?;
    let data = json!({ "action_id": found.action.id, "digest": found.consent.digest });
    events::record(&*tx, &ctx, &format!("consent.{word}"), id, None, data).await?;
    tx.commit().await?;
    Ok(Reply::fresh(found.into_view(now)))
}

/// The questions that wait for this person, newest first.
///
/// # Errors
/// `forbidden` for an agent, which must never learn the address of a page by itself.
pub async fn waiting(ctx: &Ctx) -> Result<Vec<View>> {
    if ctx.principal.is_agent {
        return Err(
            Error::new(ErrorCode::Forbidden, "only people are asked for consent").with_layer("approval")
        );
    }
    let own = Query::select()
        .column(actions::Column::Id)
        .from(actions::Entity)
        .and_where(actions::Column::PrincipalId.eq(ctx.principal.id))
        .and_where(actions::Column::Status.eq(WAITS))
        .to_owned();
    let rows = consents::Entity::find()
        .filter(consents::Column::ActionId.in_subquery(own))
        .filter(consents::Column::Status.eq(PENDING))
        .filter(consents::Column::ExpiresAt.gt(ctx.now()))
        .order_by_desc(consents::Column::Id)
        .limit(u64::from(limits::PAGE_MAX))
        .all(ctx.read()?)
        .await?;
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let found = Found::of(ctx.read()?, row).await?;
        views.push(found.into_view(ctx.now()));
    }
    Ok(views)
}

/// A consent with what it belongs to.
struct Found {
    consent: consents::Model,
    action: actions::Model,
    person: Principal,
}

async fn find(conn: &impl ConnectionTrait, id: ConsentId, nonce: &str) -> Result<Found> {
    let row = consents::Entity::find_by_id(id).one(conn).await?;
    // A wrong nonce looks like a question that does not exist.
    let row = row.filter(|row| !row.nonce.is_empty() && row.nonce == nonce);
    Found::of(conn, row.ok_or_else(|| Error::not_found(format!("consent {id}")))?).await
}

impl Found {
    async fn of(conn: &impl ConnectionTrait, consent: consents::Model) -> Result<Self> {
        let lost = || Error::internal("a consent without its action or its person");
        let action = actions::Entity::find_by_id(consent.action_id).one(conn).await?.ok_or_else(lost)?;
        let row = principals::Entity::find_by_id(action.principal_id).one(conn).await?.ok_or_else(lost)?;
        let person = crate::principals::from_row(conn, row).await?;
        Ok(Self { consent, action, person })
    }

    fn standing(&self, now: DateTime<Utc>) -> Standing {
        let is_late = self.consent.expires_at <= now;
        match self.consent.status.as_str() {
            PENDING | GRANTED if is_late => Standing::Expired,
            PENDING if self.action.status == WAITS => Standing::Open,
            GRANTED => Standing::Granted,
            REJECTED => Standing::Rejected,
            SPENT => Standing::Used,
            _ => Standing::Gone,
        }
    }

    fn into_view(self, now: DateTime<Utc>) -> View {
        let standing = self.standing(now);
        let Self { consent, action, person } = self;
        View {
            id: consent.id,
            action_id: action.id,
            capability: action.capability,
            person: person.name,
            summary: match consent.summary {
                Value::Object(summary) => summary,
                other @ (Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)) => Map::from_iter([("summary".to_owned(), other)]),
            },
            standing,
            expires_at: consent.expires_at,
            decided_at: consent.decided_at,
            nonce: consent.nonce,
        }
    }
}

fn closed(standing: Standing) -> Error {
    let (rule, detail) = match standing {
        Standing::Expired => {
            ("consent_expired", "this question was not answered in time; it has to be asked again")
        }
        Standing::Granted => ("consent_decided", "this question was already answered with yes"),
        Standing::Rejected => ("consent_decided", "this question was already answered with no"),
        Standing::Used => ("consent_decided", "this question was answered with yes, and it has been done"),
        Standing::Open | Standing::Gone => (
            "consent_gone",
            "this question is not open any more: what would happen has changed, or was given up",
        ),
    };
    Error::new(ErrorCode::ConsentStale, detail).with_rule(rule)
}
