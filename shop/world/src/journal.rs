//! The bounded journal of what was said on every wire of this world.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

/// Entries kept; the oldest go first.
pub const ENTRIES_MAX: usize = 10_000;
/// Letters kept of what a caller wrote, so that memory has a bound whatever it sends.
const TEXT_CHARS_MAX: usize = 300;

/// One exchange.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Place in the journal, from 1, never reused.
    pub seq: u64,
    pub at: DateTime<Utc>,
    pub line: Line,
}

/// What an exchange was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// `rest`, `mcp_crud`, `mcp_actions`, `gateway` or `webhook`.
    pub door: String,
    /// The operation, tool or gateway call.
    pub operation: String,
    pub principal: Option<String>,
    pub key: Option<String>,
    /// The action, order or payment it was about.
    pub about: Option<String>,
    /// HTTP status, tool outcome or gateway outcome.
    pub outcome: String,
}

/// Which entries are meant: every field that is given must fit.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only later entries.
    pub after: u64,
    pub door: Option<String>,
    pub operation: Option<String>,
    pub principal: Option<String>,
    /// Part of the key.
    pub key: Option<String>,
    pub about: Option<String>,
    /// Part of the outcome.
    pub outcome: Option<String>,
}

/// An entry that nearly fits.
#[derive(Clone, Debug, Serialize)]
pub struct Near {
    /// The field that does not.
    pub misses: &'static str,
    pub entry: Entry,
}

/// An entry of a canonical export: without its number, which depends on who came first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Canonical {
    pub at: DateTime<Utc>,
    pub line: Line,
}

/// A bounded log in memory; nothing durable depends on it.
#[derive(Debug, Default)]
pub struct Journal {
    inner: Mutex<Inner>,
    written: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    entries: VecDeque<Entry>,
    /// Lines ever written, by door.
    totals: BTreeMap<String, u64>,
}

impl Journal {
    pub fn write(&self, at: DateTime<Utc>, line: Line) {
        let line = line.clipped();
        let mut inner = self.lock();
        inner.last += 1;
        let seq = inner.last;
        *inner.totals.entry(line.door.clone()).or_default() += 1;
        inner.entries.push_back(Entry { seq, at, line });
        if inner.entries.len() > ENTRIES_MAX {
            inner.entries.pop_front();
        }
        drop(inner);
        self.written.notify_waiters();
    }

    /// Entries after `seq`, oldest first, at most `limit`.
    #[must_use]
    pub fn after(&self, seq: u64, limit: usize) -> Vec<Entry> {
        self.find(&Filter { after: seq, ..Filter::default() }, limit)
    }

    /// Entries that fit, oldest first, at most `limit`.
    #[must_use]
    pub fn find(&self, filter: &Filter, limit: usize) -> Vec<Entry> {
        self.lock().entries.iter().filter(|entry| filter.fits(entry)).take(limit).cloned().collect()
    }

    #[must_use]
    pub fn count(&self, filter: &Filter) -> usize {
        self.lock().entries.iter().filter(|entry| filter.fits(entry)).count()
    }

    /// Entries that miss by one field, newest first, at most `limit`.
    #[must_use]
    pub fn near(&self, filter: &Filter, limit: usize) -> Vec<Near> {
        let inner = self.lock();
        let later = inner.entries.iter().rev().take_while(|entry| entry.seq > filter.after);
        let near = later.filter_map(|entry| match filter.misses(&entry.line).as_slice() {
            [misses] => Some(Near { misses, entry: entry.clone() }),
            _ => None,
        });
        near.take(limit).collect()
    }

    /// Returns when at least so many entries fit, perhaps never.
    pub async fn wait(&self, filter: &Filter, at_least: usize) {
        loop {
            let written = self.written.notified();
            tokio::pin!(written);
            // Before looking, so that what is written while looking wakes us.
            written.as_mut().enable();
            if self.count(filter) >= at_least {
                return;
            }
            written.await;
        }
    }

    /// The number of the newest entry ever written.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.lock().last
    }

    /// Lines ever written, by door.
    #[must_use]
    pub fn totals(&self) -> BTreeMap<String, u64> {
        self.lock().totals.clone()
    }

    /// Forgets all entries; numbers go on.
    pub fn clear(&self) {
        self.lock().entries.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Filter {
    #[must_use]
    pub fn fits(&self, entry: &Entry) -> bool {
        entry.seq > self.after && self.misses(&entry.line).is_empty()
    }

    fn misses(&self, line: &Line) -> Vec<&'static str> {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let has = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|part| found.is_some_and(|found| found.contains(part)))
        };
        let fields = [
            ("door", is(&self.door, Some(&line.door))),
            ("operation", is(&self.operation, Some(&line.operation))),
            ("principal", is(&self.principal, line.principal.as_deref())),
            ("key", has(&self.key, line.key.as_deref())),
            ("about", is(&self.about, line.about.as_deref())),
            ("outcome", has(&self.outcome, Some(&line.outcome))),
        ];
        fields.into_iter().filter(|(_, fits)| !fits).map(|(name, _)| name).collect()
    }
}

