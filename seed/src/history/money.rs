//! Payments: opened, held, taken, released — and the ways in which a gateway's answer gets lost.

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use shop_domain::ids::{GiftCardId, PaymentId, PaymentMethodId};
use shop_domain::ledger;
use shop_domain::payments::{PaymentEvent, Tender};
use shop_domain::status::{AttemptKind, InstrumentKind, PaymentState};
use shop_gateway::wire::ledger::Effect;
use shop_store::entities::{payment_methods, payments};

use super::attempts::on_the_wire;
use super::{History, Reply};
use crate::books::Refs;
use crate::value::Purse;

/// What the gateway answers when the money waits for the customer's bank.
const NEEDS_ACTION: &str = "authentication_required";

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
        let due = self.due();
        self.opened_for(instrument, due)
    }

    /// What no payment covers yet.
    pub(super) fn due(&self) -> i64 {
        let covers = |payment: &&payments::Model| {
            !matches!(payment.status, PaymentState::Failed | PaymentState::Voided)
        };
        let covered: i64 = self.payments.iter().filter(covers).map(|payment| payment.amount_minor).sum();
        self.order.total_minor - covered
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
            Reply::NotSent => self.moves(PaymentEvent::AuthorizeNotSent)?,
            Reply::Fenced => self.moves(PaymentEvent::AuthorizeFailed)?,
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
            Reply::Refused(_) | Reply::NotSent | Reply::Fenced => self.moves(PaymentEvent::CaptureFailed)?,
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
            Reply::Refused(_) | Reply::NotSent | Reply::Fenced => self.moves(PaymentEvent::VoidFailed)?,
            Reply::Waiting => {}
        }
        self.settled();
        Ok(self)
    }

    /// All of what is due was handed over where no gateway sees it.
    pub(crate) fn paid_offline(self, kind: InstrumentKind) -> Result<Self> {
        let nobodys = Instrument { kind, payment_method_id: None, gift_card_id: None, token: None };
        let mut order = self.opened(&nobodys)?;
        order.moves(PaymentEvent::PaidOffline)?;
        let payment = order.payment()?;
        let amount = payment.amount_minor;
        payment.authorized_minor = amount;
        order.book_capture(amount)?;
        order.money_moved("payment.paid_offline", amount)
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

    /// The last payment.
    pub(super) fn payment(&mut self) -> Result<&mut payments::Model> {
        self.payments.last_mut().context("a history of money begins with a payment")
    }

    /// The shop's own value that the last payment draws on; none when it goes through the gateway.
    pub(super) fn purse(&mut self) -> Result<Option<Purse>> {
        let owner = (self.order.customer_id, self.order.currency);
        let payment = self.payment()?;
        match (payment.instrument, payment.gift_card_id, owner) {
            (InstrumentKind::Card | InstrumentKind::Paypal, _, _)
            | (InstrumentKind::Cash | InstrumentKind::BankTransfer, _, _) => Ok(None),
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
