//! The planner against every combination of what can be said and what can be true.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::flow::Preview;
use crate::node::Ends;
use crate::parts::{Choice, Risk, RiskLevel};

fn any() -> Value {
    json!(true)
}

const fn field(name: &'static str, depends_on: &'static [&'static str]) -> Field {
    Field::required(name, name, "A test field.", any).depends_on(depends_on)
}

const NODES: &[Node] = &[
    Node { key: "A", fields: &[field("a", &[])] },
    Node { key: "B", fields: &[field("b", &["a"])] },
    Node { key: "C", fields: &[field("c", &[])] },
    Node { key: "D", fields: &[field("d", &["b", "c"])] },
];
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A value is valid when it is even.
struct Even;

impl Facts for Even {
    fn judge(&self, node: &str, inputs: &Map) -> Judgement {
        let name = node.to_lowercase();
        match inputs.get(&name).and_then(Value::as_u64) {
            Some(value) if value % 2 == 1 => {
                Judgement::Invalid(vec![ValidationError::new(&name, Reason::ValidationFailed, "odd")])
            }
            Some(_) | None => Judgement::valid(),
        }
    }

    fn options(&self, _field: &str, _inputs: &Map) -> Option<Vec<Choice>> {
        None
    }

    fn context(&self, _inputs: &Map) -> Map {
        Map::new()
    }

    fn preview(&self, _inputs: &Map) -> Preview {
        let risk = Risk { level: RiskLevel::Low, factors: Vec::new() };
        Preview { summary: Map::new(), risk, staff_approval: false }
    }
}

fn planned(values: [Option<u64>; 4]) -> Plan {
    let nodes = Nodes::new(NODES, Ends::View).unwrap();
    let given: Map = NAMES
        .iter()
        .zip(values)
        .filter_map(|(name, value)| Some(((*name).to_owned(), json!(value?))))
        .collect();
    let fresh = given.keys().cloned().collect();
    let patched = Patched { given, reopened: BTreeSet::new(), fresh, target: None };
    plan(&nodes, &Even, patched, &Map::new())
}

proptest! {
    /// Every field is exactly one of: in effect, held, wrong, or missing; a node runs only after its upstream.
    #[test]
    fn every_field_has_exactly_one_fate(values in prop::array::uniform4(prop::option::of(0_u64..4))) {
        let plan = planned(values);
        for name in NAMES {
            let fates = [
                plan.inputs.contains_key(name),
                plan.pending.iter().any(|held| held == name),
                plan.errors.iter().any(|error| error.field == name),
                plan.missing.iter().any(|path| path == name),
            ];
            prop_assert_eq!(fates.iter().filter(|fate| **fate).count(), 1, "{} in {:?}", name, plan);
        }
        let accepted = |name: &str| plan.inputs.contains_key(name);
        prop_assert!(!accepted("b") || accepted("a"));
        prop_assert!(!accepted("d") || (accepted("b") && accepted("c")));
        prop_assert!(plan.errors.len() <= 1, "it stops at the first invalid node");
        prop_assert_eq!(plan.is_ready(), values.iter().all(|value| value.is_some_and(|v| v % 2 == 0)));
        prop_assert_eq!(plan.is_ready(), plan.node.is_none());
    }

    /// Planning again from its own result changes nothing.
    #[test]
    fn planning_is_stable(values in prop::array::uniform4(prop::option::of(0_u64..4))) {
        let first = planned(values);
        let nodes = Nodes::new(NODES, Ends::View).unwrap();
        let again = Patched {
            given: first.given.clone(),
            reopened: first.reopened.clone(),
            fresh: BTreeSet::new(),
            target: None,
        };
        let second = plan(&nodes, &Even, again, &first.inputs);
        prop_assert_eq!(first, second);
    }
}
