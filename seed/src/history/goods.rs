//! Parcels: packed, labelled, sent, seen, delivered or lost.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::fulfillments::{DeliveryException, FulfillmentEvent, FulfillmentPurpose, ScanCode};
use shop_domain::ids::{ExchangeId, FulfillmentId};
use shop_domain::ledger;
use shop_domain::status::{FulfillmentStatus, OrderStatus, ReservationStatus};
use shop_store::columns::{Line, Lines};
use shop_store::entities::fulfillments;

use super::History;

/// What a label costs, in minor units.
const LABEL_MINOR: i64 = 450;

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
        self.sent()?.scanned("Parcel centre")
    }

    /// Packs what is left of these lines.
    pub(crate) fn packed(mut self, lines: &[usize]) -> Result<Self> {
        ensure!(
            matches!(self.order.status, OrderStatus::Confirmed | OrderStatus::Completed),
            "only confirmed orders are packed"
        );
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
        self.pack(FulfillmentPurpose::Replacement, None, units);
        Ok(self)
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
        self.tell("fulfillment.allocated", id, json!({ "purpose": purpose }));
        self.settled();
        id
    }

    /// Postage is bought for the last parcel.
    pub(crate) fn labelled(self) -> Result<Self> {
        let number = self.tracking_number("TW");
        self.labelled_as(number, LABEL_MINOR)
    }

    pub(crate) fn labelled_as(mut self, tracking_number: String, minor: i64) -> Result<Self> {
        self.parcel_moves(FulfillmentEvent::LabelBought)?;
        let carrier = self.carrier();
        let parcel = self.parcel()?;
        parcel.carrier = Some(carrier);
        parcel.tracking_number = Some(tracking_number);
        parcel.label_minor = (minor > 0).then_some(minor);
        self.post(&ledger::label_bought(minor)?, self.refs(), "label bought")?;
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
        if parcel.purpose == FulfillmentPurpose::Order {
            for unit in &parcel.lines.0 {
                let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) else { continue };
                row.allocated_quantity -= unit.quantity;
                row.shipped_quantity += unit.quantity;
                let variant_id = row.variant_id;
                self.reservations
                    .iter_mut()
                    .filter(|held| held.variant_id == variant_id && held.status == ReservationStatus::Active)
                    .for_each(|held| held.status = ReservationStatus::Consumed);
            }
            if self.order.shipped_method_id.is_none() {
                self.order.shipped_method_id = self.order.shipping_method_id;
            }
        }
        self.ground.books.scan(
            at,
            parcel.id,
            ScanCode::PickedUp,
            &parcel.destination.country,
            "handed to the carrier",
        );
        self.settled();
        Ok(self)
    }

    /// It left by another method than the one that was paid for.
    pub(crate) fn by_method(mut self, name: &str) -> Result<Self> {
        let method = self.site.methods.iter().find(|method| method.name == name);
        self.order.shipped_method_id = Some(method.context("a method the store does not have")?.id);
        Ok(self)
    }

    pub(crate) fn scanned(mut self, place: &str) -> Result<Self> {
        self.at += TimeDelta::hours(14);
        self.parcel_moves(FulfillmentEvent::Scanned)?;
        let id = self.parcel()?.id;
        self.ground.books.scan(self.at, id, ScanCode::InTransit, place, "on its way");
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
        if parcel.purpose == FulfillmentPurpose::Order {
            for unit in &parcel.lines.0 {
                if let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) {
                    row.delivered_quantity += unit.quantity;
                }
            }
        }
        self.ground.books.scan(at, parcel.id, ScanCode::Delivered, &parcel.destination.city, "delivered");
        self.settled();
        Ok(self)
    }

    /// The carrier or the customer says that the last parcel will not arrive.
    pub(crate) fn lost(mut self) -> Result<Self> {
        self.at += TimeDelta::days(4);
        self.parcel_moves(FulfillmentEvent::ExceptionReported)?;
        let parcel = self.parcel()?;
        parcel.exception_kind = Some(DeliveryException::Lost);
        parcel.exception_note = Some("the carrier cannot find it".to_owned());
        let id = parcel.id;
        self.ground.books.scan(self.at, id, ScanCode::Exception, "Parcel centre", "lost");
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
        for parcel in self.parcels.iter_mut().filter(|parcel| parcel.status != FulfillmentStatus::Cancelled) {
            parcel.status = parcel.status.after(FulfillmentEvent::Cancelled)?;
            parcel.updated_at = self.at;
            parcel.version += 1;
        }
        Ok(())
    }

    pub(super) fn carrier(&self) -> String {
        let method = self.site.methods.iter().find(|row| Some(row.id) == self.order.shipping_method_id);
        method.map_or_else(|| "Parcel service".to_owned(), |method| method.carrier.clone())
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
        let (id, kind) = (parcel.id, format!("fulfillment.{}", parcel.status));
        self.tell(kind, id, json!({}));
        Ok(())
    }
}
