//! The person's yes: bound to one exact summary, used once, and gone after a quarter of an hour.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::engine::Engine;
use crate::flow::{Caller, Failure};
use crate::parts::Map;
use crate::reason::Reason;
use crate::record::{Record, Status};

/// How long a question, and the yes to it, are good for.
pub const CONSENT_LIFE: TimeDelta = TimeDelta::minutes(15);

/// Whose word counts. Fixed per world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentLevel {
    /// Given outside the agent's path: a console page, or the button of an app view.
    Human,
    /// An answer the client collected from the person is enough.
    Client,
    /// The agent's word is.
    Agent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsentStatus {
    Pending,
    Granted,
    Rejected,
    Void,
    Spent,
}

/// One question to the person, and the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Consent {
    pub id: String,
    pub action_id: String,
    pub principal: String,
    pub digest: String,
    /// What the person is shown: exactly what the digest is made of.
    pub summary: Map,
    pub status: ConsentStatus,
    pub asked_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// Who said yes or no.
    pub decided_by: Option<String>,
    /// Part of the address of the person's page: the id alone does not open it.
    pub nonce: String,
}

/// The consent block of a view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsentView {
    pub level: ConsentLevel,
    pub status: ConsentStatus,
    /// Where the person can say yes or no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub digest: String,
    pub expires_at: Option<DateTime<Utc>>,
}

/// Where an action stands with its person.
#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// They agreed to exactly this.
    Granted { consent_id: String },
    /// They were asked, or have to be.
    Open,
    /// They agreed to something that has changed since.
    Stale,
    /// They said no.
    Rejected,
}

/// The digest a consent is bound to: SHA-256 over the summary with its keys sorted.
#[must_use]
pub fn digest(summary: &Map) -> String {
    hash(&Value::Object(summary.clone()))
}

