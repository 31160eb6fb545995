//! The world of the fixture: what can be claimed, and a bank that keeps its own books and misbehaves on command.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::parts::Candidate;
use crate::reason::Reason;

/// What goes wrong at the next run of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A clear no.
    Refuse(Reason),
    /// Nothing is sent.
    Busy,
    /// The effect happens, the answer gets lost.
    LoseAnswer,
    /// Neither happens, and nobody knows.
    LoseRequest,
    /// Says yes and does nothing.
    Silent,
    /// Pays less than agreed.
    Short,
    /// A second person decides first.
    Approval,
    /// Something outside has to happen first.
    Event,
}

#[derive(Debug, Default)]
struct State {
    faults: BTreeMap<String, VecDeque<Fault>>,
    /// Effects by step key: what really happened.
    books: BTreeMap<String, i64>,
    /// Keys under which nothing can happen any more.
    fenced: BTreeSet<String>,
    /// Every key under which something was ever sent.
    sent: Vec<String>,
    /// Reserved amounts by action.
    held: BTreeMap<String, i64>,
    blind: bool,
    paper_missing: bool,
    limit: i64,
    fee: i64,
    approved: Option<bool>,
    arrived: bool,
}

#[derive(Debug)]
pub struct Office {
    state: Mutex<State>,
}

/// A claim of somebody's, for words to mean.
struct Filed {
    id: &'static str,
    owner: &'static str,
    label: &'static str,
}

const FILED: &[Filed] = &[
    Filed { id: "clm_1", owner: "ada", label: "Lunch in Berlin" },
    Filed { id: "clm_2", owner: "ada", label: "Lunch in Paris" },
    Filed { id: "clm_3", owner: "ada", label: "Taxi to the airport" },
    Filed { id: "clm_4", owner: "bob", label: "Taxi to the fair" },
];

impl Default for Office {
    fn default() -> Self {
        Self { state: Mutex::new(State { limit: 1_000, ..State::default() }) }
    }
}

impl Office {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plans a fault for the next run of a step; several are used up in order.
    pub fn plan(&self, step: &str, fault: Fault) {
        self.lock().faults.entry(step.to_owned()).or_default().push_back(fault);
    }

    pub(super) fn take_fault(&self, step: &str) -> Option<Fault> {
        self.lock().faults.get_mut(step)?.pop_front()
    }

    /// While blind, the bank cannot be asked anything.
    pub fn set_blind(&self, blind: bool) {
        self.lock().blind = blind;
    }

    pub(super) fn is_blind(&self) -> bool {
        self.lock().blind
    }

    /// While paper is missing, a claim waits before its confirm node.
    pub fn set_paper_missing(&self, missing: bool) {
        self.lock().paper_missing = missing;
    }

    pub(super) fn paper_missing(&self) -> bool {
        self.lock().paper_missing
    }

    /// The most one claim may come to.
    pub fn set_limit(&self, limit: i64) {
        self.lock().limit = limit;
    }

    pub(super) fn limit(&self) -> i64 {
        self.lock().limit
    }

    /// What the bank says a transfer costs now; it is part of what a person agrees to.
    pub fn set_fee(&self, fee: i64) {
        self.lock().fee = fee;
    }

    pub(super) fn fee(&self) -> i64 {
        self.lock().fee
    }

    /// A second person decides.
    pub fn decide(&self, yes: bool) {
        self.lock().approved = Some(yes);
    }

    pub(super) fn decision(&self) -> Option<bool> {
        self.lock().approved
    }

    pub fn let_arrive(&self) {
        self.lock().arrived = true;
    }

    pub(super) fn has_arrived(&self) -> bool {
        self.lock().arrived
    }

    /// Makes an effect happen, once per key; false when the key is fenced.
    pub(super) fn book(&self, key: &str, amount: i64) -> bool {
        let mut state = self.lock();
        state.sent.push(key.to_owned());
        if state.fenced.contains(key) {
            return false;
        }
        state.books.entry(key.to_owned()).or_insert(amount);
        true
    }

    pub(super) fn booked(&self, key: &str) -> Option<i64> {
        self.lock().books.get(key).copied()
    }

    /// Fences a key; true when an effect had to be undone.
    pub(super) fn fence(&self, key: &str) -> bool {
        let mut state = self.lock();
        state.fenced.insert(key.to_owned());
        state.books.remove(key).is_some()
    }

    pub(super) fn hold(&self, action_id: &str, amount: i64) {
        self.lock().held.insert(action_id.to_owned(), amount);
    }

    pub(super) fn release(&self, action_id: &str) {
        self.lock().held.remove(action_id);
    }

    /// How many effects of a step stand in the bank's books.
    #[must_use]
    pub fn count(&self, step: &str) -> usize {
        self.lock().books.keys().filter(|key| key.contains(&format!("/{step}/"))).count()
    }

    /// The keys a step was ever sent under.
    #[must_use]
    pub fn keys_of(&self, step: &str) -> Vec<String> {
        self.lock().sent.iter().filter(|key| key.contains(&format!("/{step}/"))).cloned().collect()
    }

    #[must_use]
    pub fn held(&self) -> Vec<i64> {
        self.lock().held.values().copied().collect()
    }

    /// A person's claims that words or an id may mean.
    pub(super) fn find_claims(&self, owner: &str, words: &str) -> Vec<Candidate> {
        let wanted = words.to_lowercase();
        let own = FILED.iter().filter(|claim| claim.owner == owner);
        let exact: Vec<&Filed> = own.clone().filter(|claim| claim.id == wanted).collect();
        let named = |claim: &&Filed| {
            let label = claim.label.to_lowercase();
            wanted.split_whitespace().filter(|word| word.len() > 3).any(|word| label.contains(word))
        };
        let found = if exact.is_empty() { own.filter(named).collect() } else { exact };
        let confidence = if found.len() == 1 { 0.95 } else { 0.5 };
        found.into_iter().map(|claim| candidate(claim, confidence, "its label contains the words")).collect()
    }

    pub(super) fn all_claims(&self, owner: &str) -> Vec<Candidate> {
        let own = FILED.iter().filter(|claim| claim.owner == owner);
        own.map(|claim| candidate(claim, 0.1, "none of the words occur in its label")).collect()
    }
}

fn candidate(claim: &Filed, confidence: f64, reason: &str) -> Candidate {
    Candidate {
        id: claim.id.to_owned(),
        kind: "Claim".to_owned(),
        label: claim.label.to_owned(),
        confidence,
        reason: reason.to_owned(),
    }
}
