//! The ground a world stands on: its clock, its ids, its chance, its faults, its journal and the durable
//! steps at which a test may kill the process.
//!
//! It must never know what a shop is, and never touch a database or a socket. Everything here is owned by one
//! [`World`] value; there is no global state, so any number of worlds live in one process.
//!
//! Start at [`World`], then [`clock`] and [`ids`].

pub mod chance;
pub mod clock;
pub mod faults;
pub mod ids;
pub mod journal;
pub mod steps;

use std::sync::Arc;

pub use clock::Clock;
pub use faults::{FaultPlan, FaultRule, Hit, Placement};
pub use ids::Ids;
pub use journal::{Entry, Journal};
pub use steps::{CrashPlan, Moment, Step};

/// One isolated world: what is true here is true nowhere else.
#[derive(Debug)]
pub struct World {
    /// The name in URLs, in `X-Twinshop-World` and in the gateway account.
    pub name: String,
    /// The number all chance in this world is drawn from.
    pub seed: u64,
    /// How often this world was opened; part of every id stream, so that no id ever comes twice.
    pub boot: u64,
    pub clock: Clock,
    pub ids: Ids,
    pub faults: FaultPlan,
    pub journal: Journal,
    pub crashes: CrashPlan,
}

impl World {
    /// Opens a world. `boot` must be a number that was durably counted up before this call.
    #[must_use]
    pub fn open(name: &str, seed: u64, boot: u64, clock: Clock, crashes: CrashPlan) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            seed,
            boot,
            ids: Ids::new(seed, boot, clock.clone()),
            clock,
            faults: FaultPlan::new(seed),
            journal: Journal::default(),
            crashes,
        })
    }

    /// A frozen world for unit tests, the same in every run.
    #[must_use]
    pub fn for_tests() -> Arc<Self> {
        Self::open("test", 7, 1, Clock::frozen(clock::TEST_EPOCH), CrashPlan::never())
    }
}