/// SHA-256 over a value written in one canonical way.
#[must_use]
pub fn hash(value: &Value) -> String {
    let mut canonical = String::new();
    write_canonical(value, &mut canonical);
    hex::encode(Sha256::digest(canonical.as_bytes()))
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut names: Vec<&String> = object.keys().collect();
            names.sort();
            out.push('{');
            for name in names {
                out.push_str(&Value::String(name.clone()).to_string());
                out.push(':');
                write_canonical(object.get(name).unwrap_or(&Value::Null), out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(list) => {
            out.push('[');
            for entry in list {
                write_canonical(entry, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string())
        }
    }
}

/// Reads the standing from all consents of an action, oldest first.
#[must_use]
pub fn standing(consents: &[Consent], digest: &str, now: DateTime<Utc>) -> Standing {
    let latest = consents.iter().rev().find(|consent| consent.digest == digest && consent.expires_at > now);
    match latest.map(|consent| (consent.status, consent)) {
        Some((ConsentStatus::Granted, consent)) => {
            return Standing::Granted { consent_id: consent.id.clone() };
        }
        Some((ConsentStatus::Rejected, _)) => return Standing::Rejected,
        Some((ConsentStatus::Pending | ConsentStatus::Void | ConsentStatus::Spent, _)) | None => {}
    }
    let decided = consents.iter().rev().find(|consent| consent.decided_by.is_some());
    match decided.map(|consent| consent.status) {
        Some(ConsentStatus::Void) => Standing::Stale,
        Some(ConsentStatus::Granted) => Standing::Open,
        Some(ConsentStatus::Rejected | ConsentStatus::Spent | ConsentStatus::Pending) | None => {
            Standing::Open
        }
    }
}

impl<C: Caller> Engine<C> {
    /// Whose word counts in this call. Without a way to ask through the client, only the person's own page is left.
    #[must_use]
    pub fn consent_level(&self, ctx: &C) -> ConsentLevel {
        match self.settings.consent {
            ConsentLevel::Client if !ctx.can_be_asked() => ConsentLevel::Human,
            level @ (ConsentLevel::Human | ConsentLevel::Client | ConsentLevel::Agent) => level,
        }
    }

    /// One consent of the caller, for the page that shows it.
    ///
    /// # Errors
    /// `not_found` when it does not exist or belongs to somebody else.
    pub async fn consent(&self, ctx: &C, consent_id: &str) -> Result<Consent, Failure> {
        let found = self.store.consent(ctx, consent_id).await?;
        found.ok_or_else(|| Failure::new(Reason::NotFound, format!("there is no consent {consent_id}")))
    }

    /// The person decides, outside the agent's path.
    ///
    /// # Errors
    /// `forbidden` for an agent, `consent_stale` when the question is not open any more.
    pub async fn decide_consent(&self, ctx: &C, consent_id: &str, yes: bool) -> Result<Consent, Failure> {
        if ctx.is_agent() {
            return Err(Failure::new(Reason::Forbidden, "only the person themself can give consent"));
        }
        let consent = self.consent(ctx, consent_id).await?;
        self.decide(ctx, consent, yes).await
    }

    /// The client hands over what the person answered in it. `digest` says which summary they were shown.
    ///
    /// # Errors
    /// `forbidden` where only the person's own page counts, `consent_stale` when the summary has changed.
    pub async fn answer_consent(
        &self,
        ctx: &C,
        action_id: &str,
        digest: &str,
        yes: bool,
    ) -> Result<Consent, Failure> {
        if self.consent_level(ctx) == ConsentLevel::Human {
            return Err(Failure::new(Reason::Forbidden, "consent is given on the person's own page here"));
        }
        let consents = self.store.consents(ctx, action_id).await?;
        let asked = consents
            .into_iter()
            .rev()
            .find(|consent| consent.digest == digest && consent.status == ConsentStatus::Pending);
        match asked {
            Some(consent) => self.decide(ctx, consent, yes).await,
            None => Err(stale()),
        }
    }

    async fn decide(&self, ctx: &C, mut consent: Consent, yes: bool) -> Result<Consent, Failure> {
        let now = ctx.world().clock.now();
        let record = self.store.load(ctx, &consent.action_id).await?;
        let is_current = record.is_some_and(|record| {
            record.status == Status::ReadyForConfirmation && record.digest.as_ref() == Some(&consent.digest)
        });
        if !is_current || consent.status != ConsentStatus::Pending || consent.expires_at <= now {
            return Err(stale());
        }
        consent.status = if yes { ConsentStatus::Granted } else { ConsentStatus::Rejected };
        consent.decided_by = Some(ctx.principal().to_owned());
        consent.expires_at = now + CONSENT_LIFE;
        match self.store.decide_consent(ctx, &consent).await? {
            true => Ok(consent),
            false => Err(stale()),
        }
    }

    /// The consent block of a view; at the confirm node it makes sure that the person is asked.
    pub(crate) async fn consent_view(
        &self,
        ctx: &C,
        record: &Record,
    ) -> Result<Option<ConsentView>, Failure> {
        if let Some(submission) = &record.submission {
            return Ok(Some(ConsentView {
                level: submission.level,
                status: ConsentStatus::Spent,
                url: None,
                digest: submission.digest.clone(),
                expires_at: None,
            }));
        }
        let (Status::ReadyForConfirmation, Some(digest)) = (record.status, &record.digest) else {
            return Ok(None);
        };
        let level = self.consent_level(ctx);
        if !self.flow_needs_consent(record) {
            return Ok(None);
        }
        if level == ConsentLevel::Agent {
            let status = ConsentStatus::Pending;
            return Ok(Some(ConsentView {
                level,
                status,
                url: None,
                digest: digest.clone(),
                expires_at: None,
            }));
        }
        let consent = self.ask_person(ctx, record, digest).await?;
        Ok(Some(ConsentView {
            level,
            status: consent.status,
            url: Some((self.settings.consent_url)(ctx.world(), &consent)),
            digest: consent.digest,
            expires_at: Some(consent.expires_at),
        }))
    }

    /// The question that is open, or the answer that still stands; a refusal stands until it expires.
    async fn ask_person(&self, ctx: &C, record: &Record, digest: &str) -> Result<Consent, Failure> {
        let now = ctx.world().clock.now();
        let consents = self.store.consents(ctx, &record.id).await?;
        let latest = consents.into_iter().rev().find(|consent| consent.digest == digest);
        if let Some(consent) = latest.filter(|consent| {
            let stands = match consent.status {
                ConsentStatus::Pending | ConsentStatus::Granted | ConsentStatus::Rejected => true,
                ConsentStatus::Void | ConsentStatus::Spent => false,
            };
            stands && consent.expires_at > now
        }) {
            return Ok(consent);
        }
        self.store.ask_consent(ctx, new_consent(ctx, record, digest, ConsentStatus::Pending)).await
    }
}

/// A consent row that does not exist yet.
pub(crate) fn new_consent<C: Caller>(
    ctx: &C,
    record: &Record,
    digest: &str,
    status: ConsentStatus,
) -> Consent {
    let now = ctx.world().clock.now();
    Consent {
        id: format!("con_{}", ctx.world().ids.next("con").to_string().to_lowercase()),
        action_id: record.id.clone(),
        principal: ctx.principal().to_owned(),
        digest: digest.to_owned(),
        summary: record.preview.as_ref().map(|preview| preview.summary.clone()).unwrap_or_default(),
        status,
        asked_at: now,
        expires_at: now + CONSENT_LIFE,
        decided_by: None,
        nonce: ctx.world().ids.next("consent_nonce").to_string().to_lowercase(),
    }
}

fn stale() -> Failure {
    Failure::new(Reason::ConsentStale, "this question is not open any more: read the action again")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_digest_does_not_depend_on_the_order_of_keys() {
        let one = json!({"amount": 398, "address": {"label": "Office", "zip": "10115"}, "coupon": null});
        let two = json!({"coupon": null, "address": {"zip": "10115", "label": "Office"}, "amount": 398});
        assert_eq!(hash(&one), hash(&two));
        assert_ne!(hash(&one), hash(&json!({"amount": 399})));
        assert_ne!(hash(&json!(["a", "b"])), hash(&json!(["a,b"])));
    }
}
