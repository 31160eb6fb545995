//! Returns: asked for, approved, sent back, received, inspected, paid.

use anyhow::{Context, Result};
use chrono::TimeDelta;
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::ids::{ExchangeId, ReturnId};
use shop_domain::ledger;
use shop_domain::reasons::{PostagePayer, ReturnReason};
use shop_domain::returns::ReturnEvent;
use shop_domain::status::{RefundDestination, ReturnStatus};
use shop_store::columns::{Line, ReturnLine, ReturnLines};
use shop_store::entities::returns;

use super::History;

/// Days that a customer has to send an approved return.
const DAYS_TO_SEND: i64 = 14;

impl History<'_> {
    /// All of these lines came back and were looked at.
    pub(crate) fn came_back(self, lines: &[usize], reason: ReturnReason) -> Result<Self> {
        self.return_requested(lines, reason)?.return_approved()?.return_sent()?.return_received()
    }

    /// The customer asks to send these lines back.
    pub(crate) fn return_requested(mut self, lines: &[usize], reason: ReturnReason) -> Result<Self> {
        self.at += TimeDelta::hours(30);
        self.ask_for_return(AfterSalesOperation::RequestReturn, lines, reason, None)?;
        Ok(self)
    }

    pub(super) fn ask_for_return(
        &mut self,
        operation: AfterSalesOperation,
        lines: &[usize],
        reason: ReturnReason,
        exchange_id: Option<ExchangeId>,
    ) -> Result<ReturnId> {
        let input = json!({ "lines": lines, "reason": reason });
        let approval_id = self.permit(operation, lines, 0, input)?;
        let mut units = Vec::with_capacity(lines.len());
        for &line in lines {
            let row = self.lines.get_mut(line).context("a line the order does not have")?;
            let quantity = row.delivered_quantity - row.return_quantity;
            row.return_quantity += quantity;
            units.push(ReturnLine {
                line_id: row.id,
                quantity,
                received: 0,
                accepted: 0,
                restocked: 0,
                refunded: 0,
            });
        }
        let id = self.id(ReturnId::new);
        self.returns.push(returns::Model {
            id,
            order_id: self.order.id,
            customer_id: self.order.customer_id,
            exchange_id,
            status: ReturnStatus::Requested,
            reason,
            note: None,
            lines: ReturnLines(units),
            refund_to: RefundDestination::OriginalMethod,
            refund_method_id: None,
            deadline_at: None,
            label_tracking: None,
            label_minor: None,
            reject_reason: None,
            approval_id,
            created_at: self.at,
            updated_at: self.at,
            version: 1,
        });
        self.tell("return.requested", id, json!({ "reason": reason }));
        self.settled();
        Ok(id)
    }

    pub(crate) fn return_approved(mut self) -> Result<Self> {
        self.return_moves(ReturnEvent::Approved, "approved")?;
        let deadline = self.at + TimeDelta::days(DAYS_TO_SEND);
        self.returning()?.deadline_at = Some(deadline);
        Ok(self)
    }

    pub(crate) fn return_rejected(mut self) -> Result<Self> {
        self.return_moves(ReturnEvent::Rejected, "rejected")?;
        self.returning()?.reject_reason = Some("worn, and its tags are gone".to_owned());
        self.keep_the_goods()?;
        Ok(self)
    }

    pub(crate) fn return_cancelled(mut self) -> Result<Self> {
        self.return_moves(ReturnEvent::Cancelled, "cancelled")?;
        self.keep_the_goods()?;
        Ok(self)
    }

    /// The carrier has the customer's parcel.
    pub(crate) fn return_sent(mut self) -> Result<Self> {
        self.at += TimeDelta::hours(22);
        let number = self.tracking_number("RT");
        let row = self.returning()?;
        let shop_pays = row.reason.postage_payer() == PostagePayer::Shop;
        row.label_tracking = Some(number);
        let units = row.lines.0.iter().map(|unit| (unit.line_id, unit.quantity)).collect::<Vec<_>>();
        let price = if shop_pays { self.postage(&units) } else { 0 };
        self.returning()?.label_minor = Some(price);
        self.post(&ledger::label_bought(price)?, self.refs(), "return label")?;
        self.return_moves(ReturnEvent::SentBack, "label_created")?;
        Ok(self)
    }

    /// All units are back at the location.
    pub(crate) fn return_received(mut self) -> Result<Self> {
        self.at += TimeDelta::hours(40);
        for unit in &mut self.returning()?.lines.0 {
            unit.received = unit.quantity;
        }
        let back = self.returning()?.clone();
        // The old goods of an exchange are swapped, not given back: the line goes on with the new ones.
        if back.exchange_id.is_none() {
            for unit in &back.lines.0 {
                if let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) {
                    row.received_quantity += unit.quantity;
                }
            }
        }
        self.return_moves(ReturnEvent::Received, "received")?;
        Ok(self)
    }

    /// All units are good and back on the shelf.
    pub(crate) fn return_inspected(mut self) -> Result<Self> {
        self.pass_minutes(90);
        for unit in &mut self.returning()?.lines.0 {
            unit.accepted = unit.received;
            unit.restocked = unit.received;
        }
        self.return_moves(ReturnEvent::Inspected, "inspected")?;
        Ok(self)
    }

    /// These units of the last return are paid for; it is over when none is left.
    pub(super) fn return_refunded(&mut self, paid: &[Line]) -> Result<()> {
        let row = self.returning()?;
        for unit in row.lines.0.iter_mut().filter(|unit| paid.iter().any(|line| line.line_id == unit.line_id))
        {
            unit.refunded = unit.accepted;
        }
        if row.lines.0.iter().all(|unit| unit.refunded >= unit.accepted) {
            self.return_moves(ReturnEvent::Refunded, "refunded")?;
        }
        Ok(())
    }

    /// What does not come back is no longer on its way.
    pub(super) fn keep_the_goods(&mut self) -> Result<()> {
        for unit in self.returning()?.lines.0.clone() {
            if let Some(row) = self.lines.iter_mut().find(|row| row.id == unit.line_id) {
                row.return_quantity -= unit.quantity;
            }
        }
        self.settled();
        Ok(())
    }

    /// The last return.
    pub(super) fn returning(&mut self) -> Result<&mut returns::Model> {
        self.returns.last_mut().context("no return was requested")
    }

    /// One event of the last return, and what the log calls it.
    pub(super) fn return_moves(&mut self, event: ReturnEvent, told_as: &str) -> Result<()> {
        self.pass_minutes(45);
        let at = self.at;
        let row = self.returning()?;
        row.status = row.status.after(event)?;
        row.updated_at = at;
        row.version += 1;
        let id = row.id;
        self.tell(format!("return.{told_as}"), id, json!({}));
        self.settled();
        Ok(())
    }
}
