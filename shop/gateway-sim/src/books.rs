//! The books in memory: nothing but the replay of the ledger's lines.
//!
//! [`Books::after`] works out what a line changes and can refuse it; [`Books::commit`] cannot fail. Between the two
//! the line is written, so memory and file never differ. The answer to a key is not kept: it is worked out again
//! from the lines up to its own, which gives the same bytes.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use shop_gateway::wire::ledger::{Effect, Line, Settlement};
use shop_gateway::wire::{
    Dispute, DisputeStatus, KeyRecord, KeyResult, Operation, Payment, PaymentStatus, Refund, RefundStatus,
};

use crate::instruments::{self, Behaviour};
use crate::ledger_file::LedgerError;
use crate::limits;

/// A payment with its refunds, and which lines made it what it is.
#[derive(Clone, Debug)]
pub(crate) struct Charge {
    pub(crate) payment: Payment,
    pub(crate) refunds: Vec<Refund>,
    lines: Vec<usize>,
}

/// Something that will happen by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Settle {
        payment: String,
        refund: String,
        settlement: Settlement,
    },
    Dispute {
        payment: String,
    },
    /// A dispute comes to its end: decided after evidence, or lost for want of it.
    Close {
        payment: String,
        dispute: String,
        won: bool,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Books {
    lines: Vec<Line>,
    keys: HashMap<String, usize>,
    charges: BTreeMap<String, Charge>,
    payment_of_refund: HashMap<String, String>,
    payment_of_dispute: HashMap<String, String>,
    due: BTreeMap<(DateTime<Utc>, u64), Due>,
}

impl Books {
    pub(crate) fn replay(lines: Vec<Line>) -> Result<Self, LedgerError> {
        let mut books = Self::default();
        for line in lines {
            let charge = books.after(&line)?;
            books.commit(line, charge);
        }
        Ok(books)
    }

    pub(crate) fn next_seq(&self) -> u64 {
        self.lines.last().map_or(1, |line| line.seq + 1)
    }

    /// What the payment of this line is after it; `None` for a line that is about no payment.
    pub(crate) fn after(&self, line: &Line) -> Result<Option<Charge>, LedgerError> {
        let wrong = |reason| LedgerError::Inconsistent { seq: line.seq, reason };
        if line.seq != self.next_seq() {
            return Err(wrong("numbers must grow by one"));
        }
        if line.key.as_ref().is_some_and(|key| self.keys.contains_key(key)) {
            return Err(wrong("a key has at most one entry"));
        }
        let Some(id) = payment_of(&line.effect) else { return Ok(None) };
        let before = self.charges.get(id).cloned();
        let mut charge =
            step(before, line).ok_or_else(|| wrong("its payment is unknown or cannot do this"))?;
        charge.lines.push(self.lines.len());
        Ok(Some(charge))
    }

    /// Takes in a line that is durable, with what [`Books::after`] said of it.
    pub(crate) fn commit(&mut self, line: Line, charge: Option<Charge>) {
        if let Some(key) = &line.key {
            self.keys.insert(key.clone(), self.lines.len());
        }
        self.plan(&line, charge.as_ref());
        if let Effect::Refunded { payment, refund, .. } = &line.effect {
            self.payment_of_refund.insert(refund.clone(), payment.clone());
        }
        if let Effect::Disputed { payment, dispute, .. } = &line.effect {
            self.payment_of_dispute.insert(dispute.clone(), payment.clone());
        }
        if let Some(charge) = charge {
            self.charges.insert(charge.payment.id.clone(), charge);
        }
        self.lines.push(line);
    }

    /// Keeps the list of what is due in step with a line.
    fn plan(&mut self, line: &Line, charge: Option<&Charge>) {
        match &line.effect {
            Effect::Refunded { payment, refund, settles: Some(settlement), .. } => {
                let due = Due::Settle {
                    payment: payment.clone(),
                    refund: refund.clone(),
                    settlement: settlement.clone(),
                };
                self.due.insert((settlement.at, line.seq), due);
            }
            Effect::Captured { payment, .. } => {
                let is_first =
                    self.charges.get(payment).is_some_and(|before| before.payment.captured_minor == 0);
                if is_first && charge.is_some_and(|charge| is_disputed_later(&charge.payment)) {
                    let due = Due::Dispute { payment: payment.clone() };
                    self.due.insert((line.at + limits::DISPUTE_AFTER, line.seq), due);
                }
            }
            Effect::RefundSettled { refund: settled, .. } => {
                self.due.retain(|_, due| !matches!(due, Due::Settle { refund, .. } if refund == settled));
            }
            Effect::Disputed { payment: disputed, dispute, .. } => {
                self.due.retain(|_, due| !matches!(due, Due::Dispute { payment } if payment == disputed));
                self.close_at(
                    line.at + limits::DISPUTE_ANSWERED_WITHIN,
                    line.seq,
                    (disputed, dispute),
                    false,
                );
            }
            Effect::Contested { payment, dispute, wins } => {
                self.forget_end_of(dispute);
                self.close_at(line.at + limits::DISPUTE_DECIDED_AFTER, line.seq, (payment, dispute), *wins);
            }
            Effect::DisputeClosed { dispute, .. } => self.forget_end_of(dispute),
            Effect::Refunded { settles: None, .. }
            | Effect::Authorized { .. }
            | Effect::Voided { .. }
            | Effect::Refused(_)
            | Effect::Fenced => {}
        }
    }

    fn close_at(&mut self, at: DateTime<Utc>, seq: u64, (payment, dispute): (&String, &String), won: bool) {
        let due = Due::Close { payment: payment.clone(), dispute: dispute.clone(), won };
        self.due.insert((at, seq), due);
    }

    fn forget_end_of(&mut self, closed: &str) {
        self.due.retain(|_, due| !matches!(due, Due::Close { dispute, .. } if dispute == closed));
    }

    /// Drops what cannot happen any more.
    pub(crate) fn forget(&mut self, gone: &Due) {
        self.due.retain(|_, due| due != gone);
    }

    /// The first thing that should have happened by itself until `now`.
    pub(crate) fn first_due(&self, now: DateTime<Utc>) -> Option<&Due> {
        self.due.first_key_value().filter(|((at, _), _)| *at <= now).map(|(_, due)| due)
    }

    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    pub(crate) fn charges(&self) -> impl Iterator<Item = &Charge> {
        self.charges.values()
    }

    pub(crate) fn charge(&self, payment: &str) -> Option<&Charge> {
        self.charges.get(payment)
    }

    pub(crate) fn refund(&self, id: &str) -> Option<&Refund> {
        self.charges.get(self.payment_of_refund.get(id)?)?.refund(id)
    }

    /// The payment of a dispute.
    pub(crate) fn disputed(&self, dispute: &str) -> Option<&Charge> {
        self.charges.get(self.payment_of_dispute.get(dispute)?)
    }

    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// The line of a key.
    pub(crate) fn line_of(&self, key: &str) -> Option<&Line> {
        self.lines.get(*self.keys.get(key)?)
    }

    /// What the answer to a key was when it was given.
    pub(crate) fn answer_of(&self, key: &str) -> Option<KeyResult> {
        let index = *self.keys.get(key)?;
        let line = self.lines.get(index)?;
        let until = payment_of(&line.effect).and_then(|id| self.charges.get(id)).and_then(|charge| {
            let lines = charge.lines.iter().filter(|at| **at <= index).filter_map(|at| self.lines.get(*at));
            lines.fold(None, step)
        });
        answer(&line.effect, until.as_ref())
    }

    /// What a key stands for now.
    pub(crate) fn record_of(&self, key: &str) -> Option<KeyRecord> {
        let line = self.line_of(key)?;
        let charge = payment_of(&line.effect).and_then(|id| self.charges.get(id));
        Some(KeyRecord {
            key: key.to_owned(),
            operation: line.request.as_ref().map_or_else(|| operation_of(&line.effect), |r| r.operation()),
            at: line.at,
            amount_minor: amount_of(&line.effect),
            result: answer(&line.effect, charge)?,
        })
    }
}

impl Charge {
    pub(crate) fn refund(&self, id: &str) -> Option<&Refund> {
        self.refunds.iter().find(|refund| refund.id == id)
    }

    /// The key the hold was made under; `None` when the gateway made it on its own.
    pub(crate) fn key<'a>(&self, books: &'a Books) -> Option<&'a str> {
        books.lines.get(self.first_line()?)?.key.as_deref()
    }

    /// The order of creation.
    pub(crate) fn first_line(&self) -> Option<usize> {
        self.lines.first().copied()
    }
}

