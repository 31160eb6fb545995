//! The folder as it comes: `db.json`, `tasks.json`, `end_states.json`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) struct Data {
    pub(crate) db: Value,
    pub(crate) tasks: Vec<GoldTask>,
    ends: BTreeMap<String, Changed>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GoldTask {
    pub(crate) id: String,
    user_scenario: Scenario,
    evaluation_criteria: Criteria,
}

#[derive(Clone, Debug, Deserialize)]
struct Scenario {
    instructions: Instructions,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Instructions {
    reason_for_call: Option<String>,
    known_info: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Criteria {
    #[serde(default)]
    actions: Option<Vec<GoldCall>>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct GoldCall {
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

#[derive(Deserialize)]
struct Ends {
    tasks: Vec<End>,
}

#[derive(Deserialize)]
struct End {
    task_id: String,
    changed: Changed,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Changed {
    #[serde(default)]
    orders: Map<String, Value>,
    #[serde(default)]
    users: Map<String, Value>,
}

impl GoldTask {
    /// The name reports use.
    pub(crate) fn name(&self) -> String {
        format!("tau2-{}", self.id)
    }

    pub(crate) fn gold(&self) -> &[GoldCall] {
        self.evaluation_criteria.actions.as_deref().unwrap_or_default()
    }

    /// What the customer says.
    pub(crate) fn request(&self) -> String {
        let said = &self.user_scenario.instructions;
        let parts = [&said.reason_for_call, &said.known_info];
        parts.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

impl Data {
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let ends: Ends = file(folder, "end_states.json")?;
        let ends = ends.tasks.into_iter().map(|end| (end.task_id, end.changed)).collect();
        Ok(Self { db: file(folder, "db.json")?, tasks: file(folder, "tasks.json")?, ends })
    }

    /// The whole world after a task: as it was, with what the task changes.
    pub(crate) fn expected(&self, task: &GoldTask) -> Value {
        let mut world = self.db.clone();
        let changed = self.ends.get(&task.id).cloned().unwrap_or_default();
        for (noun, things) in [("orders", changed.orders), ("users", changed.users)] {
            for (id, thing) in things {
                world[noun][id.as_str()] = thing;
            }
        }
        world
    }
}

fn file<T: DeserializeOwned>(folder: &Path, name: &str) -> anyhow::Result<T> {
    let path = folder.join(name);
    let bytes = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is not what was expected", path.display()))
}
