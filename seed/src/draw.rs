//! Ids, times and chance of seeding: all from one number, so that the bytes are the same on every machine.

use chrono::{DateTime, Utc};
use rand_chacha::ChaCha8Rng;
use shop_world::{Clock, Ids, chance};
use ulid::Ulid;

/// Worlds count their boots from 1, so what they draw never meets what seeding drew.
const BOOT: u64 = 0;

pub(crate) struct Draw {
    seed: u64,
    clock: Clock,
    ids: Ids,
}

impl Draw {
    pub(crate) fn new(seed: u64, now: DateTime<Utc>) -> Self {
        let clock = Clock::frozen(now);
        Self { seed, ids: Ids::new(seed, BOOT, clock.clone()), clock }
    }

    /// The next id, with the time of what it names: lists that are sorted by id are then in order of time.
    pub(crate) fn id<I>(&self, at: DateTime<Utc>, new: impl FnOnce(Ulid) -> I) -> I {
        self.clock.set(at);
        new(self.ids.next("seed"))
    }

    /// An id as the gateway makes them: `ch_…` for charges, `re_…` for refunds.
    pub(crate) fn gateway_id(&self, at: DateTime<Utc>, prefix: &str) -> String {
        let drawn = self.id(at, |ulid| ulid.to_string());
        format!("{prefix}_{}", drawn.to_lowercase())
    }

    /// A stream of chance of its own, so that one more draw here changes nothing there.
    pub(crate) fn chance(&self, label: &str) -> ChaCha8Rng {
        chance::stream(self.seed, &["seed", label])
    }
}
