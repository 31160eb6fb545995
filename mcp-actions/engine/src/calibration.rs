//! How far a hit can be trusted, learnt from what callers of the same world did with earlier ones.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many outcomes per capability count.
const WINDOW: usize = 64;
/// How many callers' last searches are remembered.
const CALLERS_MAX: usize = 1_024;
/// How many outcomes the text's own confidence weighs as much as.
const PRIOR_WEIGHT: f64 = 8.0;

/// A Beta prior per capability over a sliding window: the caller started it, started another, or gave up.
#[derive(Debug, Default)]
pub struct Calibration {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By world and capability.
    windows: BTreeMap<(String, String), VecDeque<bool>>,
    /// Who was shown what as the best hit and has not decided yet, oldest first.
    shown: VecDeque<Shown>,
}

#[derive(Debug)]
struct Shown {
    world: String,
    caller: String,
    capability: String,
}

impl Calibration {
    /// A caller was shown a best hit. A hit shown before and not started counts as given up.
    pub fn shown(&self, world: &str, caller: &str, capability: &str) {
        let mut state = self.lock();
        if let Some(before) = state.take(world, caller) {
            state.note(world, before, false);
        }
        if state.shown.len() >= CALLERS_MAX {
            state.shown.pop_front();
        }
        let [world, caller, capability] = [world, caller, capability].map(str::to_owned);
        state.shown.push_back(Shown { world, caller, capability });
    }

    /// A caller started a capability.
    pub fn started(&self, world: &str, caller: &str, capability: &str) {
        let mut state = self.lock();
        if let Some(before) = state.take(world, caller) {
            let took_it = before == capability;
            state.note(world, before, took_it);
        }
    }

    /// The text's confidence, corrected by experience: the mean of the Beta posterior.
    #[must_use]
    pub fn adjust(&self, world: &str, capability: &str, confidence: f64) -> f64 {
        let state = self.lock();
        let window = state.windows.get(&(world.to_owned(), capability.to_owned()));
        let count = |wanted: bool| window.map_or(0, |seen| seen.iter().filter(|hit| **hit == wanted).count());
        let [hits, misses] =
            [count(true), count(false)].map(|n| f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
        (confidence * PRIOR_WEIGHT + hits) / (PRIOR_WEIGHT + hits + misses)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, world: &str, caller: &str) -> Option<String> {
        let at = self.shown.iter().position(|shown| shown.world == world && shown.caller == caller)?;
        self.shown.remove(at).map(|shown| shown.capability)
    }

    fn note(&mut self, world: &str, capability: String, took_it: bool) {
        let window = self.windows.entry((world.to_owned(), capability)).or_default();
        if window.len() >= WINDOW {
            window.pop_front();
        }
        window.push_back(took_it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experience_moves_confidence_both_ways_and_forgets() {
        let calibration = Calibration::default();
        assert!((calibration.adjust("main", "checkout", 0.5) - 0.5).abs() < 1e-9);
        for _ in 0..WINDOW {
            calibration.shown("main", "ada", "checkout");
            calibration.started("main", "ada", "refund");
        }
        let distrusted = calibration.adjust("main", "checkout", 0.5);
        assert!(distrusted < 0.1, "{distrusted}");
        for _ in 0..WINDOW {
            calibration.shown("main", "ada", "checkout");
            calibration.started("main", "ada", "checkout");
        }
        assert!(calibration.adjust("main", "checkout", 0.5) > 0.9);
        calibration.shown("main", "ada", "checkout");
        calibration.shown("main", "ada", "checkout");
        let given_up = calibration.lock().windows[&("main".to_owned(), "checkout".to_owned())]
            .iter()
            .filter(|hit| !**hit)
            .count();
        assert_eq!(given_up, 1);
        let elsewhere = calibration.adjust("other", "checkout", 0.5);
        assert!((elsewhere - 0.5).abs() < 1e-9, "worlds do not learn from each other: {elsewhere}");
    }
}
