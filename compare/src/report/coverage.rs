//! Which operations' effects each surface reached: read from the audit log of the runs, not claimed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::run::Run;
use crate::surfaces::Surface;

/// Every operation that writes, and the surfaces that reached its effect.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Coverage {
    /// Operations of the catalogue, reads included.
    pub(crate) operations: usize,
    /// Writing operations whose effect some run reached, with the surfaces.
    pub(crate) reached: BTreeMap<String, BTreeSet<&'static str>>,
}

impl Coverage {
    pub(crate) fn of<'a>(operations: usize, runs: impl Iterator<Item = &'a Run>) -> Self {
        let mut reached: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
        for run in runs {
            for operation in &run.operations {
                reached.entry(operation.clone()).or_default().insert(run.surface.name());
            }
        }
        Self { operations, reached }
    }

    /// How many effects a surface reached.
    pub(crate) fn count(&self, surface: Surface) -> usize {
        self.reached.values().filter(|surfaces| surfaces.contains(surface.name())).count()
    }
}
