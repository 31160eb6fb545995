//! Payments: opened, held, taken, released — and the ways in which a gateway's answer gets lost.

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use shop_domain::ids::{AttemptId, GiftCardId, OrderId, PaymentId, PaymentMethodId, RefundId};
use shop_domain::ledger;
use shop_domain::limits;
use shop_domain::payments::{PaymentEvent, Tender};
use shop_domain::status::{AttemptKind, AttemptOutcome, InstrumentKind, PaymentState};
use shop_gateway::wire::ledger::Effect;
use shop_gateway::wire::{self, Decline};
use shop_store::entities::{attempts, payment_methods, payments};

use super::History;
use crate::books::Refs;
use crate::value::Purse;

/// What the gateway answers when the money waits for the customer's bank.
const NEEDS_ACTION: &str = "authentication_required";

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
}

impl Reply {
    pub(super) const fn outcome(self) -> AttemptOutcome {
        match self {
            Self::Done => AttemptOutcome::Done,
            Self::Refused(_) => AttemptOutcome::Refused,
            Self::LostAfter | Self::LostBefore => AttemptOutcome::Unknown,
            Self::Waiting => AttemptOutcome::Pending,
        }
    }
}

/// What is paid with.
#[derive(Clone, Debug)]
pub(crate) struct Instrument {
    pub(crate) kind: InstrumentKind,
    pub(crate) payment_method_id: Option<PaymentMethodId>,
    pub(crate) gift_card_id: Option<GiftCardId>,
    pub(crate) token: Option<String>,
}

impl Instrument {
    pub(crate) fn saved(method: &payment_methods::Model) -> Self {
        Self {
            kind: method.kind,
            payment_method_id: Some(method.id),
            gift_card_id: method.gift_card_id,
            token: method.token.clone(),
        }
    }

    /// A test token that is not saved.
    pub(crate) fn card(token: &str) -> Self {
        let token = Some(token.to_owned());
        Self { kind: InstrumentKind::Card, payment_method_id: None, gift_card_id: None, token }
    }

    pub(crate) fn gift_card(id: GiftCardId) -> Self {
        let kind = InstrumentKind::GiftCard;
        Self { kind, payment_method_id: None, gift_card_id: Some(id), token: None }
    }

    pub(crate) fn store_credit() -> Self {
        let kind = InstrumentKind::StoreCredit;
        Self { kind, payment_method_id: None, gift_card_id: None, token: None }
    }
}

