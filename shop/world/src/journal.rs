//! The bounded journal of what was said on every wire of this world.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Entries kept; the oldest go first.
pub const ENTRIES_MAX: usize = 10_000;

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

/// A bounded log in memory; nothing durable depends on it.
#[derive(Debug, Default)]
pub struct Journal {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    entries: VecDeque<Entry>,
}

impl Journal {
    pub fn write(&self, at: DateTime<Utc>, line: Line) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.last += 1;
        let seq = inner.last;
        inner.entries.push_back(Entry { seq, at, line });
        if inner.entries.len() > ENTRIES_MAX {
            inner.entries.pop_front();
        }
    }

    /// Entries after `seq`, oldest first, at most `limit`.
    #[must_use]
    pub fn after(&self, seq: u64, limit: usize) -> Vec<Entry> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.entries.iter().filter(|entry| entry.seq > seq).take(limit).cloned().collect()
    }
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
}
