//! The τ²-bench retail tasks: gold calls become intents, each surface's expert carries them out in a fresh fork of the
//! imported world, and the exported end state is compared field by field, to the cent, everything unlisted unchanged.
//!
//! Nothing of the data is in this project; it is read from the folder that is named.

mod data;
mod same;
mod words;

use std::path::Path;

use indicatif::ProgressBar;
use shop_stack::{Stack, Template};

use crate::diff::end_state;
use crate::run::{Run, Stage, broken_invariants, intents, operations};
use crate::surfaces::Surface;

pub(crate) use data::{Data, GoldTask};

/// Whose token the experts use: the reference has one agent who serves every customer.
const ACTOR: &str = "tau2";

/// What the instrument found.
pub(crate) struct Found {
    pub(crate) runs: Vec<Run>,
    /// Tasks that need an operation no surface of this version has a flow for.
    pub(crate) unsupported: Vec<String>,
}

/// Every supported task on every surface.
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
    let (supported, unsupported): (Vec<_>, Vec<_>) =
        tasks.into_iter().partition(|task| words::is_supported(task));
    bar.inc_length(u64::try_from(supported.len() * Surface::ALL.len()).unwrap_or(0));
    let mut runs = Vec::new();
    for task in supported {
        for surface in Surface::ALL {
            bar.set_message(format!("{} on {}", task.name(), surface.name()));
            runs.push(one(stack, &template, &data, task, surface).await?);
            bar.inc(1);
        }
    }
    Ok(Found { runs, unsupported: unsupported.into_iter().map(GoldTask::name).collect() })
}

async fn one(
    stack: &Stack,
    template: &Template,
    data: &Data,
    task: &GoldTask,
    surface: Surface,
) -> anyhow::Result<Run> {
    let name = format!("{}-{}", task.name(), surface.name());
    let stage = Stage::set(stack, name, template).await?;
    let wanted = words::intents(data, task)?;
    let (told, calls, micros) = intents(&stage, surface, stage.token(ACTOR)?, &wanted).await?;
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
        intents: wanted.iter().map(crate::intent::Intent::name).collect(),
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
