//! Fault scripts: an ordered list of rules, each *match → fault → placement → times*.
//!
//! What a fault does is the business of the layer that has it (the gateway simulator, a door); this is only the
//! generic part: which call is hit.

use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Before or after the effect of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    Before,
    After,
}

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultRule {
    /// The fault's name in the catalogue of the layer it belongs to.
    pub fault: String,
    /// The operation it waits for; any, when absent.
    #[serde(default)]
    pub operation: Option<String>,
    /// Part of the idempotency key or reference it waits for; any, when absent.
    #[serde(default)]
    pub key: Option<String>,
    /// The fault's own default when absent.
    #[serde(default)]
    pub placement: Option<Placement>,
    /// Matching calls to let pass first.
    #[serde(default)]
    pub skip: u32,
    /// How many calls it hits; absent means every one.
    #[serde(default)]
    pub times: Option<u32>,
}

/// `fault`, `fault@operation` or `fault@operation:before|after`, optionally `*N` times.
impl FromStr for FaultRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let help = || format!("`{text}` is not a fault; write fault@operation[:before|:after][*times]");
        let (rest, times) = match text.split_once('*') {
            Some((rest, times)) => (rest, Some(times.parse().map_err(|_| help())?)),
            None => (text, None),
        };
        let (rest, placement) = match rest.split_once(':') {
            Some((rest, "before")) => (rest, Some(Placement::Before)),
            Some((rest, "after")) => (rest, Some(Placement::After)),
            Some(_) => return Err(help()),
            None => (rest, None),
        };
        let (fault, operation) = match rest.split_once('@') {
            Some((fault, operation)) => (fault, Some(operation.to_owned())),
            None => (rest, None),
        };
        if fault.is_empty() || operation.as_deref() == Some("") {
            return Err(help());
        }
        Ok(Self { fault: fault.to_owned(), operation, key: None, placement, skip: 0, times })
    }
}

/// The rule that hit a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub fault: String,
    pub placement: Option<Placement>,
}

/// The live script of one layer of one world.
#[derive(Debug)]
pub struct FaultPlan {
    /// For faults that need chance.
    pub seed: u64,
    rules: Mutex<Vec<Live>>,
}

#[derive(Debug)]
struct Live {
    rule: FaultRule,
    skipped: u32,
    hits: u32,
}

impl FaultPlan {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, rules: Mutex::default() }
    }

    /// Replaces the script.
    pub fn put(&self, rules: Vec<FaultRule>) {
        let live = rules.into_iter().map(|rule| Live { rule, skipped: 0, hits: 0 }).collect();
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// The script as it was put, with how often each rule has hit.
    #[must_use]
    pub fn list(&self) -> Vec<(FaultRule, u32)> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.iter().map(|live| (live.rule.clone(), live.hits)).collect()
    }

    /// Asks whether this call is hit, and counts it. The first rule that matches and is not used up decides.
    #[must_use]
    pub fn take(&self, operation: &str, key: &str) -> Option<Hit> {
        self.take_known(operation, key, |_| true)
    }

    /// The same, for a layer that shares the script with others: a rule whose fault it does not know is not for
    /// this call, and is not counted.
    #[must_use]
    pub fn take_known(&self, operation: &str, key: &str, knows: impl Fn(&str) -> bool) -> Option<Hit> {
        let mut rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        for live in rules.iter_mut() {
            let rule = &live.rule;
            let matches = rule.operation.as_deref().is_none_or(|wanted| wanted == operation)
                && rule.key.as_deref().is_none_or(|part| key.contains(part))
                && rule.times.is_none_or(|times| live.hits < times)
                && knows(&rule.fault);
            if !matches {
                continue;
            }
            if live.skipped < rule.skip {
                live.skipped += 1;
                continue;
            }
            live.hits += 1;
            return Some(Hit { fault: rule.fault.clone(), placement: rule.placement });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_hits_its_operation_its_number_of_times() {
        let plan = FaultPlan::new(1);
        plan.put(vec!["lost_answer@capture:after*2".parse().unwrap()]);
        assert_eq!(plan.take("authorize", "k"), None);
        let hit = Hit { fault: "lost_answer".into(), placement: Some(Placement::After) };
        assert_eq!(plan.take("capture", "k"), Some(hit.clone()));
        assert_eq!(plan.take("capture", "k"), Some(hit));
        assert_eq!(plan.take("capture", "k"), None);
        assert_eq!(plan.list()[0].1, 2);
    }

    #[test]
    fn a_layer_leaves_the_faults_of_others_alone() {
        let plan = FaultPlan::new(1);
        plan.put(vec!["slow_tool*1".parse().unwrap(), "lost_answer*1".parse().unwrap()]);
        let hit = plan.take_known("capture", "k", |fault| fault == "lost_answer").unwrap();
        assert_eq!(hit.fault, "lost_answer");
        assert_eq!(plan.list().iter().map(|(_, hits)| *hits).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(plan.take("capture", "k").map(|hit| hit.fault).as_deref(), Some("slow_tool"));
    }

    #[test]
    fn a_bad_flag_says_how_to_write_one() {
        for bad in ["", "@capture", "slow@", "slow@capture:during", "slow*many"] {
            assert!(bad.parse::<FaultRule>().unwrap_err().contains("fault@operation"), "{bad}");
        }
    }
}
