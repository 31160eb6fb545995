//! One expert in one fresh world, judged by rows and by the gateway's own books.

use std::time::Instant;

use anyhow::anyhow;
use serde::Serialize;
use shop_stack::{Clock, EPOCH, OpenWorld, Rows, Stack, Template};

use crate::checks::{Ended, invariants};
use crate::client::CallRecord;
use crate::diff::{Change, changes, end_state};
use crate::expert::{self, Session};
use crate::intent::Intent;
use crate::outside::Outside;
use crate::surfaces::Surface;
use crate::task::Task;

/// Who signs off what waits, in tasks where somebody does.
const LEAD: &str = "lead";

/// One run as the report shows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) request: String,
    pub(crate) intents: Vec<&'static str>,
    pub(crate) surface: Surface,
    pub(crate) passed: bool,
    /// What was not as it should be.
    pub(crate) problems: Vec<String>,
    /// What the shop refused, and why.
    pub(crate) refused: Vec<String>,
    pub(crate) micros: u64,
    pub(crate) calls: Vec<CallRecord>,
    /// What changed, without drawn names; equal on every surface that did the same.
    #[serde(skip)]
    pub(crate) end_state: Vec<String>,
    /// Operations of the catalogue that were carried out, from the audit log.
    #[serde(skip)]
    pub(crate) operations: Vec<String>,
}

/// A world made for one run, and closed with it.
pub(crate) struct Stage<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) world: OpenWorld,
    pub(crate) name: String,
    template: &'a Template,
    before: Rows,
}

/// What is known when a run is over.
pub(crate) struct Finish {
    pub(crate) after: Rows,
    pub(crate) changes: Vec<Change>,
    pub(crate) truth: shop_stack::Truth,
    /// Invariants of the shop and the gateway that do not hold, as the shop's own check finds them.
    pub(crate) broken: Vec<String>,
}

impl<'a> Stage<'a> {
    pub(crate) async fn set(stack: &'a Stack, name: String, template: &'a Template) -> anyhow::Result<Self> {
        let world = stack.fork(&name, template, Clock::frozen(EPOCH)).await?;
        // What the seed left due is not the run's doing.
        stack.drain(&world).await?;
        let before = world.shop.db.rows().await?;
        Ok(Self { stack, world, name, template, before })
    }

    /// From now on the gateway fails like this.
    pub(crate) fn script(&self, faults: &[String]) -> anyhow::Result<()> {
        self.world.shop.world.faults.put(shop_stack::parse_faults(faults)?);
        Ok(())
    }

    /// What was done so far is the world of the run, not the run.
    pub(crate) async fn begin(&mut self) -> anyhow::Result<()> {
        self.stack.drain(&self.world).await?;
        self.before = self.world.shop.db.rows().await?;
        Ok(())
    }

    pub(crate) fn token(&self, name: &str) -> anyhow::Result<&'a str> {
        let tokens = &self.template.demo.tokens;
        let known = || tokens.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let token = tokens.iter().find(|(known, _)| known == name);
        token
            .map(|(_, token)| token.as_str())
            .ok_or_else(|| anyhow!("nobody is called {name}; there are {}", known()))
    }

    pub(crate) fn outside(&self, lead: Option<&'a str>) -> Outside<'_> {
        Outside { stack: self.stack, world: &self.world, name: &self.name, lead }
    }

    /// Lets everything that is due happen, and reads the end.
    pub(crate) async fn finish(&self) -> anyhow::Result<Finish> {
        self.stack.drain(&self.world).await?;
        let after = self.world.shop.db.rows().await?;
        let account =
            self.world.account.as_ref().ok_or_else(|| anyhow!("the gateway is not ours to read"))?;
        let changes = changes(&self.before, &after);
        let broken = shop_stack::check_world(&self.world.shop, account).await?;
        Ok(Finish { after, changes, truth: account.truth()?, broken })
    }

    pub(crate) fn ended<'f>(&'f self, finish: &'f Finish) -> Ended<'f> {
        Ended { after: &finish.after, changes: &finish.changes, truth: &finish.truth }
    }

    pub(crate) fn close(&self) {
        self.stack.worlds.close(&self.name);
    }
}

