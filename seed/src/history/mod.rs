//! One order from its placing to its end, told step by step: `History::placed(…)?.paid(&visa)?.sent()?.end()`.
//!
//! Every step asks the shop's own rules — status machines, the legality table, risk, ledger postings — so a history
//! that the shop could not have produced is an error. Time goes on with every step.

mod after_sales;
mod approvals;
mod attempts;
mod disputes;
mod exchanges;
mod goods;
mod money;
mod order_edits;
mod payment_links;
mod place;
mod refresh;
mod refunds;
mod returns;

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::ids::{CartId, LocationId, OrderId, PrincipalId};
use shop_domain::ledger::{self, Posting, Sale};
use shop_domain::orders::OrderEvent;
use shop_domain::reasons::CancelReason;
use shop_domain::status::ReservationStatus;
use shop_store::entities::{
    approvals as approval_rows, attempts as attempt_rows, disputes as dispute_rows,
    exchanges as exchange_rows, fulfillments, order_edits as edit_rows, order_lines, orders,
    payment_links as link_rows, payments, refunds as refund_rows, reservations, returns as return_rows,
    shipping_methods, stores, tax_rates,
};

pub(crate) use approvals::Ending;
pub(crate) use attempts::Reply;
pub(crate) use money::Instrument;
pub(crate) use place::{Basket, Item};
#[cfg(test)]
pub(crate) use refresh::is_lost;
pub(crate) use refunds::Back;

use crate::books::Refs;
use crate::ground::Ground;

/// A store with what selling there needs.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) store: stores::Model,
    pub(crate) location_id: LocationId,
    pub(crate) methods: Vec<shipping_methods::Model>,
    pub(crate) tax_rates: Vec<tax_rates::Model>,
    /// Who asks for approvals here, and who decides them.
    pub(crate) requester: Staff,
    pub(crate) decider: Staff,
}

/// A member of staff.
#[derive(Clone)]
pub(crate) struct Staff {
    pub(crate) id: PrincipalId,
    pub(crate) name: String,
}

/// An order under way.
pub(crate) struct History<'g> {
    ground: &'g mut Ground,
    site: Site,
    at: DateTime<Utc>,
    sale: Sale,
    order: orders::Model,
    lines: Vec<order_lines::Model>,
    reservations: Vec<reservations::Model>,
    payments: Vec<payments::Model>,
    attempts: Vec<attempt_rows::Model>,
    refunds: Vec<refund_rows::Model>,
    parcels: Vec<fulfillments::Model>,
    returns: Vec<return_rows::Model>,
    exchanges: Vec<exchange_rows::Model>,
    approvals: Vec<approval_rows::Model>,
    edits: Vec<edit_rows::Model>,
    links: Vec<link_rows::Model>,
    disputes: Vec<dispute_rows::Model>,
}