impl Line {
    fn clipped(mut self) -> Self {
        let texts = [Some(&mut self.door), Some(&mut self.operation), Some(&mut self.outcome)];
        let optional = [self.principal.as_mut(), self.key.as_mut(), self.about.as_mut()];
        for text in texts.into_iter().chain(optional).flatten() {
            if let Some((end, _)) = text.char_indices().nth(TEXT_CHARS_MAX) {
                text.truncate(end);
                text.shrink_to_fit();
            }
        }
        self
    }
}

/// Each client's lines in its own order: what raced is told apart by door, caller and key, and numbers are left out.
#[must_use]
pub fn canonical(mut entries: Vec<Entry>) -> Vec<Canonical> {
    entries.sort_by(|a, b| {
        // What has no caller, such as a call to the gateway, is kept together by its key.
        let client = |line: &Line| {
            let key = line.key.clone().filter(|_| line.principal.is_none());
            (line.door.clone(), line.principal.clone(), key)
        };
        client(&a.line).cmp(&client(&b.line)).then(a.seq.cmp(&b.seq))
    });
    entries.into_iter().map(|entry| Canonical { at: entry.at, line: entry.line }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TEST_EPOCH;

    #[test]
    fn the_oldest_entries_go_first_and_numbers_are_never_reused() {
        let journal = Journal::default();
        for _ in 0..ENTRIES_MAX + 5 {
            journal.write(TEST_EPOCH, Line::default());
        }
        let kept = journal.after(0, usize::MAX);
        assert_eq!(kept.len(), ENTRIES_MAX);
        assert_eq!(kept.first().map(|e| e.seq), Some(6));
        assert_eq!(journal.after(kept[10].seq, 2).len(), 2);
    }

    fn line(door: &str, operation: &str, principal: Option<&str>) -> Line {
        let (door, operation) = (door.to_owned(), operation.to_owned());
        Line { door, operation, principal: principal.map(str::to_owned), ..Line::default() }
    }

    #[test]
    fn what_nearly_fits_says_by_what_it_misses() {
        let journal = Journal::default();
        journal.write(TEST_EPOCH, line("rest", "get_order", Some("ada")));
        journal.write(TEST_EPOCH, line("rest", "get_cart", Some("bob")));
        let filter = Filter {
            door: Some("rest".into()),
            operation: Some("get_order".into()),
            principal: Some("bob".into()),
            ..Filter::default()
        };
        assert_eq!(journal.count(&filter), 0);
        let near = journal.near(&filter, 5);
        assert_eq!(near.iter().map(|near| near.misses).collect::<Vec<_>>(), ["operation", "principal"]);
    }

    #[tokio::test]
    async fn a_wait_ends_when_enough_has_been_written() {
        let journal = std::sync::Arc::new(Journal::default());
        let waiting = tokio::spawn({
            let journal = std::sync::Arc::clone(&journal);
            async move {
                let filter = Filter { door: Some("rest".into()), ..Filter::default() };
                journal.wait(&filter, 2).await;
                journal.count(&filter)
            }
        });
        for door in ["rest", "gateway", "rest"] {
            tokio::task::yield_now().await;
            journal.write(TEST_EPOCH, line(door, "x", None));
        }
        assert_eq!(waiting.await.unwrap(), 2);
    }

    #[test]
    fn a_caller_cannot_fill_the_memory() {
        let journal = Journal::default();
        journal.write(TEST_EPOCH, line("rest", &"ä".repeat(100_000), None));
        assert_eq!(journal.after(0, 1)[0].line.operation.chars().count(), TEXT_CHARS_MAX);
    }

    #[test]
    fn a_canonical_export_does_not_tell_who_came_first() {
        let (one, other) = (Journal::default(), Journal::default());
        for name in ["ada", "bob"] {
            one.write(TEST_EPOCH, line("rest", "get_order", Some(name)));
        }
        for name in ["bob", "ada"] {
            other.write(TEST_EPOCH, line("rest", "get_order", Some(name)));
        }
        assert_ne!(one.after(0, 9), other.after(0, 9));
        assert_eq!(canonical(one.after(0, 9)), canonical(other.after(0, 9)));
    }
}
