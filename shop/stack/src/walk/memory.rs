//! What a walk has seen: ids by kind, which of them belong together, and words that answers had.

use std::collections::BTreeMap;

use serde_json::Value;

use super::dice::Dice;

/// Neighbours and words that are remembered; the oldest go first.
const KEPT: usize = 60;

/// Ids that were seen last are chosen more often: a story goes on.
const RECENT: usize = 8;

#[derive(Default)]
pub(super) struct Memory {
    by_prefix: BTreeMap<String, Vec<String>>,
    near: BTreeMap<String, Vec<String>>,
    words: BTreeMap<String, Vec<Value>>,
}

impl Memory {
    /// Takes in an answer about something.
    pub(super) fn learn(&mut self, body: &Value, about: Option<&str>) {
        let ids = self.ids_in(body);
        if let Some(about) = about {
            self.relate(about, &ids);
        }
    }

    /// Remembers everything in a value, and what stands in one object with what.
    fn ids_in(&mut self, value: &Value) -> Vec<String> {
        match value {
            Value::String(text) if prefix_of(text).is_some() => {
                self.see(text);
                vec![text.clone()]
            }
            Value::Array(items) => items.iter().flat_map(|item| self.ids_in(item)).collect(),
            Value::Object(fields) => {
                let mut ids = Vec::new();
                for (name, field) in fields {
                    ids.extend(self.ids_in(field));
                    let is_word =
                        field.is_i64() || field.as_str().is_some_and(|text| prefix_of(text).is_none());
                    if is_word {
                        keep(self.words.entry(name.clone()).or_default(), field.clone());
                    }
                }
                if let Some(own) = fields.get("id").and_then(Value::as_str) {
                    self.relate(own, &ids);
                }
                ids
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        }
    }

    fn see(&mut self, id: &str) {
        let Some(prefix) = prefix_of(id) else { return };
        let known = self.by_prefix.entry(prefix.to_owned()).or_default();
        known.retain(|other| other != id);
        known.push(id.to_owned());
    }

    fn relate(&mut self, one: &str, others: &[String]) {
        for other in others.iter().filter(|other| *other != one) {
            keep(self.near.entry(one.to_owned()).or_default(), other.clone());
            keep(self.near.entry(other.clone()).or_default(), one.to_owned());
        }
    }

    /// An id of a kind, most often one that has to do with what the step is about.
    pub(super) fn id(&self, dice: &mut Dice, prefix: &str, about: &[String]) -> Option<String> {
        if !dice.one_in(8) {
            let near = about.iter().filter_map(|id| self.near.get(id)).flatten();
            let near: Vec<&String> = near.filter(|id| prefix_of(id) == Some(prefix)).collect();
            if !near.is_empty() {
                return Some((*dice.pick(&near)).clone());
            }
        }
        let known = self.by_prefix.get(prefix)?;
        let recent = &known[known.len().saturating_sub(RECENT)..];
        Some(if dice.one_in(2) { dice.pick(recent) } else { dice.pick(known) }.clone())
    }

    /// A value that a field of this name once had.
    pub(super) fn word(&self, dice: &mut Dice, field: &str) -> Option<Value> {
        self.words.get(field).map(|known| dice.pick(known).clone())
    }
}

fn keep<T: PartialEq>(known: &mut Vec<T>, new: T) {
    known.retain(|other| *other != new);
    known.push(new);
    if known.len() > KEPT {
        known.remove(0);
    }
}

/// What stands before the ULID of an id.
fn prefix_of(text: &str) -> Option<&str> {
    let (prefix, ulid) = text.rsplit_once('_')?;
    (ulid.len() == 26 && ulid.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(prefix)
}