/// A payment after one more line; `None` when the line cannot follow.
fn step(before: Option<Charge>, line: &Line) -> Option<Charge> {
    match (&line.effect, before) {
        (Effect::Authorized { .. }, None) => hold(line),
        (Effect::Captured { amount_minor, .. }, Some(mut charge)) => {
            charge.payment.status = PaymentStatus::Captured;
            charge.payment.captured_minor = charge.payment.captured_minor.checked_add(*amount_minor)?;
            Some(charge)
        }
        (Effect::Voided { .. }, Some(mut charge)) => {
            charge.payment.status = PaymentStatus::Voided;
            Some(charge)
        }
        (Effect::Refunded { payment, refund, amount_minor, reference, settles }, Some(mut charge)) => {
            charge.payment.refunded_minor = charge.payment.refunded_minor.checked_add(*amount_minor)?;
            charge.refunds.push(Refund {
                id: refund.clone(),
                payment: payment.clone(),
                status: if settles.is_some() { RefundStatus::Pending } else { RefundStatus::Succeeded },
                amount_minor: *amount_minor,
                currency: charge.payment.currency.clone(),
                reference: reference.clone(),
                failure: None,
                created_at: line.at,
            });
            Some(charge)
        }
        (Effect::RefundSettled { refund, failure, .. }, Some(mut charge)) => {
            let settled = charge.refunds.iter_mut().find(|known| known.id == *refund)?;
            settled.failure.clone_from(failure);
            settled.status = if failure.is_some() { RefundStatus::Failed } else { RefundStatus::Succeeded };
            if failure.is_some() {
                charge.payment.refunded_minor =
                    charge.payment.refunded_minor.checked_sub(settled.amount_minor)?;
            }
            Some(charge)
        }
        (Effect::Disputed { dispute, amount_minor, .. }, Some(mut charge)) => {
            charge.payment.dispute = Some(Dispute {
                id: dispute.clone(),
                status: DisputeStatus::NeedsResponse,
                amount_minor: *amount_minor,
                opened_at: line.at,
                due_at: line.at + limits::DISPUTE_ANSWERED_WITHIN,
                closed_at: None,
            });
            Some(charge)
        }
        (Effect::Contested { .. }, Some(mut charge)) => {
            charge.payment.dispute.as_mut()?.status = DisputeStatus::UnderReview;
            Some(charge)
        }
        (Effect::DisputeClosed { won, .. }, Some(mut charge)) => {
            let dispute = charge.payment.dispute.as_mut()?;
            dispute.status = if *won { DisputeStatus::Won } else { DisputeStatus::Lost };
            dispute.closed_at = Some(line.at);
            Some(charge)
        }
        // A second hold under one id, or an effect without its hold.
        (
            Effect::Authorized { .. }
            | Effect::Captured { .. }
            | Effect::Voided { .. }
            | Effect::Refunded { .. }
            | Effect::RefundSettled { .. }
            | Effect::Disputed { .. }
            | Effect::Contested { .. }
            | Effect::DisputeClosed { .. }
            | Effect::Refused(_)
            | Effect::Fenced,
            _,
        ) => None,
    }
}

