//! Exchanges: one unit back, another variant out.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::exchanges::ExchangeEvent;
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::ExchangeId;
use shop_domain::reasons::ReturnReason;
use shop_domain::status::{ExchangeStatus, ReservationStatus};
use shop_store::columns::{ExchangeLine, ExchangeLines, Line};
use shop_store::entities::{exchanges, variants};

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
        self.reserve(to.id, swap.quantity, id);
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

    /// Accepted; where the store wants the old goods first, it waits for them.
    pub(crate) fn exchange_approved(mut self) -> Result<Self> {
        self.exchange_moves(ExchangeEvent::Approved)?;
        self.tell_exchange("approved")?;
        if self.site.store.policy.exchange_waits_for_return {
            self.exchange_moves(ExchangeEvent::ReturnAwaited)?;
        }
        self.return_approved()
    }

    /// The new goods leave: from here the line is one of them. It is over when the old ones are back.
    pub(crate) fn exchange_shipped(mut self, to: &variants::Model) -> Result<Self> {
        let exchange = self.exchange()?.clone();
        ensure!(exchange.difference_minor == 0, "no history settles a difference");
        let is_back = self.returning()?.lines.0.iter().all(|line| line.received >= line.quantity);
        ensure!(is_back || !self.site.store.policy.exchange_waits_for_return, "the old goods come first");
        for swap in &exchange.lines.0 {
            let row = self.lines.iter_mut().find(|row| row.id == swap.line_id);
            let row = row.context("an exchange of no line")?;
            row.variant_id = to.id;
            row.title.clone_from(&to.title);
            row.sku.clone_from(&to.sku);
            row.options.clone_from(&to.options);
            row.delivered_quantity -= swap.quantity;
            row.return_quantity -= swap.quantity;
        }
        let units = exchange.lines.0.iter().map(|swap| Line {
            line_id: swap.line_id,
            quantity: swap.quantity,
            amount_minor: 0,
        });
        let parcel = self.pack(FulfillmentPurpose::Exchange, Some(exchange.id), units.collect());
        let number = self.tracking_number("TW");
        self.parcel()?.tracking_number = Some(number);
        self = self.shipped()?;
        self.exchange_moves(ExchangeEvent::Shipped)?;
        self.exchange()?.fulfillment_id = Some(parcel);
        self.tell_exchange("shipped")?;
        if is_back {
            self.exchange_moves(ExchangeEvent::Completed)?;
            self.tell_exchange("completed")?;
        }
        Ok(self)
    }

    /// Called off before anything moved: the customer keeps what they have.
    pub(crate) fn exchange_cancelled(mut self) -> Result<Self> {
        self.exchange_moves(ExchangeEvent::Cancelled)?;
        let id = self.exchange()?.id;
        self.end_holds(id, ReservationStatus::Released);
        self.tell_exchange("cancelled")?;
        self.return_cancelled()
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
        self.settled();
        Ok(())
    }

    fn tell_exchange(&mut self, what: &str) -> Result<()> {
        let id = self.exchange()?.id;
        self.tell(format!("exchange.{what}"), id, json!({}));
        Ok(())
    }
}