/// One own task on one surface.
pub(crate) async fn own_task(stack: &Stack, task: &Task, surface: Surface) -> anyhow::Result<Run> {
    let name = format!("{}-{}", task.id, surface.name());
    let template = stack.template().await?;
    let mut stage = Stage::set(stack, name, &template).await?;
    let mut problems = Vec::new();
    if let Some(earlier) = &task.earlier {
        let earlier = std::slice::from_ref(earlier);
        let (told, ..) = intents(&stage, Surface::Crud, stage.token(&task.actor)?, earlier).await?;
        problems.extend(
            told.refused.into_iter().chain(told.problems).map(|why| format!("before the task: {why}")),
        );
        stage.begin().await?;
    }
    stage.script(&task.faults)?;
    let lead = if task.lead_approves { Some(stage.token(LEAD)?) } else { None };
    let client = surface.client(stack, &stage.name, stage.token(&task.actor)?)?;
    let outside = stage.outside(lead);
    let mut session = Session::new(client, &outside, "expert");
    let started = Instant::now();
    let told = Told::of(expert::perform(surface, &mut session, &task.intent).await, &task.refused_because);
    let micros = micros(started);
    let finish = stage.finish().await?;
    stage.close();
    problems.extend(told.problems);
    problems.extend(task.expect.problems(&stage.ended(&finish)));
    problems.extend(finish.broken.iter().cloned());
    Ok(Run {
        id: task.id.clone(),
        title: task.title.clone(),
        request: task.request.trim().to_owned(),
        intents: vec![task.intent.name()],
        surface,
        passed: problems.is_empty(),
        problems,
        refused: told.refused,
        micros,
        calls: session.client.into_calls(),
        end_state: end_state(&finish.changes),
        operations: operations(&finish.changes),
    })
}

/// What experts came back with.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) refused: Vec<String>,
    pub(crate) problems: Vec<String>,
}

impl Told {
    fn of(ended: anyhow::Result<()>, expected: &[String]) -> Self {
        let mut told = Self::default();
        told.take(ended);
        match told.refused.first() {
            Some(refusal) if expected.is_empty() => told.problems.push(refusal.clone()),
            Some(refusal) if !expected.iter().any(|rule| refusal.contains(rule)) => {
                let rules = expected.join(" or ");
                told.problems.push(format!("refused for another reason than {rules}: {refusal}"));
            }
            None if !expected.is_empty() && told.problems.is_empty() => {
                told.problems.push("the shop did it, though its rules say no".to_owned());
            }
            Some(_) | None => {}
        }
        told
    }

    pub(crate) fn take(&mut self, ended: anyhow::Result<()>) {
        match ended {
            Ok(()) => {}
            Err(error) => match expert::refusal(&error) {
                Some(refusal) => self.refused.push(refusal.to_string()),
                None => self.problems.push(format!("the expert could not go on: {error:#}")),
            },
        }
    }
}

/// Several intents in one world, one after the other; a refusal of one does not stop the next.
pub(crate) async fn intents(
    stage: &Stage<'_>,
    surface: Surface,
    token: &str,
    wanted: &[Intent],
) -> anyhow::Result<(Told, Vec<CallRecord>, u64)> {
    let client = surface.client(stage.stack, &stage.name, token)?;
    let outside = stage.outside(None);
    let mut session = Session::new(client, &outside, "expert");
    let mut told = Told::default();
    let started = Instant::now();
    for intent in wanted {
        told.take(expert::perform(surface, &mut session, intent).await);
    }
    let micros = micros(started);
    Ok((told, session.client.into_calls(), micros))
}

/// Whatever does not hold at the end of any run.
pub(crate) fn broken_invariants(stage: &Stage<'_>, finish: &Finish) -> Vec<String> {
    let mut broken = invariants(&stage.ended(finish));
    broken.extend(finish.broken.iter().cloned());
    broken
}

/// What the audit log says was carried out, whoever called: the effects that a surface reached.
pub(crate) fn operations(changes: &[Change]) -> Vec<String> {
    let mut all: Vec<String> = changes
        .iter()
        .filter(|change| change.table == "audit_log")
        .filter_map(|change| change.row())
        .filter(|row| row.get("outcome").and_then(|outcome| outcome.as_str()) == Some("allowed"))
        .filter(|row| row.get("door").and_then(|door| door.as_str()) != Some("system"))
        .filter_map(|row| Some(row.get("operation")?.as_str()?.to_owned()))
        .collect();
    all.sort();
    all.dedup();
    all
}

pub(crate) fn micros(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expert::Refusal;

    fn refused() -> anyhow::Result<()> {
        Err(Refusal { code: "delivered".into(), reason: "not_eligible".into(), detail: "too late".into() }
            .into())
    }

    #[test]
    fn a_refusal_is_right_only_where_one_is_expected() {
        let rule = |rule: &str| vec![rule.to_owned()];
        assert!(Told::of(refused(), &rule("delivered")).problems.is_empty());
        assert_eq!(Told::of(refused(), &rule("not_paid")).problems.len(), 1);
        assert_eq!(Told::of(refused(), &[]).problems, ["the shop refused: delivered (too late)"]);
        assert!(Told::of(Ok(()), &[]).problems.is_empty());
        assert_eq!(Told::of(Ok(()), &rule("delivered")).problems.len(), 1);
        assert_eq!(
            Told::of(Err(anyhow!("lost")), &rule("delivered")).problems,
            ["the expert could not go on: lost"]
        );
    }
}
