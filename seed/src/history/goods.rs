//! Parcels: packed, labelled, sent, seen, delivered or lost.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::fulfillments::{
    DeliveryException, FulfillmentEvent, FulfillmentPurpose, ScanCode, scans_due,
};
use shop_domain::ids::{ExchangeId, FulfillmentId, OrderLineId, ReservationId, VariantId};
use shop_domain::ledger;
use shop_domain::status::{FulfillmentStatus, OrderStatus, ReservationStatus};
use shop_service::shipping::price_of;
use shop_store::columns::{Line, Lines};
use shop_store::entities::{fulfillments, reservations, shipping_methods};

use super::History;

impl History<'_> {
    /// Everything that is left goes out in one parcel.
    pub(crate) fn sent(self) -> Result<Self> {
        let all: Vec<usize> = (0..self.lines.len()).collect();
        self.sent_lines(&all)
    }

    /// These lines go out in one parcel.
    pub(crate) fn sent_lines(self, lines: &[usize]) -> Result<Self> {
        self.packed(lines)?.labelled()?.shipped()
    }

    /// Sent, and the carrier has seen it on its way.
    pub(crate) fn in_transit(self) -> Result<Self> {
        self.sent()?.scanned()
    }

    /// Packs what is left of these lines.
    pub(crate) fn packed(mut self, lines: &[usize]) -> Result<Self> {
        ensure!(self.order.status == OrderStatus::Confirmed, "only confirmed orders are packed");
        let mut units = Vec::new();
        for &line in lines {
            let row = self.lines.get_mut(line).context("a line the order does not have")?;
            let left = row.quantity - row.cancelled_quantity - row.shipped_quantity - row.allocated_quantity;
            if left > 0 {
                row.allocated_quantity += left;
                units.push(Line { line_id: row.id, quantity: left, amount_minor: 0 });
            }
        }
        ensure!(!units.is_empty(), "nothing is left to pack");
        self.pass_minutes(180);
        self.pack(FulfillmentPurpose::Order, None, units);
        Ok(self)
    }

    /// The same goods again, free, because the first ones are gone or faulty.
    pub(crate) fn replaced(mut self) -> Result<Self> {
        self.pass_minutes(30);
        let units: Vec<Line> = self
            .lines
            .iter()
            .map(|row| Line { line_id: row.id, quantity: row.shipped_quantity, amount_minor: 0 })
            .collect();
        let worth: i64 = self.lines.iter().map(|row| row.total_minor).sum();
        let input = json!({ "lines": units, "reason": "lost" });
        self.permit(AfterSalesOperation::SendReplacement, &[], worth, input)?;
        let parcel = self.pack(FulfillmentPurpose::Replacement, None, units);
        for row in self.lines.clone() {
            self.reserve(row.variant_id, row.shipped_quantity, parcel);
        }
        self.tell("order.replacement_sent", self.order.id, json!({ "fulfillment_id": parcel }));
        Ok(self)
    }

    pub(super) fn reserve(&mut self, variant_id: VariantId, quantity: i64, holder: impl ToString) {
        self.reservations.push(reservations::Model {
            id: self.id(ReservationId::new),
            variant_id,
            location_id: self.site.location_id,
            quantity,
            holder: holder.to_string(),
            status: ReservationStatus::Active,
            expires_at: None,
            created_at: self.at,
        });
    }

    /// What somebody holds leaves the building, or is free again.
    pub(super) fn end_holds(&mut self, holder: impl ToString, status: ReservationStatus) {
        let holder = holder.to_string();
        let held = self.reservations.iter_mut().filter(|row| row.holder == holder);
        held.filter(|row| row.status == ReservationStatus::Active).for_each(|row| row.status = status);
    }

    pub(super) fn pack(
        &mut self,
        purpose: FulfillmentPurpose,
        exchange_id: Option<ExchangeId>,
        units: Vec<Line>,
    ) -> FulfillmentId {
        let id = self.id(FulfillmentId::new);
        self.parcels.push(fulfillments::Model {
            id,
            order_id: self.order.id,
            exchange_id,
            location_id: self.site.location_id,
            purpose,
            status: FulfillmentStatus::Allocated,
            lines: Lines(units),
            carrier: None,
            tracking_number: None,
            label_minor: None,
            destination: self.order.shipping_address.clone(),
            exception_kind: None,
            exception_note: None,
            shipped_at: None,
            delivered_at: None,
            created_at: self.at,
            updated_at: self.at,
            version: 1,
        });
        self.tell("fulfillment.created", id, json!({ "purpose": purpose }));
        self.settled();
        id
    }

    /// Postage is bought for the last parcel.
    pub(crate) fn labelled(mut self) -> Result<Self> {
        let units =
            self.parcel()?.lines.0.iter().map(|unit| (unit.line_id, unit.quantity)).collect::<Vec<_>>();
        let (number, price) = (self.tracking_number("TW"), self.postage(&units));
        self.labelled_as(number, price)
    }

    pub(crate) fn labelled_as(mut self, tracking_number: String, minor: i64) -> Result<Self> {
        self.parcel_moves(FulfillmentEvent::LabelBought)?;
        let carrier = self.method().map(|method| method.carrier.clone());
        let parcel = self.parcel()?;
        parcel.carrier = carrier;
        parcel.tracking_number = Some(tracking_number);
        parcel.label_minor = Some(minor);
        self.post(&ledger::label_bought(minor)?, self.refs(), "label")?;
        self.settled();
        Ok(self)
    }

    /// The last parcel is handed to the carrier.
    pub(crate) fn shipped(mut self) -> Result<Self> {
        self.pass_minutes(240);
        self.parcel_moves(FulfillmentEvent::Shipped)?;
        let at = self.at;
        let parcel = self.parcel()?;
        parcel.shipped_at = Some(at);
        let parcel = parcel.clone();
        for unit in parcel.lines.0.iter().filter(|_| parcel.purpose == FulfillmentPurpose::Order) {
            let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) else { continue };
            row.allocated_quantity -= unit.quantity;
            row.shipped_quantity += unit.quantity;
            let left = self.reservations.iter_mut().filter(|held| held.variant_id == row.variant_id);
            left.filter(|held| held.status == ReservationStatus::Active)
                .for_each(|held| held.status = ReservationStatus::Consumed);
        }
        match (parcel.purpose, parcel.exchange_id) {
            (FulfillmentPurpose::Order, _) if self.order.shipped_method_id.is_none() => {
                self.order.shipped_method_id = self.order.shipping_method_id;
            }
            (FulfillmentPurpose::Exchange, Some(exchange)) => {
                self.end_holds(exchange, ReservationStatus::Consumed);
            }
            (FulfillmentPurpose::Replacement, _) => self.end_holds(parcel.id, ReservationStatus::Consumed),
            (FulfillmentPurpose::Order | FulfillmentPurpose::Exchange, _) => {}
        }
        let from = parcel.destination.country;
        self.ground.books.scan(at, parcel.id, ScanCode::PickedUp, &from, "handed to the carrier");
        self.settled();
        Ok(self)
    }

    /// It leaves by another method than the one that was paid for.
    pub(crate) fn by_method(mut self, name: &str) -> Result<Self> {
        let method = self.site.methods.iter().find(|method| method.name == name);
        self.order.shipped_method_id = Some(method.context("a method the store does not have")?.id);
        Ok(self)
    }

    /// The carrier sees the last parcel half-way, when it always does.
    pub(crate) fn scanned(mut self) -> Result<Self> {
        let shipped_at = self.parcel()?.shipped_at.context("a scan of what has not left")?;
        let due = scans_due(shipped_at, self.days().0, self.days().1, self.ground.now);
        let under_way = due.into_iter().find(|(code, _)| *code == ScanCode::InTransit);
        self.at = under_way.context("a scan that is still to come")?.1;
        self.parcel_moves(FulfillmentEvent::Scanned)?;
        let parcel = self.parcel()?;
        let (id, to) = (parcel.id, parcel.destination.country.clone());
        self.ground.books.scan(self.at, id, ScanCode::InTransit, &to, "on its way to the destination");
        self.settled();
        Ok(self)
    }

    /// The last parcel is with the customer.
    pub(crate) fn delivered(mut self) -> Result<Self> {
        self.at += TimeDelta::hours(20);
        self.handed_over()
    }

    /// The same, at the present moment.
    pub(crate) fn delivered_just_now(mut self) -> Result<Self> {
        self.at = self.ground.now;
        self.handed_over()
    }

    fn handed_over(mut self) -> Result<Self> {
        self.parcel_moves(FulfillmentEvent::Delivered)?;
        let at = self.at;
        let parcel = self.parcel()?;
        parcel.delivered_at = Some(at);
        let parcel = parcel.clone();
        for unit in &parcel.lines.0 {
            if let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) {
                // A replacement of units that had arrived already delivers nothing new.
                row.delivered_quantity = (row.delivered_quantity + unit.quantity).min(row.shipped_quantity);
            }
        }
        self.ground.books.scan(at, parcel.id, ScanCode::Delivered, &parcel.destination.city, "delivered");
        self.settled();
        Ok(self)
    }

    /// Somebody says that the last parcel will not arrive, before its carrier says that it has.
    pub(crate) fn lost(mut self) -> Result<Self> {
        self.at += TimeDelta::hours(30);
        self.parcel_moves(FulfillmentEvent::ExceptionReported)?;
        let parcel = self.parcel()?;
        parcel.exception_kind = Some(DeliveryException::Lost);
        parcel.exception_note = Some("the carrier cannot find it".to_owned());
        let (id, place) = (parcel.id, parcel.destination.country.clone());
        self.ground.books.scan(self.at, id, ScanCode::Exception, &place, "lost");
        self.settled();
        Ok(self)
    }

    /// The last parcel is unpacked before it left.
    pub(crate) fn unpacked(mut self) -> Result<Self> {
        self.parcel_moves(FulfillmentEvent::Cancelled)?;
        let units = self.parcel()?.lines.0.clone();
        for unit in units {
            if let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) {
                row.allocated_quantity -= unit.quantity;
            }
        }
        self.settled();
        Ok(self)
    }

    /// Parcels that have not left are not sent any more.
    pub(super) fn cancel_parcels(&mut self) -> Result<()> {
        let mut stopped = Vec::new();
        for parcel in self.parcels.iter_mut().filter(|parcel| !parcel.status.has_left()) {
            parcel.status = parcel.status.after(FulfillmentEvent::Cancelled)?;
            parcel.updated_at = self.at;
            parcel.version += 1;
            stopped.push(parcel.id);
        }
        for id in stopped {
            self.tell("fulfillment.cancelled", id, json!({}));
        }
        Ok(())
    }

    /// How its parcels travel: as they were sent, or as the customer chose.
    fn method(&self) -> Option<&shipping_methods::Model> {
        let id = self.order.shipped_method_id.or(self.order.shipping_method_id)?;
        self.site.methods.iter().find(|method| method.id == id)
    }

    fn days(&self) -> (i64, i64) {
        self.method().map_or((0, 0), |method| (method.days_min, method.days_max))
    }

    /// What the postage of some units costs the shop.
    pub(super) fn postage(&self, units: &[(OrderLineId, i64)]) -> i64 {
        let weight = units.iter().filter_map(|(line, quantity)| {
            let row = self.lines.iter().find(|row| row.id == *line)?;
            let variant = self.ground.rows.variants.iter().find(|variant| variant.id == row.variant_id)?;
            Some(variant.weight_g * quantity)
        });
        let weight = weight.sum();
        self.method().map_or(0, |method| price_of(method, 0, weight))
    }

    /// Parcels move with the world's clock: none may be where its carrier has left it behind by now.
    pub(super) fn must_be_up_to_date(&self) -> Result<()> {
        let Some(method) = self.method() else { return Ok(()) };
        for parcel in &self.parcels {
            let seen: &[ScanCode] = match parcel.status {
                FulfillmentStatus::Shipped => &[],
                FulfillmentStatus::InTransit => &[ScanCode::InTransit],
                FulfillmentStatus::Allocated
                | FulfillmentStatus::Labelled
                | FulfillmentStatus::Delivered
                | FulfillmentStatus::Exception
                | FulfillmentStatus::Cancelled => continue,
            };
            let shipped_at = parcel.shipped_at.context("a parcel on its way that never left")?;
            let due = scans_due(shipped_at, method.days_min, method.days_max, self.ground.now);
            let is_behind = due.iter().any(|(code, _)| !seen.contains(code));
            ensure!(!is_behind, "a parcel of order {} has moved on since", self.order.id);
        }
        Ok(())
    }

    pub(super) fn tracking_number(&self, prefix: &str) -> String {
        let drawn = self.id(|ulid| ulid.to_string());
        let tail: String = drawn.chars().skip(14).collect();
        format!("{prefix}{tail}")
    }

    /// The last parcel.
    pub(super) fn parcel(&mut self) -> Result<&mut fulfillments::Model> {
        self.parcels.last_mut().context("nothing was packed")
    }

    fn parcel_moves(&mut self, event: FulfillmentEvent) -> Result<()> {
        let at = self.at;
        let parcel = self.parcel()?;
        parcel.status = parcel.status.after(event)?;
        parcel.updated_at = at;
        parcel.version += 1;
        let id = parcel.id;
        // What the carrier sees is in its scans.
        if event != FulfillmentEvent::Scanned {
            self.tell(format!("fulfillment.{event}"), id, json!({}));
        }
        Ok(())
    }
}
