//! Whose session is whose. rmcp gives sessions ids; this keeps them with the caller that opened them, and few.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::store::StoreAdapter;
use crate::identity::Identity;
use crate::limits;

/// What is known about the owner of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owned {
    ByCaller,
    ByAnother,
    Unknown,
}

pub(crate) struct Sessions {
    local: Arc<LocalSessionManager>,
    store: Option<Arc<StoreAdapter>>,
    owners: Mutex<Owners>,
}

#[derive(Default)]
struct Owners {
    /// Counts uses, so that the least recently used session is known.
    uses: u64,
    by_id: HashMap<String, Owner>,
}

struct Owner {
    subject: String,
    world: String,
    used: u64,
}

impl Owner {
    fn is(&self, identity: &Identity) -> bool {
        self.subject == identity.subject() && self.world == identity.world()
    }
}

impl Sessions {
    pub(crate) fn new(local: Arc<LocalSessionManager>, store: Option<Arc<StoreAdapter>>) -> Self {
        Self { local, store, owners: Mutex::default() }
    }

    /// Checks the owner and notes the use.
    pub(crate) async fn touch(&self, id: &str, caller: &Identity) -> Owned {
        if let Some(owned) = self.lock().touch(id, caller) {
            return owned;
        }
        // Opened by another process, perhaps: its rows say by whom.
        let Some(store) = &self.store else { return Owned::Unknown };
        match store.owner(id).await {
            Some((subject, world)) if subject == caller.subject() && world == caller.world() => {
                self.lock().insert(id, caller);
                Owned::ByCaller
            }
            Some(_) => Owned::ByAnother,
            None => Owned::Unknown,
        }
    }

    /// A session was opened for this caller; the least recently used ones make room.
    pub(crate) async fn opened(&self, id: &str, caller: &Identity) {
        if let Some(store) = &self.store {
            store.opened(id, caller).await;
        }
        let alive: Vec<String> = self.local.sessions.read().await.keys().map(|id| id.to_string()).collect();
        let surplus = {
            let mut owners = self.lock();
            owners.by_id.retain(|id, _| alive.contains(id));
            owners.insert(id, caller);
            owners.surplus(caller)
        };
        for id in surplus {
            tracing::info!(session = %id, "closing the least recently used session");
            if let Err(error) = self.local.close_session(&id.as_str().into()).await {
                tracing::warn!(%error, session = %id, "a session could not be closed");
            }
            self.closed(&id);
        }
    }

    pub(crate) fn closed(&self, id: &str) {
        self.lock().by_id.remove(id);
    }

    fn lock(&self) -> MutexGuard<'_, Owners> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owners {
    fn touch(&mut self, id: &str, caller: &Identity) -> Option<Owned> {
        self.uses += 1;
        let owner = self.by_id.get_mut(id)?;
        if !owner.is(caller) {
            return Some(Owned::ByAnother);
        }
        owner.used = self.uses;
        Some(Owned::ByCaller)
    }

    fn insert(&mut self, id: &str, caller: &Identity) {
        self.uses += 1;
        let (subject, world) = (caller.subject().to_owned(), caller.world().to_owned());
        self.by_id.insert(id.to_owned(), Owner { subject, world, used: self.uses });
    }

    /// What must go: the caller's own oldest first, then the oldest of all.
    fn surplus(&self, caller: &Identity) -> Vec<String> {
        let mut by_use: Vec<(&String, &Owner)> = self.by_id.iter().collect();
        by_use.sort_unstable_by_key(|(_, owner)| owner.used);
        let own = by_use.iter().filter(|(_, owner)| owner.is(caller)).count();
        let own_surplus = own.saturating_sub(limits::SESSIONS_PER_PRINCIPAL_MAX);
        let mut surplus: Vec<String> = by_use
            .iter()
            .filter(|(_, owner)| owner.is(caller))
            .take(own_surplus)
            .map(|(id, _)| (*id).clone())
            .collect();
        let over = (self.by_id.len() - surplus.len()).saturating_sub(limits::SESSIONS_MAX);
        let others: Vec<String> = by_use
            .iter()
            .map(|(id, _)| (*id).clone())
            .filter(|id| !surplus.contains(id))
            .take(over)
            .collect();
        surplus.extend(others);
        surplus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(subject: &str) -> Identity {
        Identity::new(subject, "main", ())
    }

    #[test]
    fn a_session_answers_only_to_its_owner() {
        let mut owners = Owners::default();
        owners.insert("s1", &identity("ann"));
        assert_eq!(owners.touch("s1", &identity("ann")), Some(Owned::ByCaller));
        assert_eq!(owners.touch("s1", &identity("bob")), Some(Owned::ByAnother));
        assert_eq!(owners.touch("s1", &Identity::new("ann", "other", ())), Some(Owned::ByAnother));
        assert_eq!(owners.touch("s2", &identity("ann")), None);
    }

    #[test]
    fn a_greedy_caller_loses_its_own_oldest_session() {
        let (ann, bob) = (identity("ann"), identity("bob"));
        let mut owners = Owners::default();
        owners.insert("bobs", &bob);
        for n in 0..=limits::SESSIONS_PER_PRINCIPAL_MAX {
            owners.insert(&format!("s{n}"), &ann);
        }
        owners.touch("s0", &ann);
        assert_eq!(owners.surplus(&ann), ["s1"]);
        assert!(owners.surplus(&bob).is_empty());
    }

    #[test]
    fn many_callers_lose_the_oldest_of_all() {
        let mut owners = Owners::default();
        for n in 0..=limits::SESSIONS_MAX {
            owners.insert(&format!("s{n}"), &identity(&format!("p{n}")));
        }
        assert_eq!(owners.surplus(&identity("p5")), ["s0"]);
    }
}
