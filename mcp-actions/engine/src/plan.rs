//! Where an action stands, given what was said and what is true. Pure: no IO, no clock, no chance.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::flow::{Facts, Judgement};
use crate::node::{Field, Lapse, Node, Nodes, RESOLVE, TARGET};
use crate::parts::{Map, RecoverableError, ValidationError};
use crate::patch::Patched;
use crate::reason::Reason;

/// The judgement of a whole flow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The first node that is not settled; `None` when all are.
    pub node: Option<String>,
    /// What the caller said, less what was dropped.
    pub given: Map,
    /// What is in effect.
    pub inputs: Map,
    pub reopened: BTreeSet<String>,
    /// Given, but held until an upstream node is settled.
    pub pending: Vec<String>,
    /// Required and still empty, as paths.
    pub missing: Vec<String>,
    pub errors: Vec<ValidationError>,
    /// What was dropped or put back, and why.
    pub notes: Vec<RecoverableError>,
    /// Nodes this branch does not ask for.
    pub skipped: BTreeSet<&'static str>,
    /// Why there is nothing to do but wait.
    pub waiting: Option<String>,
}

impl Plan {
    /// Whether the action may stand at its confirm node.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.node.is_none() && self.missing.is_empty() && self.errors.is_empty()
    }

    /// Whether a field was given and is in effect.
    #[must_use]
    pub fn has_accepted(&self, field: &str) -> bool {
        self.given.contains_key(field) && self.inputs.contains_key(field)
    }

    /// The plan of an action whose entity is not known yet: everything said is kept for later.
    #[must_use]
    pub fn resolving(patched: Patched) -> Self {
        Self {
            node: Some(RESOLVE.to_owned()),
            pending: patched.given.keys().cloned().collect(),
            given: patched.given,
            reopened: patched.reopened,
            missing: vec![TARGET.to_owned()],
            ..Self::default()
        }
    }

    /// Takes errors in that showed up only when reserving.
    pub fn refuse(&mut self, nodes: &Nodes, errors: Vec<ValidationError>) {
        let owner = errors.first().and_then(|error| nodes.node_of(&error.field)).or(nodes.list().last());
        self.node = owner.map(|node| node.key.to_owned());
        self.errors.extend(errors);
    }
}

/// Evaluates the nodes in order. It stops at the first invalid one; after a missing one it goes on with whatever
/// does not depend on it. `settled` is what was in effect before.
#[must_use]
pub fn plan(nodes: &Nodes, facts: &dyn Facts, patched: Patched, settled: &Map) -> Plan {
    let Patched { given, reopened, fresh, target: _ } = patched;
    let mut planner = Planner {
        nodes,
        facts,
        fresh,
        settled,
        valid: BTreeSet::new(),
        stopped: false,
        plan: Plan { given, reopened, ..Plan::default() },
    };
    for node in nodes.list() {
        planner.visit(node);
    }
    planner.plan
}

struct Planner<'a> {
    nodes: &'a Nodes,
    facts: &'a dyn Facts,
    fresh: BTreeSet<String>,
    settled: &'a Map,
    valid: BTreeSet<&'static str>,
    stopped: bool,
    plan: Plan,
}

