//! What a confirmed after-sales action does: the deeds of its summary, one step after the other.

use async_trait::async_trait;
use mcp_actions_engine::parts::{Ref, Suggestion};
use mcp_actions_engine::{
    Abandoned, Done, Effects, Failure, Held, LookUp, Reason, Record, Refusal, StepKey, StepOutcome,
};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::OrderId;
use shop_domain::status::RefundDestination;
use shop_service::Error;

use super::AfterSales;
use super::agreed::{Agreed, REFUND, REQUEST, VOID};
use super::facts::destination;
use super::{money_let_go, order_of};
use crate::caller::Caller;
use crate::deeds::{self, Act, Acted, as_step, left_behind, nothing};
use crate::steps::{outcome, refusal};

#[async_trait]
impl Effects<Caller> for AfterSales {
    /// The new goods of an exchange are held by the exchange itself; nothing is held before.
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
        match run.undo().await {
            Ok(refs) => Abandoned::Clean { refs },
            Err(error) => {
                tracing::info!(action = record.id, %error, "an after-sales action could not be taken back yet");
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
        let agreed = Agreed::of(record)?;
        Some(Self { caller, record, agreed, order: order_of(record).ok()? })
    }

    fn acts<'k>(&'k self, step: &str, key: &'k StepKey) -> Vec<Act<'k>> {
        // What was agreed to is an amount only where money moves by it.
        let agreed_minor = self.agreed.amount.filter(|_| step == REFUND || self.is_exchange(step));
        let act = |(part, deed)| Act {
            caller: self.caller,
            record: self.record,
            key,
            part,
            deed,
            agreed_minor,
            why: match &self.agreed.details {
                Some(details) => format!("{}. The customer says: {details}", self.agreed.what),
                None => self.agreed.what.clone(),
            },
        };
        self.agreed.deeds(step, self.order).into_iter().map(act).collect()
    }

    fn is_exchange(&self, step: &str) -> bool {
        step == REQUEST && self.agreed.remedy() == Some(super::remedy::Remedy::Exchange)
    }

    async fn run(&self, step: &str, key: &StepKey) -> Result<StepOutcome, Error> {
        if step == VOID {
            return money_let_go::run(self.caller, self.record, key, self.order).await;
        }
        let acts = self.acts(step, key);
        if let [only] = acts.as_slice() {
            return match as_step(only).await {
                Err(error) if error.code == ErrorCode::PaymentDeclined => {
                    Ok(StepOutcome::Refused(declined(&error)))
                }
                done => done,
            };
        }
        let mut done = Done::default();
        for act in &acts {
            match act.run().await? {
                Acted::Done(fruit) => done.refs.extend(left_behind(self.caller, &fruit).refs),
                Acted::Waits(id) => return Ok(StepOutcome::AwaitApproval { id: id.to_string() }),
            }
        }
        Ok(StepOutcome::Done(done))
    }

    async fn look(&self, step: &str, key: &StepKey) -> Result<LookUp, Error> {
        if step == VOID {
            return money_let_go::look(self.caller, self.order).await;
        }
        let mut found = Done::default();
        let acts = self.acts(step, key);
        for act in &acts {
            match deeds::look(act).await? {
                LookUp::Found(done) if acts.len() == 1 => found = done,
                LookUp::Found(done) => found.refs.extend(done.refs),
                other @ (LookUp::Differs { .. } | LookUp::NotFound { .. } | LookUp::StillUnknown) => {
                    return Ok(other);
                }
            }
        }
        if acts.is_empty() { Ok(nothing(self.caller, deeds::SHOP)) } else { Ok(LookUp::Found(found)) }
    }

    /// Every step that was begun, the last one first. Held money of a cancelled order is let go all the same.
    async fn undo(&self) -> Result<Vec<Ref>, Error> {
        let mut refs = Vec::new();
        for effect in self.record.effects.iter().rev() {
            let key = self.record.step_key(&effect.step);
            if effect.step == VOID {
                refs.extend(money_let_go::finish(self.caller, self.record, &key, self.order).await?);
            }
            for act in self.acts(&effect.step, &key) {
                refs.extend(deeds::undo(&act).await?);
            }
        }
        Ok(refs)
    }
}

/// The gateway would not pay it back; the shop can.
fn declined(error: &Error) -> Refusal {
    let others = [RefundDestination::StoreCredit, RefundDestination::GiftCard];
    let suggestions = others.map(|to| Suggestion {
        field: "refund_to".to_owned(),
        value: json!(to),
        label: format!("Refund to {}", destination(to)),
        confidence: 0.6,
    });
    Refusal { reason: Reason::PaymentDeclined, ..refusal(error) }.suggesting(suggestions.to_vec())
}
