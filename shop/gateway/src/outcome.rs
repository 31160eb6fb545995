//! What we know after talking to the gateway.

use crate::wire::Decline;

/// What became of a call that may move money.
///
/// `Unknown` is not an error: money may have moved, and only a look-up by key tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It happened, now or under an earlier send of the same key.
    Done(T),
    /// The gateway said no: nothing happened, and nothing will under this key.
    Refused(Decline),
    /// Nothing was sent or accepted; the same key may be used again after the wait.
    Busy { after_ms: u64 },
    /// Everything else: time-out, reset, 5xx, a truncated or odd body.
    Unknown,
}

/// What a read found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<T> {
    Found(T),
    /// The gateway has nothing under this name. Final only once the key is fenced.
    NotFound,
    /// No clear answer: nothing was learned.
    Unavailable,
}
