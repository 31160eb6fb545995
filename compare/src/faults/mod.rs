//! The fault experiment: the gateway loses an answer, and clients of different habits go on as they do.
//!
//! Nothing here is judged by what anybody was told. Charges are counted in the gateway's own ledger, an hour after
//! the last call, when the shop's own jobs have done what they can.

mod actions;
mod crud;

use anyhow::ensure;
use chrono::TimeDelta;
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::{Map, Value};
use shop_stack::{PaymentStatus, RulesMode, Stack};

use crate::client::CallRecord;
use crate::diff::Change;
use crate::expert::Session;
use crate::intent::{Checkout, Intent};
use crate::run::{Finish, Stage};
use crate::surfaces::Surface;
use crate::task::Task;

/// The fault, in gateway.md's words.
const FAULT: &str = "lost_answer";
const OPERATIONS: [&str; 2] = ["authorize", "capture"];
const PLACEMENTS: [&str; 2] = ["after", "before"];
/// The idempotency profile of these worlds.
const PROFILE: &str = "acp";
/// How often a client tries before it gives up.
pub(crate) const TRIES_MAX: usize = 3;
/// How long after the last call the books are read, on the world's clock.
const WAIT: TimeDelta = TimeDelta::hours(1);

/// What a client does when it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Policy {
    /// The same call again, under a fresh key.
    NewKey,
    /// The whole job again.
    StartOver,
    /// The same call again, as it was.
    SameKey,
    /// What the surface says.
    ByTheBook,
}

impl Policy {
    pub(crate) const ALL: [Self; 4] = [Self::NewKey, Self::StartOver, Self::SameKey, Self::ByTheBook];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NewKey => "new_key",
            Self::StartOver => "start_over",
            Self::SameKey => "same_key",
            Self::ByTheBook => "by_the_book",
        }
    }
}

/// One combination and what came of it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FaultRow {
    pub(crate) fault: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) placement: &'static str,
    pub(crate) surface: Surface,
    pub(crate) policy: Policy,
    pub(crate) rules: &'static str,
    pub(crate) profile: &'static str,
    pub(crate) intended_charges: usize,
    /// Charges at the gateway whose money is held or kept.
    pub(crate) actual_charges: usize,
    /// Held or kept beyond what was meant.
    pub(crate) overcharged_minor: i64,
    /// Of that, what is only held and will come free when the hold expires.
    pub(crate) held_minor: i64,
    /// Orders that are neither paid nor called off.
    pub(crate) stuck: usize,
    pub(crate) calls: usize,
    /// What the client believed at the end.
    pub(crate) told: String,
    #[serde(skip)]
    pub(crate) transcript: Vec<CallRecord>,
}

impl FaultRow {
    /// Exactly what was meant, and nothing left lying about.
    pub(crate) fn is_right(&self) -> bool {
        self.actual_charges == self.intended_charges && self.overcharged_minor == 0 && self.stuck == 0
    }
}

/// How many runs one stack makes.
pub(crate) const RUNS: usize = Surface::ALL.len() * OPERATIONS.len() * PLACEMENTS.len() * Policy::ALL.len();

/// Every combination under the rules of one stack. `plain` is a checkout that succeeds when nothing fails.
pub(crate) async fn run(
    stack: &Stack,
    rules: RulesMode,
    plain: &Task,
    bar: &ProgressBar,
) -> anyhow::Result<Vec<FaultRow>> {
    let Intent::Checkout(words) = &plain.intent else { anyhow::bail!("{} is no checkout", plain.id) };
    let mut rows = Vec::new();
    for surface in Surface::ALL {
        let untouched = Case { stack, rules, surface, words, actor: &plain.actor, fault: None };
        let meant = untouched.run(Policy::ByTheBook, 0).await?;
        ensure!(
            meant.actual_charges == 1 && meant.stuck == 0,
            "a checkout without a fault did not go through: {}",
            meant.told
        );
        let total = meant.overcharged_minor;
        for operation in OPERATIONS {
            for placement in PLACEMENTS {
                for policy in Policy::ALL {
                    bar.set_message(format!(
                        "{FAULT}@{operation}:{placement}, {} on {}",
                        policy.name(),
                        surface.name()
                    ));
                    let case = Case { fault: Some((operation, placement)), ..untouched };
                    rows.push(case.run(policy, total).await?);
                    bar.inc(1);
                }
            }
        }
    }
    Ok(rows)
}

