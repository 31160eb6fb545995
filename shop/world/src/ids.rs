//! Id streams: ULIDs drawn from (world seed, boot, stream name), growing within a stream.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use ulid::Ulid;

use crate::{Clock, chance};

/// The low bits of a ULID that are chance.
const RANDOM_BITS: u32 = 80;

/// All id streams of one boot of one world.
#[derive(Debug)]
pub struct Ids {
    seed: u64,
    boot: u64,
    clock: Clock,
    streams: Mutex<HashMap<String, Stream>>,
}

#[derive(Debug)]
struct Stream {
    rng: ChaCha8Rng,
    last: Option<Ulid>,
}

impl Ids {
    #[must_use]
    pub fn new(seed: u64, boot: u64, clock: Clock) -> Self {
        Self { seed, boot, clock, streams: Mutex::default() }
    }

    /// The next id of a stream. Ids of one stream grow as long as the clock does not go back, also within one
    /// instant, in steps that nobody can guess.
    pub fn next(&self, stream: &str) -> Ulid {
        let now_ms = u64::try_from(self.clock.now().timestamp_millis()).unwrap_or(0);
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if !streams.contains_key(stream) {
            let rng = chance::stream(self.seed, &["ids", &self.boot.to_string(), stream]);
            streams.insert(stream.to_owned(), Stream { rng, last: None });
        }
        let Some(Stream { rng, last }) = streams.get_mut(stream) else {
            // Inserted above; the branch only keeps the compiler content without a panic.
            return Ulid::from_parts(now_ms, 0);
        };
        let id = match *last {
            Some(before) if before.timestamp_ms() == now_ms => {
                let step = u128::from(rng.next_u64() >> 8) + 1;
                Ulid(before.0 + step)
            }
            Some(_) | None => {
                let chance = (u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()))
                    >> (128 - RANDOM_BITS + 1);
                Ulid::from_parts(now_ms, chance)
            }
        };
        *last = Some(id);
        id
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::clock::TEST_EPOCH;

    fn ids(boot: u64) -> Ids {
        Ids::new(7, boot, Clock::frozen(TEST_EPOCH))
    }

    #[test]
    fn a_stream_repeats_in_the_same_boot_and_never_in_the_next() {
        let first: Vec<Ulid> = (0..500)
            .map({
                let i = ids(1);
                move |_| i.next("ord")
            })
            .collect();
        let again: Vec<Ulid> = (0..500)
            .map({
                let i = ids(1);
                move |_| i.next("ord")
            })
            .collect();
        let later: Vec<Ulid> = (0..500)
            .map({
                let i = ids(2);
                move |_| i.next("ord")
            })
            .collect();
        assert_eq!(first, again);
        let all: HashSet<Ulid> = first.iter().chain(&later).copied().collect();
        assert_eq!(all.len(), 1_000);
    }

    #[test]
    fn ids_of_one_instant_grow() {
        let ids = ids(1);
        let drawn: Vec<Ulid> = (0..500).map(|_| ids.next("ord")).collect();
        assert!(drawn.is_sorted());
        assert!(drawn.iter().all(|id| id.timestamp_ms() == drawn[0].timestamp_ms()));
    }
}