/// A new payment.
fn hold(line: &Line) -> Option<Charge> {
    let Effect::Authorized { payment, requested_minor, amount_minor, currency, instrument, reference } =
        &line.effect
    else {
        return None;
    };
    let payment = Payment {
        id: payment.clone(),
        status: PaymentStatus::Authorized,
        reference: reference.clone(),
        currency: currency.clone(),
        instrument: instrument.clone(),
        requested_minor: *requested_minor,
        authorized_minor: *amount_minor,
        captured_minor: 0,
        refunded_minor: 0,
        dispute: None,
        created_at: line.at,
    };
    Some(Charge { payment, refunds: Vec::new(), lines: Vec::new() })
}

/// What the caller is told about an effect.
pub(crate) fn answer(effect: &Effect, charge: Option<&Charge>) -> Option<KeyResult> {
    match effect {
        Effect::Authorized { .. }
        | Effect::Captured { .. }
        | Effect::Voided { .. }
        | Effect::Disputed { .. }
        | Effect::Contested { .. }
        | Effect::DisputeClosed { .. } => Some(KeyResult::Payment(charge?.payment.clone())),
        Effect::Refunded { refund, .. } | Effect::RefundSettled { refund, .. } => {
            Some(KeyResult::Refund(charge?.refund(refund)?.clone()))
        }
        Effect::Refused(decline) => Some(KeyResult::Refused(decline.clone())),
        Effect::Fenced => Some(KeyResult::Fenced),
    }
}

pub(crate) fn payment_of(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Authorized { payment, .. }
        | Effect::Captured { payment, .. }
        | Effect::Voided { payment, .. }
        | Effect::Refunded { payment, .. }
        | Effect::RefundSettled { payment, .. }
        | Effect::Disputed { payment, .. }
        | Effect::Contested { payment, .. }
        | Effect::DisputeClosed { payment, .. } => Some(payment),
        Effect::Refused(_) | Effect::Fenced => None,
    }
}

fn amount_of(effect: &Effect) -> Option<i64> {
    match effect {
        Effect::Authorized { amount_minor, .. }
        | Effect::Captured { amount_minor, .. }
        | Effect::Voided { amount_minor, .. }
        | Effect::Refunded { amount_minor, .. }
        | Effect::Disputed { amount_minor, .. }
        | Effect::DisputeClosed { amount_minor, .. } => Some(*amount_minor),
        Effect::RefundSettled { .. } | Effect::Contested { .. } | Effect::Refused(_) | Effect::Fenced => None,
    }
}

/// For lines that were seeded without their request.
fn operation_of(effect: &Effect) -> Operation {
    match effect {
        Effect::Authorized { .. } | Effect::Disputed { .. } | Effect::Refused(_) => Operation::Authorize,
        Effect::Captured { .. } => Operation::Capture,
        Effect::Voided { .. } => Operation::Void,
        Effect::Refunded { .. } | Effect::RefundSettled { .. } => Operation::Refund,
        Effect::Contested { .. } | Effect::DisputeClosed { .. } => Operation::Dispute,
        Effect::Fenced => Operation::Fence,
    }
}

fn is_disputed_later(payment: &Payment) -> bool {
    instruments::find(&payment.instrument.token)
        .is_some_and(|instrument| instrument.behaviour == Behaviour::DisputeLater)
}