impl History<'_> {
    /// Held and taken, all of what is due.
    pub(crate) fn paid(self, instrument: &Instrument) -> Result<Self> {
        self.held_on(instrument)?.captured()
    }

    /// Held, all of what is due.
    pub(crate) fn held_on(self, instrument: &Instrument) -> Result<Self> {
        self.opened(instrument)?.authorized(Reply::Done)
    }

    /// A payment for what no payment covers yet; nothing is held.
    pub(crate) fn opened(self, instrument: &Instrument) -> Result<Self> {
        let covered: i64 = self
            .payments
            .iter()
            .filter(|payment| !matches!(payment.status, PaymentState::Failed | PaymentState::Voided))
            .map(|payment| payment.amount_minor)
            .sum();
        let due = self.order.total_minor - covered;
        self.opened_for(instrument, due)
    }

    pub(crate) fn opened_for(mut self, instrument: &Instrument, amount_minor: i64) -> Result<Self> {
        ensure!(amount_minor > 0, "nothing is due on order {}", self.order.id);
        let id = self.id(PaymentId::new);
        self.payments.push(payments::Model {
            id,
            order_id: self.order.id,
            instrument: instrument.kind,
            payment_method_id: instrument.payment_method_id,
            gift_card_id: instrument.gift_card_id,
            token: instrument.token.clone(),
            replaces_payment_id: None,
            amount_minor,
            authorized_minor: 0,
            captured_minor: 0,
            refunded_minor: 0,
            currency: self.order.currency,
            status: PaymentState::Created,
            charge_id: None,
            decline_code: None,
            created_at: self.at,
            updated_at: self.at,
            version: 1,
        });
        self.tell("payment.created", id, json!({ "amount_minor": amount_minor }));
        self.refresh();
        self.pass_minutes(1);
        Ok(self)
    }

    /// Asks for a hold on the last payment.
    pub(crate) fn authorized(mut self, reply: Reply) -> Result<Self> {
        let amount = self.payment()?.amount_minor;
        self.moves(PaymentEvent::AuthorizeSent)?;
        if let Some(purse) = self.purse()? {
            self.ground.hold(purse, amount)?;
            self.moves(PaymentEvent::Authorized)?;
            self.payment()?.authorized_minor = amount;
            return self.money_moved("payment.authorized", amount);
        }
        let (at, charge) = (self.at, self.ground.draw.gateway_id(self.at, "ch"));
        let payment = self.payment()?;
        let (reference, currency, token) =
            (payment.id.to_string(), payment.currency.to_string(), payment.token.clone().unwrap_or_default());
        let effect = Effect::Authorized {
            payment: charge.clone(),
            requested_minor: amount,
            amount_minor: amount,
            currency,
            instrument: on_the_wire(&token)?,
            reference,
        };
        let attempt = self.attempt(AttemptKind::Authorize, amount, None, reply)?;
        self.at_the_gateway(attempt, reply, effect, Some(charge.clone()));
        match reply {
            Reply::Done => {
                self.moves(PaymentEvent::Authorized)?;
                let payment = self.payment()?;
                payment.authorized_minor = amount;
                payment.charge_id = Some(charge);
            }
            Reply::Refused(code) => {
                let needs_action = code == NEEDS_ACTION;
                self.moves(if needs_action {
                    PaymentEvent::ActionRequired
                } else {
                    PaymentEvent::AuthorizeFailed
                })?;
                self.payment()?.decline_code = Some(code.to_owned());
            }
            Reply::LostAfter | Reply::LostBefore => self.moves(PaymentEvent::OutcomeLost)?,
            Reply::Waiting => {}
        }
        self.payment()?.updated_at = at;
        self.settled();
        Ok(self)
    }

    /// Takes all that is held.
    pub(crate) fn captured(self) -> Result<Self> {
        self.capture_sent(Reply::Done)
    }

    /// Asks for all that is held.
    pub(crate) fn capture_sent(mut self, reply: Reply) -> Result<Self> {
        let payment = self.payment()?;
        let left = payment.authorized_minor - payment.captured_minor;
        self.captured_part(left, reply)
    }

    pub(crate) fn captured_part(mut self, amount: i64, reply: Reply) -> Result<Self> {
        self.moves(PaymentEvent::CaptureSent)?;
        let payment = self.payment()?;
        let charge = payment.charge_id.clone();
        let rest = payment.authorized_minor - payment.captured_minor - amount;
        ensure!(amount > 0 && rest >= 0, "{amount} is not held");
        let done = if rest == 0 { PaymentEvent::Captured } else { PaymentEvent::PartlyCaptured };
        if let Some(purse) = self.purse()? {
            self.ground.hold(purse, -amount)?;
            self.ground.change(self.at, purse, -amount, "payment", Some(self.order.id))?;
            self.moves(done)?;
            self.book_capture(amount)?;
            return self.money_moved("payment.captured", amount);
        }
        let payment = charge.context("a capture without a charge")?;
        let attempt = self.attempt(AttemptKind::Capture, amount, None, reply)?;
        let effect = Effect::Captured { payment: payment.clone(), amount_minor: amount };
        self.at_the_gateway(attempt, reply, effect, Some(payment));
        match reply {
            Reply::Done => {
                self.moves(done)?;
                self.book_capture(amount)?;
            }
            Reply::Refused(_) => self.moves(PaymentEvent::CaptureFailed)?,
            Reply::LostAfter | Reply::LostBefore => self.moves(PaymentEvent::OutcomeLost)?,
            Reply::Waiting => {}
        }
        self.settled();
        Ok(self)
    }

    /// Releases what is held, or closes a payment on which nothing is.
    pub(crate) fn voided(mut self, reply: Reply) -> Result<Self> {
        let payment = self.payment()?.clone();
        let held = payment.authorized_minor - payment.captured_minor;
        if let (Some(purse), PaymentState::Authorized) = (self.purse()?, payment.status) {
            self.ground.hold(purse, -held)?;
        }
        let Some(charge) = payment.charge_id.filter(|_| payment.status == PaymentState::Authorized) else {
            self.moves(PaymentEvent::Voided)?;
            return self.money_moved("payment.voided", held);
        };
        let attempt = self.attempt(AttemptKind::Void, payment.authorized_minor, None, reply)?;
        let effect = Effect::Voided { payment: charge.clone(), amount_minor: payment.authorized_minor };
        self.at_the_gateway(attempt, reply, effect, Some(charge));
        match reply {
            Reply::Done => self.moves(PaymentEvent::Voided)?,
            Reply::LostAfter | Reply::LostBefore => self.moves(PaymentEvent::OutcomeLost)?,
            Reply::Refused(_) | Reply::Waiting => {}
        }
        self.settled();
        Ok(self)
    }

    pub(crate) fn has_unknown_payment(&self) -> bool {
        self.payments.iter().any(|payment| payment.status == PaymentState::Unknown)
    }

    pub(crate) fn total_minor(&self) -> i64 {
        self.order.total_minor
    }

    fn book_capture(&mut self, amount: i64) -> Result<()> {
        let payment = self.payment()?;
        payment.captured_minor += amount;
        let (tender, id) = (Tender::from(payment.instrument), payment.id);
        let refs = Refs { payment_id: Some(id), ..self.refs() };
        self.post(&ledger::captured(tender, amount)?, refs, "captured")
    }

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
                Reply::Done | Reply::LostAfter | Reply::LostBefore | Reply::Waiting => None,
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
            Reply::LostBefore | Reply::Waiting => {}
        }
    }

    /// The last payment.
    pub(super) fn payment(&mut self) -> Result<&mut payments::Model> {
        self.payments.last_mut().context("a history of money begins with a payment")
    }

    /// The shop's own value that the last payment draws on; none when it goes through the gateway.
    pub(super) fn purse(&mut self) -> Result<Option<Purse>> {
        let owner = (self.order.customer_id, self.order.currency);
        let payment = self.payment()?;
        match (payment.instrument, payment.gift_card_id, owner) {
            (InstrumentKind::Card | InstrumentKind::Paypal, _, _) => Ok(None),
            (InstrumentKind::GiftCard, Some(card), _) => Ok(Some(Purse::Card(card))),
            (InstrumentKind::StoreCredit, _, (Some(customer), currency)) => {
                Ok(Some(Purse::Credit(customer, currency)))
            }
            (InstrumentKind::GiftCard | InstrumentKind::StoreCredit, _, _) => bail!("nothing to pay from"),
        }
    }

    fn moves(&mut self, event: PaymentEvent) -> Result<()> {
        let at = self.at;
        let payment = self.payment()?;
        payment.status = payment.status.after(event)?;
        payment.updated_at = at;
        payment.version += 1;
        Ok(())
    }

    fn money_moved(mut self, kind: &str, amount_minor: i64) -> Result<Self> {
        let id = self.payment()?.id;
        self.tell(kind, id, json!({ "amount_minor": amount_minor }));
        self.settled();
        Ok(self)
    }

    pub(super) fn settled(&mut self) {
        self.refresh();
        self.pass_minutes(1);
    }
}

/// The instrument behind a test token, as the gateway writes it down.
fn on_the_wire(token: &str) -> Result<wire::Instrument> {
    let (brand, last4) = match token {
        "tok_visa" => ("visa", "4242"),
        "tok_mastercard" => ("mastercard", "4444"),
        "tok_amex" => ("amex", "0005"),
        "tok_paypal" => ("paypal", ""),
        "tok_insufficient_funds" => ("visa", "9995"),
        "tok_3ds_required" => ("visa", "3184"),
        other => bail!("no history pays with {other}"),
    };
    Ok(wire::Instrument { token: token.to_owned(), brand: brand.to_owned(), last4: last4.to_owned() })
}

/// A code in words.
fn words(code: &str) -> String {
    code.replace('_', " ")
}
