//! One merchant's account: its books, and the one place that changes them.
//!
//! Every change goes through `Inner::record`: work out, write durably, take in, only then answer. All of it happens
//! under one lock, so a key has one effect however many requests race for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use shop_gateway::wire::ledger::{Effect, Line, Request};
use shop_gateway::wire::{BalanceTransaction, KeyResult, Page};
use shop_world::World;
use thiserror::Error;

use crate::books::{self, Books, Due};
use crate::ledger_file::{self, LedgerError, LedgerFile};
use crate::limits;
use crate::refusals;
use crate::reply::Reply;
use crate::rules::{self, Bend, Means};
use crate::statement;
use crate::truth::Truth;
use crate::webhooks::{self, Outbox, Waiting, Webhook};

/// Why an account cannot be opened, read or restored.
#[derive(Debug, Error)]
pub enum AccountError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("the snapshot ends within a line")]
    TornSnapshot,
}

/// The account of one world.
pub struct Account {
    world: Arc<World>,
    inner: Mutex<Inner>,
    webhook: Mutex<Option<Webhook>>,
    outbox: Mutex<Outbox>,
}

struct Inner {
    books: Books,
    file: LedgerFile,
    /// Requests stuck in a queue: their callers gave up, and they will be carried out all the same.
    parked: Vec<Parked>,
}

struct Parked {
    due: DateTime<Utc>,
    key: String,
    request: Request,
}

impl Account {
    /// Opens the books of a world's account and replays them.
    ///
    /// # Errors
    /// When the ledger cannot be read, or does not add up.
    pub fn open(world: Arc<World>, mut ledger: LedgerFile) -> Result<Arc<Self>, AccountError> {
        let books = Books::replay(ledger.read()?)?;
        let inner = Inner { books, file: ledger, parked: Vec::new() };
        Ok(Arc::new(Self {
            world,
            inner: Mutex::new(inner),
            webhook: Mutex::default(),
            outbox: Mutex::default(),
        }))
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.world.name
    }

    #[must_use]
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Where events go from now on; `None` sends none.
    pub fn send_webhooks_to(&self, webhook: Option<Webhook>) {
        *self.webhook.lock().unwrap_or_else(PoisonError::into_inner) = webhook;
    }

    /// Delivers what waits and is due in a world that stands still; how many deliveries were tried. In a world whose
    /// time runs, events leave by themselves.
    pub async fn deliver(&self) -> usize {
        let mut tried = 0;
        while let Some(webhook) = self.webhook() {
            let Some(waiting) = self.take_due() else { break };
            tried += 1;
            if !webhooks::deliver_once(&self.world, &webhook, &waiting).await {
                self.outbox().put_back(self.world.clock.now(), waiting);
            }
        }
        tried
    }

