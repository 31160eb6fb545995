//! A store whose process dies at a chosen write: before it is committed, or right after, unanswered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use shop_world::Moment;

use crate::consent::Consent;
use crate::flow::{Caller, Failure};
use crate::reason::Reason;
use crate::record::{Entry, Record};
use crate::store::{Change, Committed, Due, KeyRow, Lease, Store};

pub struct Crashing<C: Caller> {
    inner: Arc<dyn Store<C>>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Dies at this write, counted from one.
    at: Option<(usize, Moment)>,
    writes: usize,
    dead: bool,
    leases: Vec<Lease>,
}

impl<C: Caller> Crashing<C> {
    #[must_use]
    pub fn new(inner: Arc<dyn Store<C>>) -> Self {
        Self { inner, state: Mutex::default() }
    }

    /// The n-th write from now kills the process.
    pub fn crash_at(&self, nth: usize, moment: Moment) {
        let mut state = self.lock();
        state.at = Some((nth, moment));
        state.writes = 0;
    }

    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.lock().dead
    }

    /// A new process: nothing is planned, and the dead one's leases have run out.
    ///
    /// # Errors
    /// When the store below fails.
    pub async fn restart(&self, ctx: &C) -> Result<(), Failure> {
        let leases = {
            let mut state = self.lock();
            state.at = None;
            state.dead = false;
            std::mem::take(&mut state.leases)
        };
        for lease in leases {
            self.inner.unclaim(ctx, lease).await?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn alive(&self) -> Result<(), Failure> {
        if self.lock().dead { Err(died()) } else { Ok(()) }
    }

    /// Counts a write; true when the process dies at this moment of it.
    fn dies(&self, moment: Moment) -> bool {
        let mut state = self.lock();
        if moment == Moment::Before {
            state.writes += 1;
        }
        let now = state.at == Some((state.writes, moment));
        state.dead |= now;
        now
    }
}

fn died() -> Failure {
    Failure::new(Reason::Internal, "the process died here")
}

#[async_trait]
impl<C: Caller> Store<C> for Crashing<C> {
    async fn load(&self, ctx: &C, action_id: &str) -> Result<Option<Record>, Failure> {
        self.alive()?;
        self.inner.load(ctx, action_id).await
    }

    async fn commit(&self, ctx: &C, change: Change<'_>) -> Result<Committed, Failure> {
        self.alive()?;
        if self.dies(Moment::Before) {
            return Err(died());
        }
        let committed = self.inner.commit(ctx, change).await?;
        if self.dies(Moment::After) { Err(died()) } else { Ok(committed) }
    }

    async fn key(&self, ctx: &C, operation: &str, key: &str) -> Result<Option<KeyRow>, Failure> {
        self.alive()?;
        self.inner.key(ctx, operation, key).await
    }

    async fn journal(&self, ctx: &C, action_id: &str) -> Result<Vec<Entry>, Failure> {
        self.inner.journal(ctx, action_id).await
    }

    async fn consents(&self, ctx: &C, action_id: &str) -> Result<Vec<Consent>, Failure> {
        self.alive()?;
        self.inner.consents(ctx, action_id).await
    }

    async fn consent(&self, ctx: &C, consent_id: &str) -> Result<Option<Consent>, Failure> {
        self.alive()?;
        self.inner.consent(ctx, consent_id).await
    }

    async fn ask_consent(&self, ctx: &C, consent: Consent) -> Result<Consent, Failure> {
        self.alive()?;
        self.inner.ask_consent(ctx, consent).await
    }

    async fn decide_consent(&self, ctx: &C, consent: &Consent) -> Result<bool, Failure> {
        self.alive()?;
        self.inner.decide_consent(ctx, consent).await
    }

    async fn claim(&self, ctx: &C, action_id: &str) -> Result<Option<Lease>, Failure> {
        self.alive()?;
        let lease = self.inner.claim(ctx, action_id).await?;
        self.lock().leases.extend(lease.clone());
        Ok(lease)
    }

    async fn unclaim(&self, ctx: &C, lease: Lease) -> Result<(), Failure> {
        self.alive()?;
        self.lock().leases.retain(|held| *held != lease);
        self.inner.unclaim(ctx, lease).await
    }

    async fn due(&self, ctx: &C, now: DateTime<Utc>, limit: usize) -> Result<Vec<Due>, Failure> {
        self.alive()?;
        self.inner.due(ctx, now, limit).await
    }
}
