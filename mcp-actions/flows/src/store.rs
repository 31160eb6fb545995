//! The engine's store over the service's rows.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use mcp_actions_engine::record::Entry;
use mcp_actions_engine::store::{Change, Committed, ConsentWrite, Due, KeyRow, KeyWrite, Lease};
use mcp_actions_engine::{Caller as _, Consent, Failure, Reason, Record, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use shop_domain::ids::ActionId;
use shop_service::{actions, consents};

use crate::caller::Caller;
use crate::failure::failure;

/// Actions in the database of the caller's world.
pub(crate) struct Rows;

#[async_trait]
impl Store<Caller> for Rows {
    async fn load(&self, caller: &Caller, action_id: &str) -> Result<Option<Record>, Failure> {
        // Whatever is no id of an action names nothing.
        let Ok(id) = action_id.parse() else { return Ok(None) };
        let body = actions::load(&caller.ctx(), id).await.map_err(failure)?;
        body.map(from_json).transpose()
    }

    async fn commit(&self, caller: &Caller, change: Change<'_>) -> Result<Committed, Failure> {
        let change = actions::Change {
            action: row(change.record)?,
            expected: change.expected.map(version).transpose()?,
            journal: change.journal.iter().map(to_json).collect::<Result<_, _>>()?,
            consent: change.consent.map(consent_change).transpose()?,
            key: change.key.map(key_change).transpose()?,
        };
        let committed = actions::commit(&caller.ctx(), change).await.map_err(failure)?;
        Ok(match committed {
            actions::Committed::Done => Committed::Done,
            actions::Committed::Stale => Committed::Stale,
            actions::Committed::KeyTaken => Committed::KeyTaken,
            actions::Committed::ConsentUnusable => Committed::ConsentUnusable,
        })
    }

    async fn key(&self, caller: &Caller, operation: &str, key: &str) -> Result<Option<KeyRow>, Failure> {
        let row = actions::key(&caller.ctx(), operation, key).await.map_err(failure)?;
        Ok(row.map(|row| KeyRow {
            principal: caller.principal().to_owned(),
            operation: row.operation,
            key: row.key,
            content: row.content,
            action_id: row.action_id.to_string(),
            answer: row.answer,
            expires_at: row.expires_at,
        }))
    }

    async fn journal(&self, caller: &Caller, action_id: &str) -> Result<Vec<Entry>, Failure> {
        let lines = actions::journal(&caller.ctx(), id(action_id)?).await.map_err(failure)?;
        lines.into_iter().map(from_json).collect()
    }

    async fn consents(&self, caller: &Caller, action_id: &str) -> Result<Vec<Consent>, Failure> {
        let rows = consents::list(&caller.ctx(), id(action_id)?).await.map_err(failure)?;
        rows.into_iter().map(|row| consent(caller, row)).collect()
    }

    async fn consent(&self, caller: &Caller, consent_id: &str) -> Result<Option<Consent>, Failure> {
        let Ok(id) = consent_id.parse() else { return Ok(None) };
        let row = consents::get(&caller.ctx(), id).await.map_err(failure)?;
        row.map(|row| consent(caller, row)).transpose()
    }

    async fn ask_consent(&self, caller: &Caller, asked: Consent) -> Result<Consent, Failure> {
        let row = consents::ask(&caller.ctx(), consent_row(asked)?).await.map_err(failure)?;
        consent(caller, row)
    }

    async fn decide_consent(&self, caller: &Caller, decided: &Consent) -> Result<bool, Failure> {
        consents::answer(&caller.ctx(), &consent_row(decided.clone())?).await.map_err(failure)
    }

    async fn claim(&self, caller: &Caller, action_id: &str) -> Result<Option<Lease>, Failure> {
        let token = actions::claim(&caller.ctx(), id(action_id)?).await.map_err(failure)?;
        Ok(token.map(|token| Lease { action_id: action_id.to_owned(), token }))
    }

    async fn unclaim(&self, caller: &Caller, lease: Lease) -> Result<(), Failure> {
        actions::unclaim(&caller.ctx(), id(&lease.action_id)?, &lease.token).await.map_err(failure)
    }

    async fn due(&self, caller: &Caller, now: DateTime<Utc>, limit: usize) -> Result<Vec<Due>, Failure> {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let rows = actions::due(&caller.ctx(), now, limit).await.map_err(failure)?;
        let due = |row: actions::Due| Due {
            action_id: row.id.to_string(),
            principal: row.principal_id.to_string(),
        };
        Ok(rows.into_iter().map(due).collect())
    }
}

fn row(record: &Record) -> Result<actions::Action, Failure> {
    Ok(actions::Action {
        id: id(&record.id)?,
        capability: record.capability.clone(),
        entity: record.entity.as_ref().map(|entity| format!("{}/{}", entity.kind, entity.id)),
        node: record.node.clone(),
        status: record.status.word().to_owned(),
        version: version(record.version)?,
        body: to_json(record)?,
        resume_at: record.wake_at,
        expires_at: record.expires_at,
        created_at: record.created_at,
        updated_at: record.updated_at,
    })
}

fn consent_change(write: ConsentWrite) -> Result<actions::ConsentChange, Failure> {
    Ok(match write {
        ConsentWrite::VoidAll => actions::ConsentChange::VoidAll,
        ConsentWrite::Spend { id, now: _ } => actions::ConsentChange::Spend(parse(&id)?),
        ConsentWrite::Spent(consent) => actions::ConsentChange::Spent(Box::new(consent_row(*consent)?)),
    })
}

fn key_change(write: KeyWrite) -> Result<actions::KeyChange, Failure> {
    let row = |row: KeyRow| -> Result<actions::KeyRow, Failure> {
        Ok(actions::KeyRow {
            operation: row.operation,
            key: row.key,
            content: row.content,
            action_id: id(&row.action_id)?,
            answer: row.answer,
            expires_at: row.expires_at,
        })
    };
    Ok(match write {
        KeyWrite::Claim(claimed) => actions::KeyChange::Claim(row(claimed)?),
        KeyWrite::Answer(answered) => actions::KeyChange::Answer(row(answered)?),
    })
}

fn consent_row(consent: Consent) -> Result<consents::Consent, Failure> {
    let status = to_json(&consent.status)?;
    Ok(consents::Consent {
        id: parse(&consent.id)?,
        action_id: id(&consent.action_id)?,
        digest: consent.digest,
        summary: Value::Object(consent.summary),
        status: status.as_str().unwrap_or_default().to_owned(),
        nonce: consent.nonce,
        asked_at: consent.asked_at,
        expires_at: consent.expires_at,
        decided_by: consent.decided_by,
    })
}

fn consent(caller: &Caller, row: consents::Consent) -> Result<Consent, Failure> {
    Ok(Consent {
        id: row.id.to_string(),
        action_id: row.action_id.to_string(),
        principal: caller.principal().to_owned(),
        digest: row.digest,
        summary: from_json(row.summary)?,
        status: from_json(Value::String(row.status))?,
        asked_at: row.asked_at,
        expires_at: row.expires_at,
        decided_by: row.decided_by,
        nonce: row.nonce,
    })
}

fn id(text: &str) -> Result<ActionId, Failure> {
    text.parse().map_err(|_| Failure::new(Reason::NotFound, format!("there is no action {text}")))
}

fn parse<T: std::str::FromStr>(text: &str) -> Result<T, Failure> {
    text.parse().map_err(|_| Failure::new(Reason::NotFound, format!("there is no {text}")))
}

fn version(version: u64) -> Result<i64, Failure> {
    i64::try_from(version).map_err(|_| Failure::new(Reason::Internal, "a version is out of range"))
}

fn to_json(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value)
        .map_err(|_| Failure::new(Reason::Internal, "an action cannot be written down"))
}

fn from_json<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value)
        .map_err(|_| Failure::new(Reason::Internal, "a stored action cannot be read"))
}