    fn webhook(&self) -> Option<Webhook> {
        self.webhook.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_due(&self) -> Option<Waiting> {
        self.outbox().take_due(self.world.clock.now())
    }

    /// Everything that really happened, oldest first.
    ///
    /// # Errors
    /// When the books are broken.
    pub fn ledger_entries(&self) -> Result<Vec<Line>, AccountError> {
        Ok(self.lock()?.books.lines().to_vec())
    }

    /// What was charged and refunded in the end.
    ///
    /// # Errors
    /// When the books are broken.
    pub fn truth(&self) -> Result<Truth, AccountError> {
        Ok(Truth::of(&self.lock()?.books))
    }

    /// The ledger file's bytes.
    ///
    /// # Errors
    /// When the books are broken or cannot be read.
    pub fn snapshot(&self) -> Result<Vec<u8>, AccountError> {
        Ok(self.lock()?.file.snapshot()?)
    }

    /// Goes back to a snapshot; what was in the queue is forgotten. Refused as a whole when it does not add up.
    ///
    /// # Errors
    /// When the bytes are no ledger, or cannot be written.
    pub fn restore(&self, bytes: &[u8]) -> Result<(), AccountError> {
        let (lines, whole) = ledger_file::parse(bytes)?;
        if whole < bytes.len() {
            return Err(AccountError::TornSnapshot);
        }
        let books = Books::replay(lines)?;
        // Broken books may be replaced: that is how they are mended.
        let mut inner = self.inner.lock().map_err(|_| LedgerError::Broken)?;
        inner.file.replace(bytes)?;
        inner.books = books;
        inner.parked.clear();
        self.outbox().clear();
        Ok(())
    }

    /// Does what has fallen due by the world's clock: refunds that settle, disputes, requests stuck in the queue.
    /// Returns how much it did.
    ///
    /// # Errors
    /// When the books cannot be written.
    pub fn tick(&self) -> Result<usize, AccountError> {
        let mut inner = self.lock()?;
        Ok(self.run_due(&mut inner)?)
    }

    /// One page of the statement, after entry number `after`.
    ///
    /// # Errors
    /// When the books are broken.
    pub fn statement(&self, after: u64, limit: u32) -> Result<Page<BalanceTransaction>, AccountError> {
        let mut inner = self.lock()?;
        self.run_due(&mut inner)?;
        Ok(statement::page(&inner.books, after, limit))
    }

    /// Carries out a write, or gives the answer its key has had already.
    pub(crate) fn write(&self, key: &str, request: &Request, bend: Bend) -> Reply {
        self.with_books(|inner| {
            if let Some(answer) = self.known(&inner.books, key, request) {
                return Ok(answer);
            }
            let effect = self.decide(&inner.books, request, bend);
            let moved = !matches!(effect, Effect::Refused(_) | Effect::Fenced);
            let answer = self.record(inner, Some(key), Some(request), effect)?;
            if bend.twice && moved {
                let again = self.decide(&inner.books, request, Bend::default());
                self.record(inner, None, Some(request), again)?;
            }
            Ok(Reply::of(&answer))
        })
    }

    /// Says what a write would have said, and does nothing.
    pub(crate) fn pretend(&self, key: &str, request: &Request) -> Reply {
        self.with_books(|inner| {
            if let Some(answer) = self.known(&inner.books, key, request) {
                return Ok(answer);
            }
            let effect = self.decide(&inner.books, request, Bend::default());
            let line = self.line(&inner.books, Some(key), Some(request), effect);
            let charge = inner.books.after(&line)?;
            Ok(books::answer(&line.effect, charge.as_ref())
                .map_or_else(|| Reply::refusal(refusals::STORAGE), |answer| Reply::of(&answer)))
        })
    }

    /// Makes a key a tombstone, unless it has had its effect; either way the answer is final.
    pub(crate) fn fence(&self, key: &str) -> Reply {
        self.with_books(|inner| {
            if !inner.books.has_key(key) {
                self.record(inner, Some(key), Some(&Request::Fence), Effect::Fenced)?;
            }
            Ok(found(inner.books.record_of(key).as_ref()))
        })
    }

    pub(crate) fn find_key(&self, key: &str) -> Reply {
        self.with_books(|inner| Ok(found(inner.books.record_of(key).as_ref())))
    }

    pub(crate) fn find_payment(&self, id: &str) -> Reply {
        self.with_books(|inner| Ok(found(inner.books.charge(id).map(|charge| &charge.payment))))
    }

    pub(crate) fn find_refund(&self, id: &str) -> Reply {
        self.with_books(|inner| Ok(found(inner.books.refund(id))))
    }

    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.lock().is_ok_and(|inner| inner.books.has_key(key))
    }

    /// Leaves a request in the queue, to be carried out later whether or not anybody waits for it.
    pub(crate) fn park(&self, key: &str, request: &Request) {
        let Ok(mut inner) = self.lock() else { return };
        if inner.parked.len() < limits::PARKED_MAX {
            let due = self.world.clock.now() + limits::LATE_AFTER;
            inner.parked.push(Parked { due, key: key.to_owned(), request: request.clone() });
        }
    }

    /// The answer a key has had, if it has had one.
    fn known(&self, books: &Books, key: &str, request: &Request) -> Option<Reply> {
        let line = books.line_of(key)?;
        if line.effect == Effect::Fenced {
            return Some(Reply::refusal(refusals::KEY_CANCELLED));
        }
        if line.request.as_ref() != Some(request) {
            return Some(Reply::refusal(refusals::KEY_CONFLICT));
        }
        if self.world.clock.now() - line.at > limits::REPLAY {
            return Some(Reply::refusal(refusals::KEY_EXPIRED));
        }
        let answer = books.answer_of(key)?;
        Some(Reply { is_replay: true, ..Reply::of(&answer) })
    }

    fn decide(&self, books: &Books, request: &Request, bend: Bend) -> Effect {
        let new_id = |prefix: &str| self.new_id(books, prefix);
        rules::decide(books, request, bend, &Means { now: self.world.clock.now(), new_id: &new_id })
    }