impl Planner<'_> {
    fn visit(&mut self, node: &Node) {
        if self.stopped || !self.nodes.upstream(node).is_subset(&self.valid) {
            return self.hold_back(node);
        }
        match self.judge(node) {
            Judgement::Valid { derived } => self.settle(node, derived),
            Judgement::Missing(fields) => {
                self.accept(node, &[]);
                self.miss(node, &fields);
                self.open(node);
            }
            Judgement::Invalid(errors) => {
                self.accept(node, &errors);
                self.plan.errors.extend(errors);
                self.miss(node, &[]);
                self.open(node);
                self.stopped = true;
            }
            Judgement::Waiting { message } => {
                self.accept(node, &[]);
                self.miss(node, &[]);
                self.plan.waiting.get_or_insert(message);
                self.open(node);
            }
            Judgement::Skipped => self.skip(node),
        }
    }

    /// Judges a node until no accepted value lapses any more; each round takes one value away, so it ends.
    fn judge(&mut self, node: &Node) -> Judgement {
        loop {
            let errors = match self.judge_once(node) {
                Judgement::Invalid(errors) => errors,
                Judgement::Valid { derived } => {
                    let asked = self.reopened_in(node);
                    return if asked.is_empty() {
                        Judgement::Valid { derived }
                    } else {
                        Judgement::Missing(asked)
                    };
                }
                Judgement::Missing(mut fields) => {
                    fields.extend(self.reopened_in(node));
                    return Judgement::Missing(fields);
                }
                waiting @ Judgement::Waiting { .. } => return waiting,
                Judgement::Skipped => return Judgement::Skipped,
            };
            let lapsed = errors.iter().find_map(|error| Some((self.lapsing(node, &error.field)?, error)));
            let Some((field, error)) = lapsed else { return Judgement::Invalid(errors) };
            self.lapse(field, error);
        }
    }

    fn judge_once(&self, node: &Node) -> Judgement {
        let mut inputs = self.plan.inputs.clone();
        let mut misshapen = Vec::new();
        for (field, value) in self.given_in(node) {
            match self.nodes.check_shape(field.name, value) {
                Ok(()) => {
                    inputs.insert(field.name.to_owned(), value.clone());
                }
                Err(errors) => misshapen.extend(errors),
            }
        }
        if misshapen.is_empty() { self.facts.judge(node.key, &inputs) } else { Judgement::Invalid(misshapen) }
    }

    /// The field, if its value was in effect before, was not named by this patch, and is of a kind that lapses.
    fn lapsing(&self, node: &Node, name: &str) -> Option<Field> {
        let field = node.fields.iter().find(|field| field.name == name && field.lapse != Lapse::Report)?;
        let was_settled = self.settled.get(name).is_some_and(|old| self.plan.given.get(name) == Some(old));
        (was_settled && !self.fresh.contains(name)).then_some(*field)
    }

    fn lapse(&mut self, field: Field, error: &ValidationError) {
        self.plan.given.remove(field.name);
        if field.lapse == Lapse::Ask {
            self.plan.reopened.insert(field.name.to_owned());
        }
        self.plan.notes.push(RecoverableError {
            field: Some(field.name.to_owned()),
            code: error.code,
            message: error.message.clone(),
            suggestions: error.suggestions.clone(),
        });
    }

    fn settle(&mut self, node: &Node, derived: Map) {
        self.accept(node, &[]);
        for (name, value) in derived {
            self.plan.inputs.entry(name).or_insert(value);
        }
        if self.miss(node, &[]) == 0 {
            self.valid.insert(node.key);
        }
    }

    /// Puts the values of a node into effect, but for those in error and those that hang on one in error.
    fn accept(&mut self, node: &Node, errors: &[ValidationError]) {
        let wrong: BTreeSet<String> = errors.iter().map(|error| error.field.clone()).collect();
        let reopened = self.nodes.dependents(&wrong);
        let given: Vec<(&'static str, Value)> =
            self.given_in(node).map(|(field, value)| (field.name, value.clone())).collect();
        for (name, value) in given {
            if reopened.contains(name) {
                self.plan.pending.push(name.to_owned());
            } else if !wrong.contains(name) {
                self.plan.inputs.insert(name.to_owned(), value);
            }
        }
    }

    /// Notes what is still needed: required fields without a value, and those the facts ask for in addition.
    fn miss(&mut self, node: &Node, also: &[String]) -> usize {
        let plan = &self.plan;
        let is_wrong = |field: &Field| plan.errors.iter().any(|error| error.field == field.name);
        let is_empty =
            |field: &&Field| !plan.inputs.contains_key(field.name) && !plan.given.contains_key(field.name);
        let wanted = |field: &&Field| field.required || also.iter().any(|name| name == field.name);
        let missing: Vec<String> = node
            .fields
            .iter()
            .filter(|field| wanted(field) && is_empty(field) && !is_wrong(field))
            .map(|field| field.path.to_owned())
            .collect();
        let count = missing.len();
        if count > 0 {
            self.open(node);
        }
        self.plan.missing.extend(missing);
        count
    }

    fn hold_back(&mut self, node: &Node) {
        let held: Vec<String> = self.given_in(node).map(|(field, _)| field.name.to_owned()).collect();
        self.plan.pending.extend(held);
        self.miss(node, &self.reopened_in(node));
        self.open(node);
    }

    fn skip(&mut self, node: &Node) {
        for field in node.fields {
            self.plan.reopened.remove(field.name);
            if self.plan.given.remove(field.name).is_some() {
                self.plan.notes.push(RecoverableError {
                    field: Some(field.name.to_owned()),
                    code: Reason::FieldNotAllowed,
                    message: "not needed with these inputs, so it was dropped".to_owned(),
                    suggestions: Vec::new(),
                });
            }
        }
        self.plan.skipped.insert(node.key);
        self.valid.insert(node.key);
    }

    /// Remembers the first node that is not settled.
    fn open(&mut self, node: &Node) {
        self.plan.node.get_or_insert_with(|| node.key.to_owned());
    }

    fn given_in<'n>(&self, node: &'n Node) -> impl Iterator<Item = (&'n Field, &Value)> {
        node.fields.iter().filter_map(|field| Some((field, self.plan.given.get(field.name)?)))
    }

    fn reopened_in(&self, node: &Node) -> Vec<String> {
        let names = node.fields.iter().map(|field| field.name);
        names.filter(|name| self.plan.reopened.contains(*name)).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests;
