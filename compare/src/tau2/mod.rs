//! The τ²-bench retail tasks: gold calls become intents, each surface's expert carries them out in a fresh fork of the
//! imported world, and the exported end state is compared field by field, to the cent, everything unlisted unchanged.
//!
//! Nothing of the data is in this project; it is read from the folder that is named.

mod data;
mod same;
mod words;

use std::collections::BTreeMap;
use std::path::Path;

use indicatif::ProgressBar;
use shop_stack::{Stack, Template};

use crate::diff::end_state;
use crate::expert;
use crate::intent::Intent;
use crate::run::{Run, Stage, broken_invariants, intents, operations};
use crate::surfaces::Surface;

pub(crate) use data::{Data, GoldTask};

/// Whose token the experts use: the reference has one agent who serves every customer.
const ACTOR: &str = "tau2";

/// What the instrument found.
pub(crate) struct Found {
    pub(crate) runs: Vec<Run>,
    /// By surface, the tasks that it has no way to do.
    pub(crate) unsupported: BTreeMap<&'static str, Vec<String>>,
}

/// Every task on every surface that has a way to do it.
pub(crate) async fn run(
    stack: &Stack,
    folder: &Path,
    only: Option<&str>,
    bar: &ProgressBar,
) -> anyhow::Result<Found> {
    let data = Data::read(folder)?;
    let template = shop_stack::tau2_template(folder).await?;
    let wanted = |task: &&GoldTask| only.is_none_or(|only| only == "tau2" || task.name() == only);
    let tasks: Vec<&GoldTask> = data.tasks.iter().filter(wanted).collect();
    bar.inc_length(u64::try_from(tasks.len() * Surface::ALL.len()).unwrap_or(0));
    let mut found = Found { runs: Vec::new(), unsupported: BTreeMap::new() };
    for task in tasks {
        let wanted = words::intents(&data, task)?;
        for surface in Surface::ALL {
            bar.set_message(format!("{} on {}", task.name(), surface.name()));
            if wanted.iter().all(|intent| expert::can(surface, intent)) {
                found.runs.push(one(stack, &template, &data, (task, &wanted), surface).await?);
            } else {
                found.unsupported.entry(surface.name()).or_default().push(task.name());
            }
            bar.inc(1);
        }
    }
    Ok(found)
}

async fn one(
    stack: &Stack,
    template: &Template,
    data: &Data,
    (task, wanted): (&GoldTask, &[Intent]),
    surface: Surface,
) -> anyhow::Result<Run> {
    let name = format!("{}-{}", task.name(), surface.name());
    let stage = Stage::set(stack, name, template).await?;
    let (told, calls, micros) = intents(&stage, surface, stage.token(ACTOR)?, wanted).await?;
    let finish = stage.finish().await?;
    let exported = shop_stack::export_tau2_db(&stage.world.shop.db).await?;
    let mut problems = told.problems;
    problems.extend(same::differences(&data.expected(task), &exported));
    problems.extend(broken_invariants(&stage, &finish));
    stage.close();
    Ok(Run {
        id: task.name(),
        title: format!("τ² retail task {}", task.id),
        request: task.request(),
        intents: wanted.iter().map(Intent::name).collect(),
        surface,
        passed: problems.is_empty(),
        problems,
        refused: told.refused,
        micros,
        calls,
        end_state: end_state(&finish.changes),
        operations: operations(&finish.changes),
    })
}

#[cfg(test)]
mod tests;
