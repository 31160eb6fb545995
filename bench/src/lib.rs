//! What the layers cost, as ratios taken in one run on one machine.
//!
//! Every server measured is a process of its own, so that its CPU time is its own. The bare server does the same
//! work with plain sea-orm statements and nothing else: no access rules, no keys, no events, no scope. Absolute
//! figures are printed for orientation; only ratios mean something on a shared machine. It must never be used from
//! a test: tests assert no timings.
//!
//! Start at [`run`]; [`bare`] is the floor everything is held against.

pub mod bare;
mod load;
mod plain;
mod process;
mod report;
mod scenario;

use std::path::PathBuf;

pub use report::Report;

/// What to measure with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The binary that serves; itself, usually.
    pub binary: PathBuf,
    /// Requests of each kind.
    pub requests: usize,
    /// Connections in parallel.
    pub connections: usize,
}

/// Measures everything once and gives the table.
///
/// # Errors
/// When a server does not start or a request is not answered as it should be.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    let start = process::start_cost(options).await?;
    let shop = process::Server::shop(options).await?;
    let bare = process::Server::bare(options, &scenario::tools(&shop).await?).await?;
    let reads = scenario::reads(options, &bare, &shop).await?;
    let checkouts = scenario::checkouts(options, &bare, &shop).await?;
    let lists = scenario::tool_lists(options, &bare, &shop).await?;
    Ok(Report { start, reads, checkouts, lists })
}
