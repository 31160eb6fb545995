//! The table, printed as it comes out.

use std::fmt;

use crate::load::Taken;
use crate::process::StartCost;
use crate::scenario::Row;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    pub start: StartCost,
    pub reads: Row,
    pub checkouts: Row,
    pub lists: Row,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<22}{:>12}{:>14}{:>14}{:>14}",
            "", "per second", "CPU µs/call", "CPU / bare", "rate / REST"
        )?;
        for (name, row) in
            [("read an order", &self.reads), ("checkout", &self.checkouts), ("tools/list", &self.lists)]
        {
            writeln!(f, "{name}")?;
            line(f, "  bare", row.bare, row)?;
            if let Some(rest) = row.rest {
                line(f, "  REST", rest, row)?;
            }
            line(f, "  crud door", row.crud, row)?;
            line(f, "  actions door", row.actions, row)?;
        }
        writeln!(
            f,
            "ready in {} ms on an existing world, {} MiB idle",
            self.start.ready_ms, self.start.idle_mib
        )
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, taken: Taken, row: &Row) -> fmt::Result {
    let to_bare = taken.cpu_us_per_call() / row.bare.cpu_us_per_call().max(f64::EPSILON);
    let to_rest = row
        .rest
        .map_or_else(String::new, |rest| format!("{:.0} %", 100.0 * taken.per_second() / rest.per_second()));
    let (rate, cpu) = (taken.per_second(), taken.cpu_us_per_call());
    writeln!(f, "{name:<22}{rate:>12.0}{cpu:>14.0}{to_bare:>13.2}×{to_rest:>14}")
}
