//! What a confirmed change does, step by step; and how all of it is taken back.

use async_trait::async_trait;
use mcp_actions_engine::parts::Ref;
use mcp_actions_engine::{Abandoned, Done, Effects, Failure, Held, LookUp, Record, StepKey, StepOutcome};
use shop_domain::ids::OrderId;
use shop_service::Error;

use super::agreed::{Agreed, CHANGE, HOLD, KEEP, REDIRECT, REFUND, TAKE};
use super::{ChangeDeliveryAddress, order_of};
use crate::caller::Caller;
use crate::deeds::{self, Act, Acted, Deed, as_step, left_behind, nothing};
use crate::due::{Due, Settlement};
use crate::steps::outcome;

#[async_trait]
impl Effects<Caller> for ChangeDeliveryAddress {
    /// An address is nothing that could run out.
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
        let ran = match Run::of(caller, record) {
            Some(run) => run.run(step, key).await,
            None => Ok(StepOutcome::Unknown),
        };
        ran.unwrap_or_else(|error| outcome(&error))
    }

    async fn look_up(&self, caller: &Caller, step: &str, key: &StepKey, record: &Record) -> LookUp {
        let looked = match Run::of(caller, record) {
            Some(run) => run.look(step, key).await,
            None => Ok(LookUp::StillUnknown),
        };
        // Whatever kept us from looking, nothing was learned.
        looked.unwrap_or(LookUp::StillUnknown)
    }

    async fn abandon(&self, caller: &Caller, record: &Record) -> Abandoned {
        let Some(run) = Run::of(caller, record) else { return Abandoned::Unknown };
        match Box::pin(run.undo()).await {
            Ok(refs) => Abandoned::Clean { refs },
            Err(error) => {
                tracing::info!(action = record.id, %error, "a change of address could not be taken back yet");
                Abandoned::Unknown
            }
        }
    }
}

/// One confirmed action.
struct Run<'a> {
    caller: &'a Caller,
    record: &'a Record,
    agreed: Agreed,
    order: OrderId,
}

impl<'a> Run<'a> {
    fn of(caller: &'a Caller, record: &'a Record) -> Option<Self> {
        Some(Self { caller, record, agreed: Agreed::of(record)?, order: order_of(record).ok()? })
    }

    /// The deeds of a step, each with the one that takes it back.
    fn acts<'k>(&'k self, step: &str, key: &'k StepKey) -> Vec<(Act<'k>, Option<Deed>)> {
        let agreed_minor = match (step, self.agreed.settlement) {
            (CHANGE, _) => Some(self.agreed.amount),
            (REFUND, Settlement::GiveBack(minor)) => Some(minor),
            (_, _) => None,
        };
        let act = |(part, deed, back)| {
            let why = self.agreed.what.clone();
            (Act { caller: self.caller, record: self.record, key, part, deed, agreed_minor, why }, back)
        };
        self.agreed.deeds(step, self.order).into_iter().map(act).collect()
    }

    /// The payment for what it costs more.
    fn due<'k>(&'k self, key: &'k StepKey) -> Option<Due<'k>> {
        let (Settlement::Charge(minor) | Settlement::Hold(minor)) = self.agreed.settlement else {
            return None;
        };
        let payment_method_id = self.agreed.payment_method_id?;
        let (caller, record) = (self.caller, self.record);
        Some(Due { caller, record, key, order: self.order, payment_method_id, minor })
    }

    async fn run(&self, step: &str, key: &StepKey) -> Result<StepOutcome, Error> {
        let held_under = self.record.step_key(HOLD);
        match (step, self.due(&held_under)) {
            (HOLD, Some(due)) => return due.hold().await,
            (TAKE, Some(due)) => return due.take().await,
            (_, _) => {}
        }
        let acts = self.acts(step, key);
        if let [(only, _)] = acts.as_slice() {
            return as_step(only).await;
        }
        let mut done = Done::default();
        for (act, _) in &acts {
            match act.run().await? {
                Acted::Done(fruit) => {
                    let left = left_behind(self.caller, &fruit);
                    done.refs.extend(left.refs);
                    done.verification = left.verification;
                }
                Acted::Waits(id) => return Ok(StepOutcome::AwaitApproval { id: id.to_string() }),
            }
        }
        Ok(StepOutcome::Done(done))
    }

    async fn look(&self, step: &str, key: &StepKey) -> Result<LookUp, Error> {
        let held_under = self.record.step_key(HOLD);
        match (step, self.due(&held_under)) {
            (HOLD, Some(due)) => return due.look(false).await,
            (TAKE, Some(due)) => return due.look(true).await,
            (_, _) => {}
        }
        let mut found = Done::default();
        let acts = self.acts(step, key);
        for (act, _) in &acts {
            match deeds::look(act).await? {
                LookUp::Found(done) if acts.len() == 1 => found = done,
                LookUp::Found(done) => {
                    found.refs.extend(done.refs);
                    found.verification = done.verification;
                }
                other @ (LookUp::Differs { .. } | LookUp::NotFound { .. } | LookUp::StillUnknown) => {
                    return Ok(other);
                }
            }
        }
        if acts.is_empty() { Ok(nothing(self.caller, deeds::SHOP)) } else { Ok(LookUp::Found(found)) }
    }

    /// Held money is let go first, then everything goes back to where it was, and what was taken follows. Money that
    /// has gone back already belongs to the new address, which then stays.
    async fn undo(&self) -> Result<Vec<Ref>, Error> {
        let key = |step| self.record.step_key(step);
        let mut refs = self.take_back(REFUND, &key(REFUND)).await?;
        if self.went_back(&key(REFUND)).await? {
            return Ok(refs);
        }
        let held_under = key(HOLD);
        let due = self.due(&held_under);
        let mut taken = 0;
        if let Some(due) = &due {
            let (let_go, minor) = due.let_go().await?;
            refs.extend(let_go);
            taken = minor;
        }
        for step in [REDIRECT, CHANGE] {
            refs.extend(self.take_back(step, &key(step)).await?);
        }
        let is_back = matches!(self.look(CHANGE, &key(CHANGE)).await?, LookUp::Differs { .. });
        if let Some(due) = due.filter(|_| taken > 0 && is_back) {
            refs.extend(due.give_back(taken).await?);
        }
        refs.extend(self.take_back(KEEP, &key(KEEP)).await?);
        Ok(refs)
    }

    async fn went_back(&self, key: &StepKey) -> Result<bool, Error> {
        if self.agreed.settlement.refund(self.order).is_none() {
            return Ok(false);
        }
        Ok(matches!(self.look(REFUND, key).await?, LookUp::Found(_) | LookUp::Differs { .. }))
    }

    async fn take_back(&self, step: &str, key: &StepKey) -> Result<Vec<Ref>, Error> {
        let mut refs = Vec::new();
        if !self.record.effects.iter().any(|effect| effect.step == step) {
            return Ok(refs);
        }
        for (act, back) in self.acts(step, key).into_iter().rev() {
            refs.extend(match back {
                Some(back) => deeds::reverse(&act, back).await?,
                None => deeds::undo(&act).await?,
            });
        }
        Ok(refs)
    }
}
