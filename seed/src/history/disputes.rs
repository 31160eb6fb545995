//! Disputes: a bank takes the money of the last payment back, and what the shop does about it.

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shop_domain::disputes::DisputeEvent;
use shop_domain::ids::{DisputeId, JobId};
use shop_domain::ledger::{Posting, dispute_lost, dispute_opened, dispute_won};
use shop_domain::status::{AttemptKind, DisputeStatus, PaymentState};
use shop_gateway::wire::ledger::Effect;
use shop_store::entities::{disputes, jobs};

use super::{Ending, History, Reply};
use crate::books::Refs;

/// The gateway's own: days from the capture until the bank asks, until which it must be answered, and until it
/// decides on the answer.
const ASKED_AFTER: TimeDelta = TimeDelta::days(3);
const ANSWERED_WITHIN: TimeDelta = TimeDelta::days(7);
const DECIDED_AFTER: TimeDelta = TimeDelta::days(5);

impl History<'_> {
    /// The customer's bank takes back what was captured.
    pub(crate) fn disputed(mut self) -> Result<Self> {
        let payment = self.payment()?.clone();
        ensure!(payment.status == PaymentState::Captured, "only what was taken is disputed");
        let charge = payment.charge_id.context("a dispute of what no gateway has seen")?;
        self.at = Ord::max(self.at, payment.updated_at + ASKED_AFTER);
        let gateway_ref = self.ground.draw.gateway_id(self.at, "dp");
        let row = disputes::Model {
            id: self.id(DisputeId::new),
            order_id: self.order.id,
            payment_id: payment.id,
            gateway_ref: gateway_ref.clone(),
            amount_minor: payment.captured_minor - payment.refunded_minor,
            currency: payment.currency,
            status: DisputeStatus::Open,
            evidence: None,
            due_at: self.at + ANSWERED_WITHIN,
            opened_at: self.at,
            closed_at: None,
            updated_at: self.at,
            version: 1,
        };
        let effect =
            Effect::Disputed { payment: charge, dispute: gateway_ref, amount_minor: row.amount_minor };
        self.ground.books.gateway_alone(self.at, effect);
        self.book_dispute(&dispute_opened(row.amount_minor)?, "disputed")?;
        let data = json!({ "amount_minor": row.amount_minor, "due_at": row.due_at });
        self.tell("dispute.opened", row.id, data);
        self.watch(&row);
        self.disputes.push(row);
        Ok(self)
    }

    /// The shop sends evidence a day later, which the bank will believe or not.
    pub(crate) fn contested(mut self, text: &str, wins: bool) -> Result<Self> {
        self.at += TimeDelta::days(1);
        let at = self.at;
        let row = self.dispute()?;
        ensure!(at < row.due_at, "evidence comes before its deadline");
        row.evidence = Some(text.to_owned());
        row.version += 1;
        let (dispute, amount) = (row.gateway_ref.clone(), row.amount_minor);
        let payment = self.charge()?;
        let attempt = self.attempt(AttemptKind::DisputeEvidence, amount, None, Reply::Done)?;
        let effect = Effect::Contested { payment: payment.clone(), dispute, wins };
        self.at_the_gateway(attempt, Reply::Done, effect, Some(payment));
        self.dispute_moves(DisputeEvent::EvidenceSent)?;
        self.settled();
        Ok(self)
    }

    /// The bank decides on the evidence.
    pub(crate) fn dispute_decided(mut self, won: bool) -> Result<Self> {
        self.at = self.dispute()?.updated_at + DECIDED_AFTER;
        self.closed_by_the_bank(won)?;
        Ok(self)
    }

    /// Nobody answers the bank in time.
    pub(crate) fn dispute_unanswered(mut self) -> Result<Self> {
        self.at = self.dispute()?.due_at;
        self.closed_by_the_bank(false)?;
        Ok(self)
    }

    /// The shop gives in: what the bank took is the customer's for good.
    pub(crate) fn dispute_accepted(mut self) -> Result<Self> {
        self.pass_minutes(90);
        let row = self.dispute()?.clone();
        if let Some(reason) = self.risk("accept_dispute", row.amount_minor) {
            let asked = ("accept_dispute", row.id.to_string());
            self.sign_off(asked, row.amount_minor, json!({}), reason, Ending::Used)?;
        }
        let payment = self.charge()?;
        let attempt = self.attempt(AttemptKind::DisputeAccept, row.amount_minor, None, Reply::Done)?;
        let effect = Effect::DisputeClosed {
            payment: payment.clone(),
            dispute: row.gateway_ref,
            amount_minor: row.amount_minor,
            won: false,
        };
        self.at_the_gateway(attempt, Reply::Done, effect, Some(payment));
        self.dispute_moves(DisputeEvent::Accepted)?;
        self.settled();
        Ok(self)
    }

    fn closed_by_the_bank(&mut self, won: bool) -> Result<()> {
        let row = self.dispute()?.clone();
        let effect = Effect::DisputeClosed {
            payment: self.charge()?,
            dispute: row.gateway_ref,
            amount_minor: row.amount_minor,
            won,
        };
        self.ground.books.gateway_alone(self.at, effect);
        self.dispute_moves(if won { DisputeEvent::Won } else { DisputeEvent::Lost })
    }

    /// One step of the last dispute, with its postings.
    fn dispute_moves(&mut self, event: DisputeEvent) -> Result<()> {
        let at = self.at;
        let row = self.dispute()?;
        let (id, amount) = (row.id, row.amount_minor);
        row.status = row.status.after(event)?;
        row.closed_at = (event != DisputeEvent::EvidenceSent).then_some(at);
        row.updated_at = at;
        row.version += 1;
        match event {
            DisputeEvent::EvidenceSent => {}
            DisputeEvent::Won => self.book_dispute(&dispute_won(amount)?, "dispute_won")?,
            DisputeEvent::Lost | DisputeEvent::Accepted => {
                self.book_dispute(&dispute_lost(amount)?, "dispute_lost")?;
            }
        }
        self.tell(format!("dispute.{event}"), id, json!({ "amount_minor": amount }));
        Ok(())
    }

    fn book_dispute(&mut self, postings: &[Posting], memo: &str) -> Result<()> {
        let refs = Refs { payment_id: Some(self.payment()?.id), ..self.refs() };
        self.post(postings, refs, memo)
    }

    /// A dispute is looked at when its answer is due, as in a running shop.
    fn watch(&mut self, row: &disputes::Model) {
        if row.due_at > self.ground.now {
            let job = job(self.id(JobId::new), row, self.at);
            self.ground.rows.jobs.push(job);
        }
    }

    /// The last dispute.
    fn dispute(&mut self) -> Result<&mut disputes::Model> {
        self.disputes.last_mut().context("nothing is disputed")
    }

    fn charge(&mut self) -> Result<String> {
        self.payment()?.charge_id.clone().context("a dispute without a charge")
    }
}

fn job(id: JobId, dispute: &disputes::Model, created_at: DateTime<Utc>) -> jobs::Model {
    jobs::Model {
        id,
        kind: "watch_dispute".to_owned(),
        subject: dispute.payment_id.to_string(),
        due_at: dispute.due_at,
        tries: 0,
        lease_until_ms: 0,
        lease_owner: None,
        created_at,
    }
}
