//! The world's clock: wall time, or time that stands still until somebody moves it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// 2026-01-15T12:00:00Z, where test worlds stand still.
pub const TEST_EPOCH: DateTime<Utc> =
    DateTime::from_timestamp(1_768_478_400, 0).expect("a constant in range");

/// A handle on one world's time; clones move together.
#[derive(Clone, Debug)]
pub struct Clock {
    state: Arc<Mutex<State>>,
}

/// How a clock stands, so that another can go on from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// So far ahead of wall time.
    Running {
        ahead_us: i64,
    },
    Frozen {
        at: DateTime<Utc>,
    },
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Wall time plus an offset.
    Running {
        offset: TimeDelta,
    },
    Frozen {
        at: DateTime<Utc>,
    },
}

impl Clock {
    #[must_use]
    pub fn running() -> Self {
        Self { state: Arc::new(Mutex::new(State::Running { offset: TimeDelta::zero() })) }
    }

    #[must_use]
    pub fn frozen(at: DateTime<Utc>) -> Self {
        Self { state: Arc::new(Mutex::new(State::Frozen { at: to_micros(at) })) }
    }

    /// A clock of its own that goes on from a reading.
    #[must_use]
    pub fn from_reading(reading: Reading) -> Self {
        let state = match reading {
            Reading::Running { ahead_us } => State::Running { offset: TimeDelta::microseconds(ahead_us) },
            Reading::Frozen { at } => State::Frozen { at: to_micros(at) },
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    #[must_use]
    pub fn reading(&self) -> Reading {
        match *self.lock() {
            State::Running { offset } => {
                Reading::Running { ahead_us: offset.num_microseconds().unwrap_or(i64::MAX) }
            }
            State::Frozen { at } => Reading::Frozen { at },
        }
    }

    /// Now, in whole microseconds: what every database can store exactly.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        match *self.lock() {
            State::Running { offset } => to_micros(wall() + offset),
            State::Frozen { at } => at,
        }
    }

    #[must_use]
    pub fn is_frozen(&self) -> bool {
        matches!(*self.lock(), State::Frozen { .. })
    }

    /// Stops time where it is.
    pub fn freeze(&self) {
        let at = self.now();
        *self.lock() = State::Frozen { at };
    }

    /// Lets time run on from where it stands.
    pub fn run(&self) {
        let offset = self.now() - wall();
        *self.lock() = State::Running { offset };
    }

    /// Sets the time; a running clock runs on from there.
    pub fn set(&self, to: DateTime<Utc>) {
        let mut state = self.lock();
        *state = match *state {
            State::Running { .. } => State::Running { offset: to - wall() },
            State::Frozen { .. } => State::Frozen { at: to_micros(to) },
        };
    }

    pub fn advance(&self, by: TimeDelta) {
        self.set(self.now() + by);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one place that reads the machine's clock for a world.
#[expect(clippy::disallowed_methods, reason = "this is the clock the lint points to")]
fn wall() -> DateTime<Utc> {
    Utc::now()
}

/// Real time for leases, in Unix milliseconds: a jump of a world's clock must not end a live lease.
#[must_use]
pub fn lease_now_ms() -> i64 {
    wall().timestamp_millis()
}

/// Real time for what two companies must agree on, such as the age of a signature, whatever either's world says.
#[must_use]
pub fn real_now() -> DateTime<Utc> {
    to_micros(wall())
}

fn to_micros(at: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(at.timestamp_micros()).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_clock_moves_only_when_told() {
        let clock = Clock::frozen(TEST_EPOCH);
        assert_eq!(clock.now(), TEST_EPOCH);
        clock.advance(TimeDelta::hours(3));
        assert_eq!(clock.now(), TEST_EPOCH + TimeDelta::hours(3));
        assert!(clock.is_frozen());
    }

    #[test]
    fn a_clock_from_a_reading_goes_on_alone() {
        let clock = Clock::frozen(TEST_EPOCH);
        let other = Clock::from_reading(clock.reading());
        clock.advance(TimeDelta::hours(1));
        assert_eq!(other.now(), TEST_EPOCH);
        other.run();
        assert!(!other.is_frozen() && other.now() >= TEST_EPOCH && clock.is_frozen());
    }

    #[test]
    fn a_running_clock_keeps_running_after_a_jump() {
        let clock = Clock::running();
        clock.set(TEST_EPOCH);
        let first = clock.now();
        assert!(first >= TEST_EPOCH && first < TEST_EPOCH + TimeDelta::minutes(1));
        assert!(clock.now() >= first);
    }
}
