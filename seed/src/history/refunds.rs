//! Refunds: decided, sent, and what came of them.

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use shop_domain::ids::{GiftCardId, RefundId};
use shop_domain::ledger::{self, RefundParts, Sale};
use shop_domain::money::scale;
use shop_domain::payments::Tender;
use shop_domain::reasons::RefundReason;
use shop_domain::refunds::{RefundEvent, may_refund};
use shop_domain::status::{
    AttemptKind, InstrumentKind, RefundDestination, RefundKind, RefundStatus, ReservationStatus,
};
use shop_domain::totals::{LineTotals, PaidLine, refundable_units};
use shop_gateway::wire::ledger::Effect;
use shop_store::columns::{Line, Lines};
use shop_store::entities::{order_lines, refunds};

use super::{History, Reply};
use crate::books::Refs;
use crate::value::Purse;

/// What goes back, why, and where to.
#[derive(Clone, Debug)]
pub(crate) struct Back {
    pub(crate) kind: RefundKind,
    pub(crate) reason: RefundReason,
    pub(crate) to: RefundDestination,
    /// Positions of lines, all of whose units that the kind is about are paid back.
    pub(crate) lines: Vec<usize>,
    /// The customer's card, where it goes to one.
    pub(crate) card: Option<GiftCardId>,
    /// What is not the worth of units: how much lower a price is, else the part that is shipping.
    pub(crate) minor: i64,
}

impl Back {
    fn new(kind: RefundKind, reason: RefundReason) -> Self {
        Self { kind, reason, to: RefundDestination::OriginalMethod, lines: Vec::new(), card: None, minor: 0 }
    }

    /// Units that have not left, and never will.
    pub(crate) fn unshipped(lines: &[usize]) -> Self {
        Self { lines: lines.to_vec(), ..Self::new(RefundKind::Unshipped, RefundReason::Cancelled) }
    }

    /// Units that the customer keeps or never got.
    pub(crate) fn kept(lines: &[usize], reason: RefundReason) -> Self {
        Self { lines: lines.to_vec(), ..Self::new(RefundKind::NoReturn, reason) }
    }

    /// Units that came back.
    pub(crate) fn returned(lines: &[usize]) -> Self {
        Self { lines: lines.to_vec(), ..Self::new(RefundKind::Returned, RefundReason::Goodwill) }
    }

    /// Shipping, or the part of it that a slower method would not have cost.
    pub(crate) fn shipping(kind: RefundKind, minor: i64) -> Self {
        Self { minor, ..Self::new(kind, RefundReason::SlowerShipping) }
    }

    /// What a line would cost less now.
    pub(crate) fn price_drop(line: usize, minor: i64) -> Self {
        Self { lines: vec![line], minor, ..Self::new(RefundKind::PriceAdjustment, RefundReason::PriceDrop) }
    }

    pub(crate) fn with_shipping(self, minor: i64) -> Self {
        Self { minor, ..self }
    }

    pub(crate) fn into_store_credit(self) -> Self {
        Self { to: RefundDestination::StoreCredit, ..self }
    }

    pub(crate) fn onto_card(self, card: GiftCardId) -> Self {
        Self { to: RefundDestination::GiftCard, card: Some(card), ..self }
    }
}