#[derive(Clone, Copy)]
struct Case<'a> {
    stack: &'a Stack,
    rules: RulesMode,
    surface: Surface,
    words: &'a Checkout,
    actor: &'a str,
    fault: Option<(&'static str, &'static str)>,
}

impl Case<'_> {
    async fn run(self, policy: Policy, intended_minor: i64) -> anyhow::Result<FaultRow> {
        let (operation, placement) = self.fault.unwrap_or(("none", "none"));
        let script: Vec<String> = self
            .fault
            .iter()
            .map(|(operation, placement)| format!("{FAULT}@{operation}:{placement}*1"))
            .collect();
        let name = format!("fault-{operation}-{placement}-{}-{}", policy.name(), self.surface.name());
        let template = self.stack.template().await?;
        let stage = Stage::set(self.stack, name, &template).await?;
        stage.script(&script)?;
        let client = self.surface.client(self.stack, &stage.name, stage.token(self.actor)?)?;
        let outside = stage.outside(None);
        let mut session = Session::new(client, &outside, policy.name());
        let ended = match self.surface {
            Surface::Crud => crud::buy(&mut session, self.words, policy).await,
            Surface::Actions => actions::buy(&mut session, self.words, policy).await,
        };
        stage.world.shop.world.clock.advance(WAIT);
        let finish = stage.finish().await?;
        stage.close();
        let calls = session.client.calls();
        let books = Books::of(&finish, intended_minor);
        Ok(FaultRow {
            fault: FAULT,
            operation,
            placement,
            surface: self.surface,
            policy,
            rules: rules_name(self.rules),
            profile: PROFILE,
            intended_charges: 1,
            actual_charges: books.charges,
            overcharged_minor: books.overcharged_minor,
            held_minor: books.held_minor,
            stuck: books.stuck,
            calls,
            told: ended.map_or_else(|error| format!("{error:#}"), |()| "paid".to_owned()),
            transcript: session.client.into_calls(),
        })
    }
}

pub(crate) const fn rules_name(rules: RulesMode) -> &'static str {
    match rules {
        RulesMode::Server => "server",
        RulesMode::Ui => "ui",
    }
}

/// What the books say in the end.
#[derive(Debug, PartialEq, Eq)]
struct Books {
    charges: usize,
    overcharged_minor: i64,
    held_minor: i64,
    stuck: usize,
}

impl Books {
    /// Only what this run added: seeded charges are of orders that did not change.
    fn of(finish: &Finish, intended_minor: i64) -> Self {
        let added = |table: &'static str| {
            let is_added = move |change: &&Change| change.table == table && change.before.is_none();
            finish.changes.iter().filter(is_added).filter_map(|change| change.row())
        };
        let payments: Vec<_> = added("payments").filter_map(|row| row.get("id")?.as_str()).collect();
        let (mut charges, mut taken, mut held) = (0, 0, 0);
        for charge in finish.truth.charges.iter().filter(|c| payments.contains(&c.reference.as_str())) {
            let kept = charge.captured_minor - charge.refunded_minor;
            let open = if charge.status == PaymentStatus::Authorized { charge.authorized_minor } else { 0 };
            charges += usize::from(kept + open > 0);
            taken += kept + open;
            held += open;
        }
        let stuck = added("orders").filter(|order| !is_over(order)).count();
        Self { charges, overcharged_minor: (taken - intended_minor).max(0), held_minor: held, stuck }
    }
}

/// Paid, or called off with the money back.
fn is_over(order: &Map<String, Value>) -> bool {
    let word = |name: &str| order.get(name).and_then(Value::as_str).unwrap_or_default();
    matches!(word("payment_status"), "paid" | "refunded" | "voided") || word("status") == "cancelled"
}

#[cfg(test)]
mod tests;
