//! Taking a patch in. Pure: the same patch on the same record always gives the same result.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::node::{Merge, Nodes, TARGET};
use crate::parts::Map;
use crate::record::Record;

/// A patch that is refused as a whole: nothing of it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not allowed here: {}; allowed are {}", refused.join(", "), allowed.join(", "))]
pub struct NotAllowed {
    pub refused: Vec<String>,
    pub allowed: Vec<String>,
}

/// What a patch leaves of what was given before.
#[derive(Clone, Debug, PartialEq)]
pub struct Patched {
    pub given: Map,
    pub reopened: BTreeSet<String>,
    /// The fields this patch named.
    pub fresh: BTreeSet<String>,
    /// The entity this patch picks, at `RESOLVE`.
    pub target: Option<String>,
}

/// The paths a patch may name now.
#[must_use]
pub fn allowed(nodes: &Nodes, resolving: bool) -> Vec<String> {
    let target = resolving.then_some(TARGET);
    target.into_iter().chain(nodes.fields().map(|field| field.path)).map(str::to_owned).collect()
}

/// Refuses the whole patch when it names anything the flow does not ask for, at the top or inside a value.
///
/// # Errors
/// Names what is refused and what is allowed.
pub fn check(nodes: &Nodes, resolving: bool, patch: &Map) -> Result<(), NotAllowed> {
    let mut refused = Vec::new();
    for (name, value) in patch {
        let is_target = resolving && name == TARGET;
        if nodes.field(name).is_none() && !is_target {
            refused.push(name.clone());
        } else if !value.is_null() {
            refused.extend(nodes.strangers(name, value));
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(NotAllowed { refused, allowed: allowed(nodes, resolving) }) }
}

/// Lays a checked patch over what was given before. `null` takes a value back.
#[must_use]
pub fn apply(nodes: &Nodes, record: &Record, patch: &Map) -> Patched {
    let mut patched = Patched {
        given: record.given.clone(),
        reopened: record.reopened.clone(),
        fresh: BTreeSet::new(),
        target: None,
    };
    for (name, value) in patch {
        let Some(field) = nodes.field(name) else {
            patched.target = value.as_str().map(str::to_owned);
            continue;
        };
        patched.fresh.insert(name.clone());
        patched.reopened.remove(name);
        match (value, field.merge, patched.given.get(name)) {
            (Value::Null, _, _) => {
                patched.given.remove(name);
            }
            (Value::Array(new), Merge::ById, Some(Value::Array(old))) => {
                let merged = merge_by_id(old, new);
                patched.given.insert(name.clone(), Value::Array(merged));
            }
            (value, _, _) => {
                patched.given.insert(name.clone(), value.clone());
            }
        }
    }
    patched
}

/// Overlays list entries by their `id`; entries that are not named stay, new ones are added at the end.
fn merge_by_id(old: &[Value], new: &[Value]) -> Vec<Value> {
    let mut merged = old.to_vec();
    for entry in new {
        let id = entry.get("id");
        match merged.iter_mut().find(|own| id.is_some() && own.get("id") == id) {
            Some(Value::Object(own)) => own.extend(entry.as_object().cloned().unwrap_or_default()),
            Some(_) | None => merged.push(entry.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn list_entries_meet_by_id() {
        let old = [json!({"id": "a", "quantity": 1, "colour": "red"}), json!({"id": "b", "quantity": 1})];
        let new = [json!({"id": "a", "quantity": 3}), json!({"id": "c", "quantity": 2}), json!("odd")];
        let merged = merge_by_id(&old, &new);
        assert_eq!(
            merged,
            [
                json!({"id": "a", "quantity": 3, "colour": "red"}),
                json!({"id": "b", "quantity": 1}),
                json!({"id": "c", "quantity": 2}),
                json!("odd"),
            ]
        );
    }
}
