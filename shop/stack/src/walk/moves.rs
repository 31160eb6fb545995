//! Statuses as answers show them: each must be in its table, and be reached by the moves in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shop_domain::ids::KINDS;
use shop_domain::machine;

/// What each state of a noun can become, in however many moves.
type Reach = BTreeMap<String, BTreeSet<String>>;

pub(super) struct Moves {
    /// By what stands before the underscore of an id.
    tables: BTreeMap<&'static str, Reach>,
    last: BTreeMap<String, String>,
}

impl Moves {
    pub(super) fn new() -> Self {
        let diagrams = machine::diagrams();
        let tables = KINDS.iter().filter_map(|kind| {
            let (_, diagram) = diagrams.iter().find(|(noun, _)| *noun == kind.noun)?;
            Some((kind.prefix, reach(diagram)))
        });
        Self { tables: tables.collect(), last: BTreeMap::new() }
    }

    /// Every status in an answer that its table does not know, or that the last one cannot have become.
    pub(super) fn illegal(&mut self, body: &Value) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![body];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Array(items) => waiting.extend(items),
                Value::Object(fields) => {
                    waiting.extend(fields.values());
                    let text = |name: &str| fields.get(name).and_then(Value::as_str);
                    if let (Some(id), Some(status)) = (text("id"), text("status")) {
                        found.extend(self.one(id, status));
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        found
    }

    fn one(&mut self, id: &str, status: &str) -> Option<String> {
        let table = self.tables.get(id.rsplit_once('_')?.0)?;
        if !table.contains_key(status) {
            return Some(format!("{id} is {status}, which its table does not know"));
        }
        let last = self.last.insert(id.to_owned(), status.to_owned())?;
        let is_legal = last == status || table.get(&last).is_some_and(|next| next.contains(status));
        (!is_legal).then(|| format!("{id} was {last} and is {status}"))
    }
}

fn reach(diagram: &str) -> Reach {
    let mut reach = Reach::new();
    for (from, to) in diagram.lines().filter_map(|line| line.trim().split_once(" --> ")) {
        let to = to.split(':').next().unwrap_or(to);
        for state in [from, to] {
            reach.entry(state.to_owned()).or_default();
        }
        reach.entry(from.to_owned()).or_default().insert(to.to_owned());
    }
    loop {
        let before: usize = reach.values().map(BTreeSet::len).sum();
        let known = reach.clone();
        for next in reach.values_mut() {
            let further: Vec<String> =
                next.iter().filter_map(|state| known.get(state)).flatten().cloned().collect();
            next.extend(further);
        }
        if reach.values().map(BTreeSet::len).sum::<usize>() == before {
            return reach;
        }
    }
}
