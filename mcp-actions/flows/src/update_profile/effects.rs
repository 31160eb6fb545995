//! What a confirmed change of a profile does, and how it is taken back.

use async_trait::async_trait;
use mcp_actions_engine::parts::Ref;
use mcp_actions_engine::{Abandoned, Effects, Failure, Held, LookUp, Record, StepKey, StepOutcome};
use shop_service::Error;

use super::UpdateProfile;
use super::agreed::{Agreed, PREFER, WRITE};
use crate::caller::Caller;
use crate::deeds::{self, Act, Deed, as_step};
use crate::steps::outcome;

#[async_trait]
impl Effects<Caller> for UpdateProfile {
    /// A profile is nothing that could run out.
    async fn hold(&self, _caller: &Caller, _record: &Record) -> Result<Held, Failure> {
        Ok(Held::Kept)
    }

    async fn release(&self, _caller: &Caller, _record: &Record) -> Result<(), Failure> {
        Ok(())
    }

    fn steps(&self, record: &Record) -> Vec<&'static str> {
        Agreed::of(record).map(|agreed| agreed.steps()).unwrap_or_default()
    }

    async fn run(&self, caller: &Caller, step: &str, key: &StepKey, record: &Record) -> StepOutcome {
        let Some((act, _)) = act(caller, record, step, key) else { return StepOutcome::Unknown };
        as_step(&act).await.unwrap_or_else(|error| outcome(&error))
    }

    async fn look_up(&self, caller: &Caller, step: &str, key: &StepKey, record: &Record) -> LookUp {
        let Some((act, _)) = act(caller, record, step, key) else { return LookUp::StillUnknown };
        // Whatever kept us from looking, nothing was learned.
        deeds::look(&act).await.unwrap_or(LookUp::StillUnknown)
    }

    async fn abandon(&self, caller: &Caller, record: &Record) -> Abandoned {
        match Box::pin(undo(caller, record)).await {
            Ok(refs) => Abandoned::Clean { refs },
            Err(error) => {
                tracing::info!(action = record.id, %error, "a change of a profile could not be taken back yet");
                Abandoned::Unknown
            }
        }
    }
}

fn act<'a>(
    caller: &'a Caller,
    record: &'a Record,
    step: &str,
    key: &'a StepKey,
) -> Option<(Act<'a>, Option<Deed>)> {
    let agreed = Agreed::of(record)?;
    let (deed, back) = agreed.deed(step)?;
    let act = Act { caller, record, key, part: String::new(), deed, agreed_minor: None, why: agreed.what };
    Some((act, back))
}

/// The last step first. A way to pay that was removed stays removed: the shop never had what it takes to add it.
async fn undo(caller: &Caller, record: &Record) -> Result<Vec<Ref>, Error> {
    let mut refs = Vec::new();
    for step in [PREFER, WRITE] {
        let key = record.step_key(step);
        let Some((act, back)) = act(caller, record, step, &key) else { continue };
        if !record.effects.iter().any(|effect| effect.step == step) {
            continue;
        }
        refs.extend(match back {
            Some(back) => deeds::reverse(&act, back).await?,
            None => deeds::undo(&act).await?,
        });
    }
    if let Some(agreed) = Agreed::of(record).filter(|agreed| agreed.replaces_default() && !refs.is_empty()) {
        refs.extend(prefer_again(caller, record, &agreed).await?);
    }
    Ok(refs)
}

/// The entry that was the default before a new one took its place.
async fn prefer_again(caller: &Caller, record: &Record, agreed: &Agreed) -> Result<Vec<Ref>, Error> {
    let Some(deed) = agreed.back_to_default() else { return Ok(Vec::new()) };
    let key = record.step_key(PREFER);
    let part = "again".to_owned();
    let act = Act { caller, record, key: &key, part, deed, agreed_minor: None, why: agreed.what.clone() };
    match as_step(&act).await {
        Ok(StepOutcome::Done(done)) => Ok(done.refs),
        Ok(
            StepOutcome::Refused(_)
            | StepOutcome::Busy { .. }
            | StepOutcome::Unknown
            | StepOutcome::AwaitApproval { .. }
            | StepOutcome::AwaitEvent { .. },
        ) => Ok(Vec::new()),
        Err(error) => match outcome(&error) {
            // It was removed meanwhile.
            StepOutcome::Refused(_) => Ok(Vec::new()),
            StepOutcome::Done(_)
            | StepOutcome::Busy { .. }
            | StepOutcome::Unknown
            | StepOutcome::AwaitApproval { .. }
            | StepOutcome::AwaitEvent { .. } => Err(error),
        },
    }
}
