//! Own tasks: one file each, embedded.

use anyhow::Context as _;
use serde::Deserialize;

use crate::checks::Expect;
use crate::intent::Intent;

/// One request with its world, and what must be so afterwards.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    /// The file's name without its ending.
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) title: String,
    /// In a customer's words.
    pub(crate) request: String,
    /// Whose token is used: a name of the ready line.
    pub(crate) actor: String,
    /// What the same person did before, through the plain tools; it is part of the world.
    pub(crate) earlier: Option<Intent>,
    /// Faults of the gateway, as the command line writes them.
    #[serde(default)]
    pub(crate) faults: Vec<String>,
    /// Whether a lead signs off what waits for one.
    #[serde(default)]
    pub(crate) lead_approves: bool,
    /// The shop is expected to say no.
    #[serde(default)]
    pub(crate) is_refused: bool,
    pub(crate) intent: Intent,
    #[serde(default)]
    pub(crate) expect: Expect,
}

/// Every file of `tasks/`.
const FILES: &[(&str, &str)] = &[];

/// All own tasks, in the order of their files.
pub(crate) fn all() -> anyhow::Result<Vec<Task>> {
    FILES.iter().map(|(id, text)| parse(id, text)).collect()
}

fn parse(id: &str, text: &str) -> anyhow::Result<Task> {
    let task: Task = toml::from_str(text).with_context(|| format!("tasks/{id}.toml"))?;
    Ok(Task { id: id.to_owned(), ..task })
}

#[cfg(test)]
mod tests;
