//! A store in memory, with every guarantee the contract asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::consent::{Consent, ConsentStatus};
use crate::flow::{Caller, Failure};
use crate::record::{Entry, Record};
use crate::store::{Change, Committed, ConsentWrite, Due, KeyRow, KeyWrite, Lease, Store};

#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    records: BTreeMap<String, Record>,
    journal: BTreeMap<String, Vec<Entry>>,
    consents: Vec<Consent>,
    keys: BTreeMap<(String, String, String), KeyRow>,
    leases: BTreeSet<String>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Checks everything first, so that a refused change leaves nothing behind.
    fn refusal(&self, change: &Change<'_>, now: DateTime<Utc>) -> Option<Committed> {
        let stored = self.records.get(&change.record.id).map(|record| record.version);
        if stored != change.expected {
            return Some(Committed::Stale);
        }
        if let Some(KeyWrite::Claim(row)) = &change.key
            && self.keys.get(&key_of(row)).is_some_and(|held| held.expires_at > now)
        {
            return Some(Committed::KeyTaken);
        }
        if let Some(ConsentWrite::Spend { id, now }) = &change.consent {
            let usable = self.consents.iter().any(|consent| {
                consent.id == *id && consent.status == ConsentStatus::Granted && consent.expires_at > *now
            });
            if !usable {
                return Some(Committed::ConsentUnusable);
            }
        }
        None
    }

    fn apply(&mut self, change: Change<'_>) {
        let id = change.record.id.clone();
        self.records.insert(id.clone(), change.record.clone());
        self.journal.entry(id.clone()).or_default().extend(change.journal);
        match change.consent {
            Some(ConsentWrite::VoidAll) => {
                let open = |consent: &&mut Consent| match consent.status {
                    ConsentStatus::Pending | ConsentStatus::Granted => consent.action_id == id,
                    ConsentStatus::Rejected | ConsentStatus::Void | ConsentStatus::Spent => false,
                };
                for consent in self.consents.iter_mut().filter(open) {
                    consent.status = ConsentStatus::Void;
                }
            }
            Some(ConsentWrite::Spend { id, .. }) => {
                if let Some(consent) = self.consents.iter_mut().find(|consent| consent.id == id) {
                    consent.status = ConsentStatus::Spent;
                }
            }
            Some(ConsentWrite::Spent(consent)) => self.consents.push(*consent),
            None => {}
        }
        match change.key {
            Some(KeyWrite::Claim(row) | KeyWrite::Answer(row)) => {
                self.keys.insert(key_of(&row), row);
            }
            None => {}
        }
    }
}

fn key_of(row: &KeyRow) -> (String, String, String) {
    (row.principal.clone(), row.operation.clone(), row.key.clone())
}

#[async_trait]
impl<C: Caller> Store<C> for MemoryStore {
    async fn load(&self, ctx: &C, action_id: &str) -> Result<Option<Record>, Failure> {
        let state = self.lock();
        Ok(state.records.get(action_id).filter(|record| record.principal == ctx.principal()).cloned())
    }

    async fn commit(&self, ctx: &C, change: Change<'_>) -> Result<Committed, Failure> {
        let mut state = self.lock();
        if let Some(refusal) = state.refusal(&change, ctx.world().clock.now()) {
            return Ok(refusal);
        }
        state.apply(change);
        Ok(Committed::Done)
    }

    async fn key(&self, ctx: &C, operation: &str, key: &str) -> Result<Option<KeyRow>, Failure> {
        let scope = (ctx.principal().to_owned(), operation.to_owned(), key.to_owned());
        let now = ctx.world().clock.now();
        Ok(self.lock().keys.get(&scope).filter(|row| row.expires_at > now).cloned())
    }

    async fn journal(&self, _ctx: &C, action_id: &str) -> Result<Vec<Entry>, Failure> {
        Ok(self.lock().journal.get(action_id).cloned().unwrap_or_default())
    }

    async fn consents(&self, _ctx: &C, action_id: &str) -> Result<Vec<Consent>, Failure> {
        let state = self.lock();
        Ok(state.consents.iter().filter(|consent| consent.action_id == action_id).cloned().collect())
    }

    async fn consent(&self, ctx: &C, consent_id: &str) -> Result<Option<Consent>, Failure> {
        let state = self.lock();
        let own = |consent: &&Consent| consent.id == consent_id && consent.principal == ctx.principal();
        Ok(state.consents.iter().find(own).cloned())
    }

    async fn ask_consent(&self, ctx: &C, consent: Consent) -> Result<Consent, Failure> {
        let now = ctx.world().clock.now();
        let mut state = self.lock();
        let open = state.consents.iter().find(|held| {
            let live = matches!(held.status, ConsentStatus::Pending | ConsentStatus::Granted)
                && held.expires_at > now;
            live && held.action_id == consent.action_id && held.digest == consent.digest
        });
        if let Some(open) = open {
            return Ok(open.clone());
        }
        state.consents.push(consent.clone());
        Ok(consent)
    }

    async fn decide_consent(&self, _ctx: &C, consent: &Consent) -> Result<bool, Failure> {
        let mut state = self.lock();
        let pending = |held: &&mut Consent| held.id == consent.id && held.status == ConsentStatus::Pending;
        let Some(held) = state.consents.iter_mut().find(pending) else { return Ok(false) };
        held.clone_from(consent);
        Ok(true)
    }

    async fn claim(&self, _ctx: &C, action_id: &str) -> Result<Option<Lease>, Failure> {
        let free = self.lock().leases.insert(action_id.to_owned());
        Ok(free.then(|| Lease { action_id: action_id.to_owned(), token: "memory".to_owned() }))
    }

    async fn unclaim(&self, _ctx: &C, lease: Lease) -> Result<(), Failure> {
        self.lock().leases.remove(&lease.action_id);
        Ok(())
    }

    async fn due(&self, _ctx: &C, now: DateTime<Utc>, limit: usize) -> Result<Vec<Due>, Failure> {
        let state = self.lock();
        let mut due: Vec<_> = state
            .records
            .values()
            .filter_map(|record| Some((record.due_at().filter(|at| *at <= now)?, record)))
            .collect();
        due.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
        let row = |record: &Record| Due { action_id: record.id.clone(), principal: record.principal.clone() };
        Ok(due.into_iter().take(limit).map(|(_, record)| row(record)).collect())
    }
}