    /// Ids come from the world's streams. One that the books have already, such as after a restore under the same
    /// boot, is passed over.
    fn new_id(&self, books: &Books, prefix: &str) -> String {
        loop {
            let drawn = self.world.ids.next(&format!("gateway.{prefix}")).to_string();
            let id = format!("{prefix}_{}", drawn.to_lowercase());
            if books.charge(&id).is_none() && books.refund(&id).is_none() {
                return id;
            }
        }
    }

    fn line(&self, books: &Books, key: Option<&str>, request: Option<&Request>, effect: Effect) -> Line {
        Line {
            seq: books.next_seq(),
            at: self.world.clock.now(),
            key: key.map(str::to_owned),
            request: request.cloned(),
            effect,
        }
    }

    /// Work out, write durably, take in. Whoever gets the answer may say it.
    fn record(
        &self,
        inner: &mut Inner,
        key: Option<&str>,
        request: Option<&Request>,
        effect: Effect,
    ) -> Result<KeyResult, LedgerError> {
        let line = self.line(&inner.books, key, request, effect);
        let charge = inner.books.after(&line)?;
        let seq = line.seq;
        let answer = books::answer(&line.effect, charge.as_ref())
            .ok_or(LedgerError::Inconsistent { seq, reason: "it has no answer" })?;
        inner.file.append(&line)?;
        self.announce(&line, &answer);
        inner.books.commit(line, charge);
        Ok(answer)
    }

    fn announce(&self, line: &Line, answer: &KeyResult) {
        let Some(webhook) = self.webhook() else { return };
        let Some(event) = webhooks::event(&self.world, line, answer) else { return };
        if self.world.clock.is_frozen() {
            self.outbox().put(&self.world, &event);
        } else {
            webhooks::post(&self.world, &webhook, event);
        }
    }

    fn run_due(&self, inner: &mut Inner) -> Result<usize, LedgerError> {
        let mut done = 0;
        loop {
            let now = self.world.clock.now();
            if let Some(due) = inner.books.first_due(now).cloned() {
                let effect = self.effect_of(&inner.books, due);
                self.record(inner, None, None, effect)?;
            } else if let Some(index) = inner.parked.iter().position(|parked| parked.due <= now) {
                let Parked { key, request, .. } = inner.parked.remove(index);
                // A key that was used or fenced meanwhile makes the late request a repeat, which does nothing.
                if !inner.books.has_key(&key) {
                    let effect = self.decide(&inner.books, &request, Bend::default());
                    self.record(inner, Some(&key), Some(&request), effect)?;
                }
            } else {
                return Ok(done);
            }
            done += 1;
        }
    }

    fn effect_of(&self, books: &Books, due: Due) -> Effect {
        match due {
            Due::Settle { payment, refund, settlement } => {
                Effect::RefundSettled { payment, refund, failure: settlement.failure }
            }
            Due::Dispute { payment } => {
                let amount_minor = books.charge(&payment).map_or(0, |charge| charge.payment.captured_minor);
                Effect::Disputed { payment, dispute: self.new_id(books, "dp"), amount_minor }
            }
        }
    }

    /// Runs what is due, then the call; trouble with the books is a 500 that says nothing.
    fn with_books(&self, call: impl FnOnce(&mut Inner) -> Result<Reply, LedgerError>) -> Reply {
        let answered = self.lock().and_then(|mut inner| {
            self.run_due(&mut inner)?;
            call(&mut inner)
        });
        answered.unwrap_or_else(|error| {
            tracing::error!(account = self.name(), ?error, "the books could not be used");
            Reply::refusal(refusals::STORAGE)
        })
    }

    /// The books, unless nobody can vouch for them: after a panic while they were held, or a write that could not
    /// be taken back, memory and file may differ.
    fn lock(&self) -> Result<MutexGuard<'_, Inner>, LedgerError> {
        let inner = self.inner.lock().map_err(|_| LedgerError::Broken)?;
        if inner.file.is_broken() { Err(LedgerError::Broken) } else { Ok(inner) }
    }
}

fn found<T: serde::Serialize>(thing: Option<&T>) -> Reply {
    thing.map_or_else(|| Reply::refusal(refusals::NOT_FOUND), |thing| Reply::json(200, thing))
}
