//! A fixed number of calls over a fixed number of connections.

use std::future::Future;
use std::time::{Duration, Instant};

use futures::StreamExt as _;

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) calls: usize,
    pub(crate) wall: Duration,
    /// CPU time of the server, in microseconds.
    pub(crate) cpu_us: u64,
}

impl Taken {
    #[expect(clippy::as_conversions, reason = "statistics need floats")]
    pub(crate) fn per_second(self) -> f64 {
        self.calls as f64 / self.wall.as_secs_f64().max(f64::EPSILON)
    }

    #[expect(clippy::as_conversions, reason = "statistics need floats")]
    pub(crate) fn cpu_us_per_call(self) -> f64 {
        self.cpu_us as f64 / self.calls.max(1) as f64
    }
}

/// Runs `calls` calls, `connections` at a time, and takes the server's CPU time for them.
pub(crate) async fn drive<F>(
    calls: usize,
    connections: usize,
    cpu_us: impl Fn() -> anyhow::Result<u64>,
    call: impl Fn(usize) -> F,
) -> anyhow::Result<Taken>
where
    F: Future<Output = anyhow::Result<()>>,
{
    let (cpu_before, started) = (cpu_us()?, Instant::now());
    let mut running = futures::stream::iter((0..calls).map(&call)).buffer_unordered(connections);
    while let Some(result) = running.next().await {
        result?;
    }
    Ok(Taken { calls, wall: started.elapsed(), cpu_us: cpu_us()?.saturating_sub(cpu_before) })
}
