//! What was found, as numbers, as a page and as one table.

mod coverage;
mod page;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::Serialize;

use crate::faults::{FaultRow, Policy};
use crate::run::Run;
use crate::surfaces::{Catalogue, Surface};

pub(crate) use coverage::Coverage;
pub(crate) use table::print;

/// Everything that `report.json` holds.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) version: &'static str,
    pub(crate) seed: u64,
    /// Absent when no folder was named.
    pub(crate) tau2: Option<Instrument>,
    pub(crate) tasks: Instrument,
    pub(crate) catalogue: BTreeMap<&'static str, Catalogue>,
    pub(crate) faults: Vec<FaultRow>,
    pub(crate) coverage: Coverage,
    pub(crate) micros: u64,
}

/// One set of tasks on every surface.
#[derive(Serialize)]
pub(crate) struct Instrument {
    pub(crate) surfaces: BTreeMap<&'static str, Sum>,
    /// By surface, the tasks that it has no way to do.
    pub(crate) unsupported: BTreeMap<&'static str, Vec<String>>,
    /// Tasks whose end states differ between surfaces though each passed its checks.
    pub(crate) differing: Vec<Difference>,
    pub(crate) runs: Vec<Run>,
}

/// A task that ended differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Difference {
    pub(crate) id: String,
    /// Rows that only this surface left behind.
    pub(crate) only: BTreeMap<&'static str, Vec<String>>,
}

/// One surface's sums.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Sum {
    pub(crate) passed: usize,
    /// All tasks of the set, those that are not supported among them.
    pub(crate) total: usize,
    pub(crate) unsupported: usize,
    pub(crate) calls: usize,
    pub(crate) bytes: usize,
    pub(crate) tokens: usize,
    /// Of the experts' conversations, without setting up and judging.
    pub(crate) wall_ms: u64,
}

impl Instrument {
    pub(crate) fn new(runs: Vec<Run>, unsupported: BTreeMap<&'static str, Vec<String>>) -> Self {
        let mut surfaces = BTreeMap::new();
        for surface in Surface::ALL {
            let of_surface = || runs.iter().filter(move |run| run.surface == surface);
            let unsupported = unsupported.get(surface.name()).map_or(0, Vec::len);
            let calls = || of_surface().flat_map(|run| &run.calls);
            let sum = Sum {
                passed: of_surface().filter(|run| run.passed).count(),
                total: of_surface().count() + unsupported,
                unsupported,
                calls: calls().count(),
                bytes: calls().map(|call| call.bytes).sum(),
                tokens: calls().map(|call| call.tokens).sum(),
                wall_ms: of_surface().map(|run| run.micros).sum::<u64>() / 1_000,
            };
            surfaces.insert(surface.name(), sum);
        }
        let differing = differing(&runs);
        Self { surfaces, unsupported, differing, runs }
    }

    /// Whether every expert reached its end state, and the same one on every surface.
    pub(crate) fn is_right(&self) -> bool {
        self.runs.iter().all(|run| run.passed) && self.differing.is_empty()
    }
}

/// Tasks that ended differently on two surfaces. What failed says so itself.
fn differing(runs: &[Run]) -> Vec<Difference> {
    let mut ends: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        ends.entry(&run.id).or_default().push(run);
    }
    ends.retain(|_, runs| runs.iter().all(|run| run.passed));
    let differences = ends.into_iter().map(|(id, runs)| {
        let only = runs.iter().filter_map(|run| {
            let others = || runs.iter().filter(|other| other.surface != run.surface);
            let is_own = |line: &&String| others().any(|other| !other.end_state.contains(line));
            let lines: Vec<String> = run.end_state.iter().filter(is_own).cloned().collect();
            (!lines.is_empty()).then(|| (run.surface.name(), lines))
        });
        Difference { id: id.to_owned(), only: only.collect() }
    });
    differences.filter(|difference| !difference.only.is_empty()).collect()
}

impl Report {
    /// Every expert run reached its end state, and `by_the_book` charged what was meant everywhere.
    pub(crate) fn passed(&self) -> bool {
        let by_the_book =
            self.faults.iter().filter(|row| row.policy == Policy::ByTheBook).all(FaultRow::is_right);
        let tau2 = self.tau2.as_ref().is_none_or(Instrument::is_right);
        by_the_book && tau2 && self.tasks.is_right()
    }

    pub(crate) fn write(&self, json: &Path, html: &Path) -> anyhow::Result<()> {
        let put = |path: &Path, text: String| {
            std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
        };
        put(json, serde_json::to_string_pretty(self)? + "\n")?;
        put(html, page::render(self)?)
    }
}

#[cfg(test)]
mod tests;
