//! Exchanges: one unit back, another variant out.

use anyhow::{Context, Result};
use chrono::TimeDelta;
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::exchanges::ExchangeEvent;
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::{ExchangeId, ReservationId};
use shop_domain::reasons::ReturnReason;
use shop_domain::returns::ReturnEvent;
use shop_domain::status::{ExchangeStatus, ReservationStatus};
use shop_store::columns::{ExchangeLine, ExchangeLines, Line};
use shop_store::entities::{exchanges, reservations, variants};

use super::History;

impl History<'_> {
    /// The customer asks to swap a delivered line for another variant, whose stock is held.
    pub(crate) fn exchange_requested(mut self, line: usize, to: &variants::Model) -> Result<Self> {
        self.at += TimeDelta::hours(26);
        let reason = ReturnReason::WrongSize;
        let id = self.id(ExchangeId::new);
        let return_id =
            self.ask_for_return(AfterSalesOperation::RequestExchange, &[line], reason, Some(id))?;
        let row = self.lines.get(line).context("a line the order does not have")?;
        let swap = ExchangeLine {
            line_id: row.id,
            old_variant_id: row.variant_id,
            variant_id: to.id,
            quantity: row.delivered_quantity,
            old_price_minor: row.unit_price_minor,
            old_discount_minor: row.discount_minor,
            old_tax_minor: row.tax_minor,
            new_price_minor: to.price_minor,
        };
        let difference_minor = (swap.new_price_minor - swap.old_price_minor) * swap.quantity;
        self.reservations.push(reservations::Model {
            id: self.id(ReservationId::new),
            variant_id: to.id,
            location_id: self.site.location_id,
            quantity: swap.quantity,
            holder: id.to_string(),
            status: ReservationStatus::Active,
            expires_at: None,
            created_at: self.at,
        });
        self.exchanges.push(exchanges::Model {
            id,
            order_id: self.order.id,
            return_id: Some(return_id),
            fulfillment_id: None,
            status: ExchangeStatus::Requested,
            reason,
            lines: ExchangeLines(vec![swap]),
            difference_minor,
            currency: self.order.currency,
            settle_method_id: None,
            settle_gift_card_id: None,
            approval_id: None,
            created_at: self.at,
            updated_at: self.at,
            version: 1,
        });
        self.tell("exchange.requested", id, json!({ "difference_minor": difference_minor }));
        self.settled();
        Ok(self)
    }

    pub(crate) fn exchange_approved(mut self) -> Result<Self> {
        self.exchange_moves(ExchangeEvent::Approved)?;
        self.return_moves(ReturnEvent::Approved)?;
        Ok(self)
    }

    pub(crate) fn exchange_awaits_return(mut self) -> Result<Self> {
        self.exchange_moves(ExchangeEvent::ReturnAwaited)?;
        Ok(self)
    }

    /// The old goods are back, and the new ones leave.
    pub(crate) fn exchange_shipped(self) -> Result<Self> {
        let mut history = self.return_sent()?.return_received()?.return_inspected()?;
        let exchange = history.exchange()?;
        let id = exchange.id;
        let swaps = exchange.lines.0.iter();
        let units =
            swaps.map(|swap| Line { line_id: swap.line_id, quantity: swap.quantity, amount_minor: 0 });
        let units = units.collect();
        let parcel = history.pack(FulfillmentPurpose::Exchange, Some(id), units);
        history.exchange()?.fulfillment_id = Some(parcel);
        let mut history = history.labelled()?.shipped()?;
        history.release_hold(id, ReservationStatus::Consumed);
        history.exchange_moves(ExchangeEvent::Shipped)?;
        Ok(history)
    }

    pub(crate) fn exchange_completed(self) -> Result<Self> {
        let mut history = self.delivered()?;
        history.exchange_moves(ExchangeEvent::Completed)?;
        Ok(history)
    }

    /// Called off before anything moved: the customer keeps what they have.
    pub(crate) fn exchange_cancelled(mut self) -> Result<Self> {
        self.exchange_moves(ExchangeEvent::Cancelled)?;
        let id = self.exchange()?.id;
        self.release_hold(id, ReservationStatus::Released);
        self.return_moves(ReturnEvent::Cancelled)?;
        self.keep_the_goods()?;
        Ok(self)
    }

    fn release_hold(&mut self, holder: ExchangeId, status: ReservationStatus) {
        let holder = holder.to_string();
        for held in self.reservations.iter_mut().filter(|row| row.holder == holder) {
            held.status = status;
        }
    }

    /// The last exchange.
    fn exchange(&mut self) -> Result<&mut exchanges::Model> {
        self.exchanges.last_mut().context("no exchange was requested")
    }

    fn exchange_moves(&mut self, event: ExchangeEvent) -> Result<()> {
        self.pass_minutes(40);
        let at = self.at;
        let row = self.exchange()?;
        row.status = row.status.after(event)?;
        row.updated_at = at;
        row.version += 1;
        let (id, kind) = (row.id, format!("exchange.{}", row.status));
        self.tell(kind, id, json!({}));
        self.settled();
        Ok(())
    }
}