impl History<'_> {
    pub(crate) fn wait_hours(mut self, hours: i64) -> Self {
        self.at += TimeDelta::hours(hours);
        self
    }

    /// Nothing more happens until shortly before the present.
    pub(crate) fn until_hours_before_now(mut self, hours: i64) -> Self {
        self.at = self.ground.now - TimeDelta::hours(hours);
        self
    }

    pub(crate) fn wait_days(self, days: i64) -> Self {
        self.wait_hours(24 * days)
    }

    /// The human number; without one the order is numbered when all are told.
    pub(crate) fn numbered(mut self, number: i64) -> Self {
        self.order.number = number;
        self
    }

    /// The name it had where it was imported from.
    pub(crate) fn known_as(mut self, external_id: &str) -> Self {
        self.order.external_id = Some(external_id.to_owned());
        self
    }

    /// The cart that it was before.
    pub(crate) fn was_cart(mut self, id: CartId) -> Self {
        self.order.cart_id = Some(id);
        self
    }

    /// Staff accept a draft: from now on the customer owes its total.
    pub(crate) fn accepted(mut self) -> Result<Self> {
        self.owe()?;
        self.hold_stock();
        self.goes(OrderEvent::Confirmed, "order.confirmed", json!({}))?;
        Ok(self)
    }

    /// Fulfillment is paused for a check.
    pub(crate) fn held(mut self) -> Result<Self> {
        self.goes(OrderEvent::Held, "order.held", json!({ "reason": "address looks wrong" }))?;
        Ok(self)
    }

    /// The check found nothing.
    pub(crate) fn released(mut self) -> Result<Self> {
        self.goes(OrderEvent::Released, "order.released", json!({}))?;
        Ok(self)
    }

    /// Nothing is owed any more, and what was paid is owed back. Only imported orders lack a reason.
    pub(crate) fn cancelled(mut self, reason: Option<CancelReason>) -> Result<Self> {
        self.must_be_legal(AfterSalesOperation::CancelOrder)?;
        self.order.cancel_reason = reason.map(|reason| reason.to_string());
        self.order.cancelled_at = Some(self.at);
        for line in &mut self.lines {
            line.cancelled_quantity = line.quantity;
            line.allocated_quantity = 0;
        }
        self.end_holds(self.order.id, ReservationStatus::Released);
        self.cancel_parcels()?;
        let postings = ledger::order_cancelled(&self.sale)?;
        self.post(&postings, self.refs(), "cancelled")?;
        self.goes(OrderEvent::Cancelled, "order.cancelled", json!({ "reason": reason }))?;
        Ok(self)
    }

    /// Ends the telling: everything becomes rows.
    pub(crate) fn end(mut self) -> Result<OrderId> {
        ensure!(
            self.order.updated_at <= self.ground.now,
            "the history of order {} runs into the future",
            self.order.id
        );
        self.must_be_up_to_date()?;
        self.keep_stock()?;
        let (id, rows) = (self.order.id, &mut self.ground.rows);
        rows.orders.push(self.order);
        rows.order_lines.extend(self.lines);
        rows.reservations.extend(self.reservations);
        rows.payments.extend(self.payments);
        rows.attempts.extend(self.attempts);
        rows.refunds.extend(self.refunds);
        rows.fulfillments.extend(self.parcels);
        rows.returns.extend(self.returns);
        rows.exchanges.extend(self.exchanges);
        rows.approvals.extend(self.approvals);
        rows.order_edits.extend(self.edits);
        rows.payment_links.extend(self.links);
        rows.disputes.extend(self.disputes);
        Ok(id)
    }

    /// What is still held is on the shelf, on top of what the catalogue says is free.
    fn keep_stock(&mut self) -> Result<()> {
        for held in self.reservations.iter().filter(|row| row.status == ReservationStatus::Active) {
            let levels = &mut self.ground.rows.inventory_levels;
            let level = levels
                .iter_mut()
                .find(|row| row.variant_id == held.variant_id && row.location_id == held.location_id)
                .context("a reservation of what is not stocked")?;
            level.on_hand += held.quantity;
            level.reserved += held.quantity;
        }
        Ok(())
    }

    /// One commercial event, and what follows from it.
    fn goes(&mut self, event: OrderEvent, kind: &str, data: Value) -> Result<()> {
        self.order.status = self.order.status.after(event)?;
        self.tell(kind, self.order.id, data);
        self.refresh();
        self.pass_minutes(5);
        Ok(())
    }

    fn owe(&mut self) -> Result<()> {
        let postings = ledger::order_placed(&self.sale)?;
        self.post(&postings, self.refs(), "placed")
    }

    fn refs(&self) -> Refs {
        Refs { order_id: Some(self.order.id), ..Refs::of(self.order.currency) }
    }

    fn post(&mut self, postings: &[Posting], refs: Refs, memo: &str) -> Result<()> {
        self.ground.books.post(&self.ground.draw, self.at, postings, refs, memo)
    }

    fn tell(&mut self, kind: impl Into<String>, subject: impl ToString, data: Value) {
        let order = Some(self.order.id);
        self.ground.books.event(&self.ground.draw, self.at, kind, subject, order, data);
    }

    fn id<I>(&self, new: impl FnOnce(ulid::Ulid) -> I) -> I {
        self.ground.draw.id(self.at, new)
    }

    fn pass_minutes(&mut self, minutes: i64) {
        self.at += TimeDelta::minutes(minutes);
    }
}
