//! Calls to the gateway: the intent with its key, and what came of it on both sides.

use anyhow::{Result, bail};
use serde_json::json;
use shop_domain::ids::{AttemptId, OrderId, RefundId};
use shop_domain::limits;
use shop_domain::status::{AttemptKind, AttemptOutcome};
use shop_gateway::wire::ledger::Effect;
use shop_gateway::wire::{self, Decline};
use shop_store::entities::attempts;

use super::History;

/// What became of a call to the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Done,
    /// A clear no, with this code.
    Refused(&'static str),
    /// Carried out, and the answer never came.
    LostAfter,
    /// Neither carried out nor answered.
    LostBefore,
    /// Under way at this very moment.
    Waiting,
    /// It never left the building.
    NotSent,
    /// Nobody answered, so the key was made a tombstone: it had no effect and will have none.
    Fenced,
}

impl Reply {
    pub(super) const fn outcome(self) -> AttemptOutcome {
        match self {
            Self::Done => AttemptOutcome::Done,
            Self::Refused(_) => AttemptOutcome::Refused,
            Self::LostAfter | Self::LostBefore => AttemptOutcome::Unknown,
            Self::Waiting => AttemptOutcome::Pending,
            Self::NotSent => AttemptOutcome::NotSent,
            Self::Fenced => AttemptOutcome::Fenced,
        }
    }
}

impl History<'_> {
    /// Writes down a call: the intent with its key, and what came of it.
    pub(super) fn attempt(
        &mut self,
        kind: AttemptKind,
        amount_minor: i64,
        refund_id: Option<RefundId>,
        reply: Reply,
    ) -> Result<usize> {
        let id = self.id(AttemptId::new);
        let outcome = reply.outcome();
        let (order_id, at): (OrderId, _) = (self.order.id, self.at);
        let payment_id = self.payment()?.id;
        self.attempts.push(attempts::Model {
            id,
            payment_id: Some(payment_id),
            refund_id,
            order_id,
            kind,
            gateway_key: id.to_string(),
            amount_minor,
            outcome,
            gateway_ref: None,
            detail: match reply {
                Reply::Refused(code) => Some(format!("{} ({code})", words(code))),
                Reply::Done
                | Reply::LostAfter
                | Reply::LostBefore
                | Reply::Waiting
                | Reply::NotSent
                | Reply::Fenced => None,
            },
            caller_scope: None,
            caller_key: None,
            action_id: None,
            // The settler has given up on what is unknown: a person must look at it.
            lookups: match outcome {
                AttemptOutcome::Unknown => i64::from(limits::LOOKUPS_MAX),
                AttemptOutcome::Pending => 0,
                AttemptOutcome::Done
                | AttemptOutcome::Refused
                | AttemptOutcome::NotSent
                | AttemptOutcome::Fenced => 1,
            },
            created_at: at,
            settled_at: (!outcome.is_open()).then_some(at),
        });
        if outcome != AttemptOutcome::Pending {
            let subject = refund_id.map_or_else(|| payment_id.to_string(), |id| id.to_string());
            let data = json!({ "attempt_id": id, "amount_minor": amount_minor });
            self.tell(format!("{kind}.{outcome}"), subject, data);
        }
        Ok(self.attempts.len() - 1)
    }

    /// What the gateway's own books say of a call, whatever the shop has heard.
    pub(super) fn at_the_gateway(
        &mut self,
        attempt: usize,
        reply: Reply,
        effect: Effect,
        found: Option<String>,
    ) {
        let Some(attempt) = self.attempts.get_mut(attempt) else { return };
        if reply == Reply::Done {
            attempt.gateway_ref = found;
        }
        let (at, key) = (self.at, attempt.id);
        match reply {
            Reply::Done | Reply::LostAfter => self.ground.books.gateway(at, key, effect),
            Reply::Refused(code) => {
                let decline = Decline { code: code.to_owned(), message: words(code) };
                self.ground.books.gateway(at, key, Effect::Refused(decline));
            }
            Reply::Fenced => self.ground.books.gateway(at, key, Effect::Fenced),
            Reply::LostBefore | Reply::Waiting | Reply::NotSent => {}
        }
    }
}

/// The instrument behind a test token, as the gateway writes it down.
pub(super) fn on_the_wire(token: &str) -> Result<wire::Instrument> {
    let (brand, last4) = match token {
        "tok_visa" => ("visa", "4242"),
        "tok_mastercard" => ("mastercard", "4444"),
        "tok_amex" => ("amex", "0005"),
        "tok_paypal" => ("paypal", ""),
        "tok_insufficient_funds" => ("visa", "9995"),
        "tok_dispute_later" => ("visa", "0259"),
        "tok_3ds_required" => ("visa", "3184"),
        other => bail!("no history pays with {other}"),
    };
    Ok(wire::Instrument { token: token.to_owned(), brand: brand.to_owned(), last4: last4.to_owned() })
}

/// A code in words.
fn words(code: &str) -> String {
    code.replace('_', " ")
}
