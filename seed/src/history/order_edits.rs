//! Edits: staff stage another quantity, and make it true or drop it.

use anyhow::{Context, Result, ensure};
use serde_json::json;
use shop_domain::ids::{OrderEditId, PrincipalId};
use shop_domain::ledger::{self, Sale};
use shop_domain::order_edits::{EditFacts, OrderEditEvent, may_edit};
use shop_domain::status::OrderEditStatus;
use shop_domain::totals::{self, BasketLine, Shipping, TaxMode, Totals};
use shop_service::shipping::price_of;
use shop_service::taxes::rate;
use shop_store::columns::{EditLine, EditLines};
use shop_store::entities::{order_edits, variants};

use super::History;

impl History<'_> {
    /// More units of a line are staged; the order is as it was.
    pub(crate) fn edit_begun(mut self, by: PrincipalId, line: usize, more: i64) -> Result<Self> {
        self.pass_minutes(40);
        let facts = EditFacts {
            status: self.order.status,
            goods: self.order.fulfillment_status,
            was_edited: self.order.is_edited,
        };
        may_edit(facts, &self.site.store.policy)?;
        let as_it_is = self.lines.iter().map(|row| EditLine {
            line_id: row.id,
            variant_id: row.variant_id,
            replaces_line_id: None,
            before: row.quantity,
            quantity: row.quantity,
            unit_price_minor: row.unit_price_minor,
            discount_minor: row.discount_minor,
        });
        let mut lines: Vec<EditLine> = as_it_is.collect();
        lines.get_mut(line).context("a line the order does not have")?.quantity += more;
        let id = self.id(OrderEditId::new);
        self.tell("order.edit_begun", id, json!({}));
        let created_at = self.at;
        self.pass_minutes(2);
        self.edits.push(order_edits::Model {
            id,
            order_id: self.order.id,
            status: OrderEditStatus::Open,
            lines: EditLines(lines),
            before_minor: self.order.total_minor,
            totals: None,
            created_by: by,
            closed_at: None,
            created_at,
            updated_at: self.at,
            version: 2,
        });
        Ok(self)
    }

    /// What is staged is dropped.
    pub(crate) fn edit_discarded(mut self) -> Result<Self> {
        self.pass_minutes(15);
        let totals = self.quote()?;
        let id = self.close_edit(OrderEditEvent::Discarded, totals)?;
        self.tell("order.edit_discarded", id, json!({}));
        Ok(self)
    }

    /// What is staged becomes true: lines, stock, totals and books. What the order costs more is due.
    pub(crate) fn edit_committed(mut self) -> Result<Self> {
        self.pass_minutes(15);
        let totals = self.quote()?;
        let before_minor = self.order.total_minor;
        let id = self.close_edit(OrderEditEvent::Committed, totals.clone())?;
        let after = Sale::of(&totals)?;
        self.post(&ledger::order_edited(&self.sale, &after)?, self.refs(), "edited")?;
        self.sale = after;
        let staged = self.edit()?.lines.0.clone();
        for (nth, (staged, totals)) in staged.iter().zip(&totals.lines).enumerate() {
            let row = self.lines.get_mut(nth).context("an edit of no line")?;
            row.quantity = staged.quantity;
            row.discount_minor = totals.discount_minor;
            row.tax_minor = totals.tax_minor;
            row.total_minor = totals.total_minor;
            let more = staged.quantity - staged.before;
            ensure!(more >= 0, "no history takes units out of an order by an edit");
            if more > 0 {
                self.reserve(staged.variant_id, more, self.order.id);
            }
        }
        let order = &mut self.order;
        order.subtotal_minor = totals.subtotal_minor;
        order.discount_minor = after.discount_minor;
        order.shipping_minor = after.shipping_minor;
        order.shipping_tax_minor = totals.shipping.tax_minor;
        order.tax_minor = after.tax_minor;
        order.total_minor = after.total_minor;
        order.is_edited = true;
        let data = json!({ "edit_id": id, "difference_minor": after.total_minor - before_minor });
        self.tell("order.edited", self.order.id, data);
        self.settled();
        Ok(self)
    }

    fn close_edit(&mut self, event: OrderEditEvent, totals: Totals) -> Result<OrderEditId> {
        let at = self.at;
        let edit = self.edit()?;
        edit.status = edit.status.after(event)?;
        edit.totals = Some(totals);
        edit.closed_at = Some(at);
        edit.updated_at = at;
        edit.version += 1;
        Ok(edit.id)
    }

    /// What the order would come to with what is staged.
    fn quote(&mut self) -> Result<Totals> {
        let staged = self.edit()?.lines.0.clone();
        ensure!(
            staged.iter().all(|line| line.discount_minor == 0),
            "no history edits an order with a discount"
        );
        let (address, rates) = (&self.order.shipping_address, &self.site.tax_rates);
        let tax = |category: &str| rate(rates, Some(address), category);
        let (mut lines, mut subtotal, mut weight) = (Vec::new(), 0, 0);
        for line in &staged {
            let variant = self.variant(line)?;
            lines.push(BasketLine {
                unit_price_minor: line.unit_price_minor,
                quantity: u32::try_from(line.quantity)?,
                tax: tax(&variant.tax_category),
            });
            subtotal += line.unit_price_minor * line.quantity;
            weight += variant.weight_g * line.quantity;
        }
        let chosen = self.site.methods.iter().find(|row| Some(row.id) == self.order.shipping_method_id);
        let shipping = chosen
            .map(|method| Shipping { price_minor: price_of(method, subtotal, weight), tax: tax("shipping") });
        let (currency, tax_mode) = (self.order.currency, TaxMode::Exclusive);
        Ok(totals::totals(&totals::Basket { currency, tax_mode, lines, discounts: Vec::new(), shipping })?)
    }

    fn variant(&self, line: &EditLine) -> Result<&variants::Model> {
        let found = self.ground.rows.variants.iter().find(|row| row.id == line.variant_id);
        found.context("an edit of what is not sold")
    }

    /// The last edit.
    fn edit(&mut self) -> Result<&mut order_edits::Model> {
        self.edits.last_mut().context("no edit was begun")
    }
}