impl History<'_> {
    /// Decided, sent and paid.
    pub(crate) fn refunded(self, back: Back) -> Result<Self> {
        self.refund_decided(back)?.refund_sent(Reply::Done)
    }

    /// Decided: it is owed, and claimed by no other refund.
    pub(crate) fn refund_decided(mut self, back: Back) -> Result<Self> {
        self.pass_minutes(30);
        let lines = self.lines_of(&back)?;
        let shipping_minor = if back.kind == RefundKind::PriceAdjustment { 0 } else { back.minor };
        let amount_minor = lines.iter().map(|line| line.amount_minor).sum::<i64>() + shipping_minor;
        let captured: i64 = self.payments.iter().map(|payment| payment.captured_minor).sum();
        let claims = self.refunds.iter().filter(|refund| refund.status.claims_its_amount());
        may_refund(captured, claims.map(|refund| refund.amount_minor).sum(), amount_minor)?;
        let input = json!({ "lines": lines, "shipping_minor": shipping_minor, "reason": back.reason });
        let approval_id = self.permit(back.kind.operation(), &back.lines, amount_minor, input)?;
        let parts = self.parts(back.kind, &lines, shipping_minor)?;
        let return_id = match back.kind {
            RefundKind::Returned => Some(self.returning()?.id),
            RefundKind::Unshipped
            | RefundKind::NoReturn
            | RefundKind::ShippingFee
            | RefundKind::ShippingDifference
            | RefundKind::PriceAdjustment => None,
        };
        self.claim(&back, &lines, shipping_minor);
        let id = self.id(RefundId::new);
        let payment = self.payment()?;
        ensure!(payment.captured_minor >= amount_minor, "a refund of a history is of its last payment");
        let (payment_id, gift_card_id) = (payment.id, payment.gift_card_id);
        self.refunds.push(refunds::Model {
            id,
            batch_id: id,
            order_id: self.order.id,
            payment_id: Some(payment_id),
            return_id,
            kind: back.kind,
            destination: back.to,
            gift_card_id: back.card.or(gift_card_id.filter(|_| back.to == RefundDestination::OriginalMethod)),
            amount_minor,
            currency: self.order.currency,
            lines: Lines(lines),
            shipping_minor,
            reason: self.reason(&back),
            status: RefundStatus::Pending,
            gateway_ref: None,
            approval_id,
            requested_by: self.site.requester.id.to_string(),
            created_at: self.at,
            updated_at: self.at,
            version: 1,
        });
        let refs = Refs { payment_id: Some(payment_id), refund_id: Some(id), ..self.refs() };
        self.post(&ledger::refund_committed(&parts)?, refs, "refund_decided")?;
        let data = json!({ "kind": back.kind, "amount_minor": amount_minor, "destination": back.to });
        self.tell("refund.decided", id, data);
        self.follow_up(&back)?;
        self.settled();
        Ok(self)
    }

    /// Sends the last refund the way it travels.
    pub(crate) fn refund_sent(mut self, reply: Reply) -> Result<Self> {
        let refund = self.refund()?.clone();
        if let Some(purse) = self.refund_purse(&refund)? {
            self.ground.change(self.at, purse, refund.amount_minor, "refund", Some(self.order.id))?;
            self.pay_back(&refund, None)?;
            self.tell("refund.succeeded", refund.id, json!({ "amount_minor": refund.amount_minor }));
            self.settled();
            return Ok(self);
        }
        self.refund_moves(RefundEvent::Sent)?;
        let charge = self.payment()?.charge_id.clone().context("a refund without a charge")?;
        let found = self.ground.draw.gateway_id(self.at, "re");
        let attempt = self.attempt(AttemptKind::Refund, refund.amount_minor, Some(refund.id), reply)?;
        let effect = Effect::Refunded {
            payment: charge,
            refund: found.clone(),
            amount_minor: refund.amount_minor,
            reference: refund.id.to_string(),
            settles: None,
        };
        self.at_the_gateway(attempt, reply, effect, Some(found.clone()));
        match reply {
            Reply::Done => self.pay_back(&refund, Some(found))?,
            Reply::Refused(_) | Reply::Fenced => self.refund_moves(RefundEvent::Failed)?,
            Reply::NotSent => self.refund_moves(RefundEvent::NotSent)?,
            Reply::LostAfter | Reply::LostBefore => self.refund_moves(RefundEvent::OutcomeLost)?,
            Reply::Waiting => {}
        }
        self.settled();
        Ok(self)
    }

    /// Gives the last refund up before it was paid.
    pub(crate) fn refund_cancelled(mut self) -> Result<Self> {
        self.refund_moves(RefundEvent::Cancelled)?;
        let refund = self.refund()?.clone();
        let parts = self.parts(refund.kind, &refund.lines.0, refund.shipping_minor)?;
        let refs = Refs { payment_id: refund.payment_id, refund_id: Some(refund.id), ..self.refs() };
        self.post(&ledger::refund_cancelled(&parts)?, refs, "refund_cancelled")?;
        for line in &refund.lines.0 {
            if let Some(row) = self.lines.iter_mut().find(|row| row.id == line.line_id) {
                row.refunded_quantity -= line.quantity;
                row.refunded_minor -= line.amount_minor;
            }
        }
        self.order.shipping_refunded_minor -= refund.shipping_minor;
        if refund.kind == RefundKind::PriceAdjustment {
            self.order.adjusted_minor -= refund.amount_minor;
        }
        self.tell("refund.cancelled", refund.id, json!({}));
        self.settled();
        Ok(self)
    }

    /// The whole shipping fee goes back, where there was one.
    pub(crate) fn shipping_refunded(self) -> Result<Self> {
        match self.shipping_total() {
            0 => Ok(self),
            minor => self.refunded(Back::shipping(RefundKind::ShippingFee, minor)),
        }
    }

    /// The shipping part of an order that a full refund of it gives back, tax included.
    pub(crate) fn shipping_total(&self) -> i64 {
        self.order.shipping_minor + self.order.shipping_tax_minor
    }

    /// What a line came to.
    pub(crate) fn line_total(&self, line: usize) -> i64 {
        self.lines.get(line).map_or(0, |line| line.total_minor)
    }

    fn lines_of(&self, back: &Back) -> Result<Vec<Line>> {
        let mut lines = Vec::with_capacity(back.lines.len());
        for &position in &back.lines {
            let row = self.lines.get(position).context("a line the order does not have")?;
            let (quantity, amount_minor) = match back.kind {
                RefundKind::Unshipped => {
                    let units = row.quantity - row.shipped_quantity - row.refunded_quantity;
                    (units, worth(row, units)?)
                }
                RefundKind::NoReturn => {
                    let units = row.shipped_quantity - row.refunded_quantity;
                    (units, worth(row, units)?)
                }
                RefundKind::Returned => {
                    let units = row.received_quantity - row.refunded_quantity;
                    (units, worth(row, units)?)
                }
                RefundKind::PriceAdjustment => (0, back.minor),
                RefundKind::ShippingFee | RefundKind::ShippingDifference => bail!("shipping has no lines"),
            };
            lines.push(Line { line_id: row.id, quantity, amount_minor });
        }
        Ok(lines)
    }

    /// By what a refund takes back: what is out of the sale is owed to the customer already.
    fn parts(&self, kind: RefundKind, lines: &[Line], shipping_minor: i64) -> Result<RefundParts> {
        let total: i64 = lines.iter().map(|line| line.amount_minor).sum::<i64>() + shipping_minor;
        if kind == RefundKind::Unshipped {
            return Ok(RefundParts { overpaid_minor: total, ..RefundParts::default() });
        }
        let mut tax_minor = within(shipping_minor, self.order.shipping_tax_minor, self.shipping_total())?;
        let shipping_net = shipping_minor - tax_minor;
        for line in lines {
            let row = self.lines.iter().find(|row| row.id == line.line_id).context("a refund of no line")?;
            tax_minor += within(line.amount_minor, row.tax_minor, row.total_minor)?;
        }
        let goods_minor = total - shipping_net - tax_minor;
        Ok(RefundParts { overpaid_minor: 0, goods_minor, shipping_minor: shipping_net, tax_minor })
    }

    /// Units and money that no other refund may claim from here on.
    fn claim(&mut self, back: &Back, lines: &[Line], shipping_minor: i64) {
        for line in lines {
            if let Some(row) = self.lines.iter_mut().find(|row| row.id == line.line_id) {
                row.refunded_quantity += line.quantity;
                row.refunded_minor += line.amount_minor;
            }
        }
        self.order.shipping_refunded_minor += shipping_minor;
        if back.kind == RefundKind::PriceAdjustment {
            self.order.adjusted_minor += lines.iter().map(|line| line.amount_minor).sum::<i64>();
        }
    }

    /// What the decision changes besides money: units leave the order, or their return is paid for.
    fn follow_up(&mut self, back: &Back) -> Result<()> {
        let lines = self.refund()?.lines.0.clone();
        match back.kind {
            RefundKind::Unshipped if self.order.cancelled_at.is_none() => self.drop_units(&lines),
            RefundKind::Returned => self.return_refunded(&lines),
            RefundKind::Unshipped
            | RefundKind::NoReturn
            | RefundKind::ShippingFee
            | RefundKind::ShippingDifference
            | RefundKind::PriceAdjustment => Ok(()),
        }
    }

    /// Takes units that have not shipped out of an order that goes on.
    fn drop_units(&mut self, dropped: &[Line]) -> Result<()> {
        for line in dropped {
            let row = self.lines.iter_mut().find(|row| row.id == line.line_id);
            let row = row.context("a refund of no line")?;
            row.cancelled_quantity += line.quantity;
            let (variant_id, tax_minor) =
                (row.variant_id, within(line.amount_minor, row.tax_minor, row.total_minor)?);
            let of_line = self.reservations.iter_mut().filter(|held| held.variant_id == variant_id);
            of_line.for_each(|held| held.status = ReservationStatus::Released);
            let goods_minor = line.amount_minor - tax_minor;
            let sale = Sale { goods_minor, tax_minor, total_minor: line.amount_minor, ..Sale::default() };
            self.post(&ledger::order_cancelled(&sale)?, self.refs(), "units_cancelled")?;
            let data = json!({ "line_id": line.line_id, "quantity": line.quantity });
            self.tell("order.units_cancelled", self.order.id, data);
        }
        ensure!(
            self.lines.iter().any(|row| row.cancelled_quantity < row.quantity),
            "an order of which nothing is left is cancelled"
        );
        Ok(())
    }

    /// A return says itself why it is paid for.
    fn reason(&self, back: &Back) -> String {
        let returned = self.returns.last().filter(|_| back.kind == RefundKind::Returned);
        returned.map_or_else(|| back.reason.to_string(), |row| row.reason.to_string())
    }

    fn pay_back(&mut self, refund: &refunds::Model, found: Option<String>) -> Result<()> {
        self.refund_moves(RefundEvent::Succeeded)?;
        self.refund()?.gateway_ref = found;
        let at = self.at;
        let payment = self.payment()?;
        let tender = Tender::from(payment.instrument).refunded_to(refund.destination);
        if refund.destination == RefundDestination::OriginalMethod {
            payment.refunded_minor += refund.amount_minor;
            payment.updated_at = at;
            payment.version += 1;
        }
        let refs = Refs { payment_id: refund.payment_id, refund_id: Some(refund.id), ..self.refs() };
        self.post(&ledger::refund_succeeded(tender, refund.amount_minor)?, refs, "refunded")
    }

    /// Where a refund goes that needs no gateway.
    fn refund_purse(&mut self, refund: &refunds::Model) -> Result<Option<Purse>> {
        let instrument = self.payment()?.instrument;
        let credit = || self.order.customer_id.map(|customer| Purse::Credit(customer, self.order.currency));
        Ok(match (refund.destination, instrument) {
            (RefundDestination::StoreCredit, _)
            | (RefundDestination::OriginalMethod, InstrumentKind::StoreCredit) => credit(),
            (RefundDestination::GiftCard, _)
            | (RefundDestination::OriginalMethod, InstrumentKind::GiftCard) => {
                refund.gift_card_id.map(Purse::Card)
            }
            (
                RefundDestination::OriginalMethod,
                InstrumentKind::Card
                | InstrumentKind::Paypal
                | InstrumentKind::Cash
                | InstrumentKind::BankTransfer,
            ) => None,
        })
    }

    /// The last refund.
    fn refund(&mut self) -> Result<&mut refunds::Model> {
        self.refunds.last_mut().context("no refund was decided")
    }

    fn refund_moves(&mut self, event: RefundEvent) -> Result<()> {
        let at = self.at;
        let refund = self.refund()?;
        refund.status = refund.status.after(event)?;
        refund.updated_at = at;
        refund.version += 1;
        Ok(())
    }
}

/// What the next units of a line are worth.
fn worth(row: &order_lines::Model, units: i64) -> Result<i64> {
    let line = PaidLine {
        totals: LineTotals {
            subtotal_minor: row.unit_price_minor * row.quantity,
            discount_minor: row.discount_minor,
            tax_minor: row.tax_minor,
            total_minor: row.total_minor,
        },
        quantity: u32::try_from(row.quantity)?,
        refunded_quantity: u32::try_from(row.refunded_quantity)?,
        refunded_minor: row.refunded_minor,
    };
    Ok(refundable_units(&line, u32::try_from(units)?)?)
}

/// The share of `tax` in a part of a total.
fn within(part: i64, tax: i64, total: i64) -> Result<i64> {
    if total == 0 { Ok(0) } else { Ok(scale(part, tax, total)?) }
}
