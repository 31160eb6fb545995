//! The durable steps of gateway.md §6: every place where a test may kill the process.

use std::sync::atomic::{AtomicU32, Ordering};

/// One durable step. The list is the truth: the kill tests enumerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Compare-and-set to `submitted`, consent spent, caller's key, intent of the first effect.
    ActionSubmitted,
    /// The service's own transaction (an order placed, a return requested, …).
    ServiceCommitted,
    /// Outcome of one step and intent of the next, in the action's journal.
    StepRecorded,
    /// The attempt row and its gateway key: the charge or refund is committed to.
    AttemptRecorded,
    /// The call to the gateway itself.
    GatewayCalled,
    /// `settle`: attempt, payment or refund, order, ledger, event and the caller's key row.
    Settled,
    /// The action's outcome and the answer to the caller.
    ActionAnswered,
}

/// Before the step's commit, or right after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    Before,
    After,
}

impl Step {
    pub const ALL: [Self; 7] = [
        Self::ActionSubmitted,
        Self::ServiceCommitted,
        Self::StepRecorded,
        Self::AttemptRecorded,
        Self::GatewayCalled,
        Self::Settled,
        Self::ActionAnswered,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ActionSubmitted => "action_submitted",
            Self::ServiceCommitted => "service_committed",
            Self::StepRecorded => "step_recorded",
            Self::AttemptRecorded => "attempt_recorded",
            Self::GatewayCalled => "gateway_called",
            Self::Settled => "settled",
            Self::ActionAnswered => "action_answered",
        }
    }
}

/// Where this process is to die, if anywhere: `step:before[:n]` or `step:after[:n]`, the n-th time it comes by.
#[derive(Debug, Default)]
pub struct CrashPlan {
    at: Option<(Step, Moment)>,
    left: AtomicU32,
}

impl CrashPlan {
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// # Errors
    /// Says what a crash point looks like.
    pub fn parse(text: &str) -> Result<Self, String> {
        let help = || {
            let names = Step::ALL.map(Step::name).join(", ");
            format!("a crash point is STEP:before or STEP:after, with an optional :N; steps are {names}")
        };
        let mut parts = text.split(':');
        let step = parts.next().and_then(|name| Step::ALL.into_iter().find(|step| step.name() == name));
        let moment = match parts.next() {
            Some("before") => Some(Moment::Before),
            Some("after") => Some(Moment::After),
            Some(_) | None => None,
        };
        let nth = parts.next().map_or(Ok(1), str::parse::<u32>).map_err(|_| help())?;
        let (Some(step), Some(moment), None) = (step, moment, parts.next()) else { return Err(help()) };
        Ok(Self { at: Some((step, moment)), left: AtomicU32::new(nth.max(1)) })
    }

    /// Call this before and after each durable step. Kills the process, without unwinding, at the planned point.
    pub fn pass(&self, step: Step, moment: Moment) {
        if self.at == Some((step, moment)) && self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            eprintln!("crash point reached: {}:{moment:?}", step.name());
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_named_in_a_plan() {
        for step in Step::ALL {
            for moment in ["before", "after"] {
                assert!(CrashPlan::parse(&format!("{}:{moment}:2", step.name())).is_ok());
            }
        }
        assert!(CrashPlan::parse("settled").is_err());
        assert!(CrashPlan::parse("lunch:before").unwrap_err().contains("attempt_recorded"));
    }
}
