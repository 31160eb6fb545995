//! What a walk has seen: ids by kind, which of them belong together, and words that answers had.

use std::collections::BTreeMap;

use serde_json::Value;

use super::dice::Dice;

/// Words that are remembered of a field; the oldest go first.
const KEPT: usize = 60;

/// Ids that were seen last are chosen more often: a story goes on.
const RECENT: usize = 8;

/// What stories make and go on with.
const MADE: [&str; 6] = ["crt", "ord", "pay", "ful", "ret", "exc"];

#[derive(Default)]
pub(super) struct Memory {
    by_prefix: BTreeMap<String, Vec<String>>,
    near: BTreeMap<String, Vec<String>>,
    words: BTreeMap<String, Vec<Value>>,
    versions: BTreeMap<String, i64>,
    /// What stories are about: a customer, her store, what it sells, how it ships.
    usual: BTreeMap<String, Vec<String>>,
    /// Whether a story is being told: then the newest of everything is meant.
    pub(super) is_telling: bool,
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
                    if let Some(version) = fields.get("version").and_then(Value::as_i64) {
                        self.versions.insert(own.to_owned(), version);
                    }
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
            keep_id(self.near.entry(one.to_owned()).or_default(), other);
            keep_id(self.near.entry(other.clone()).or_default(), one);
        }
    }

    /// An id of a kind, most often one that has to do with what the step is about.
    pub(super) fn id<'a>(&'a self, dice: &mut Dice, prefix: &str, about: &'a [String]) -> Option<String> {
        if self.is_telling || !dice.one_in(8) {
            let mut near = self.near_to(about.iter(), prefix);
            if near.is_empty() {
                let people = self.near_to(about.iter(), "cus");
                near = self.near_to(people.into_iter(), prefix);
            }
            if let Some(newest) = near.last().filter(|_| self.is_telling) {
                return Some((*newest).clone());
            }
            if !near.is_empty() {
                return Some((*dice.pick(&near)).clone());
            }
        }
        if let Some(usual) = self.usual.get(prefix).filter(|_| self.is_telling) {
            return Some(dice.pick(usual).clone());
        }
        let known = self.by_prefix.get(prefix)?;
        if self.is_telling && MADE.contains(&prefix) {
            return known.last().cloned();
        }
        let recent = &known[known.len().saturating_sub(RECENT)..];
        Some(if dice.one_in(2) { dice.pick(recent) } else { dice.pick(known) }.clone())
    }

    fn near_to<'a>(&'a self, ids: impl Iterator<Item = &'a String>, prefix: &str) -> Vec<&'a String> {
        let near = ids.filter_map(|id| self.near.get(id)).flatten();
        near.filter(|id| prefix_of(id) == Some(prefix)).collect()
    }

    /// Makes something what stories are about.
    pub(super) fn use_in_stories(&mut self, id: &str) {
        let Some(prefix) = prefix_of(id) else { return };
        self.usual.entry(prefix.to_owned()).or_default().push(id.to_owned());
    }

    /// Everything of a kind.
    pub(super) fn all(&self, prefix: &str) -> Vec<String> {
        self.by_prefix.get(prefix).cloned().unwrap_or_default()
    }

    /// The version that something had when it was last seen.
    pub(super) fn version(&self, id: &str) -> Option<i64> {
        self.versions.get(id).copied()
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

/// Neighbours of one kind do not push out those of another.
fn keep_id(known: &mut Vec<String>, new: &str) {
    known.retain(|other| other != new);
    known.push(new.to_owned());
    let same = |id: &&String| prefix_of(id) == prefix_of(new);
    if known.iter().filter(same).count() > RECENT
        && let Some(oldest) = known.iter().position(|id| same(&id))
    {
        known.remove(oldest);
    }
}

/// What stands before the ULID of an id.
fn prefix_of(text: &str) -> Option<&str> {
    let (prefix, ulid) = text.rsplit_once('_')?;
    (ulid.len() == 26 && ulid.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(prefix)
}
