//! One order in the reference's words: its status, its parcels, its money and what was asked for afterwards.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::{OrderLineId, VariantId};
use shop_domain::ledger::Account;
use shop_domain::reasons::CancelReason;
use shop_domain::status::{
    ExchangeStatus, FulfillmentStatus, OrderStatus, PaymentState, RefundDestination, RefundStatus,
    ReturnStatus,
};
use shop_store::columns::ExchangeLine;
use shop_store::entities::{exchanges, ledger_entries, order_lines, orders, refunds, returns};

use super::export::{Parts, Rows};
use super::shape::amount;

pub(super) struct OrderView<'a> {
    pub(super) rows: &'a Rows,
    pub(super) order: &'a orders::Model,
    pub(super) parts: &'a Parts,
    pub(super) item_id: &'a dyn Fn(VariantId) -> String,
}

impl OrderView<'_> {
    fn is_cancelled(&self) -> bool {
        self.order.status == OrderStatus::Cancelled
    }

    /// A cancelled order still says what it was about; a line that an edit took out does not.
    pub(super) fn is_in(&self, line: &order_lines::Model) -> bool {
        self.is_cancelled() || line.quantity > line.cancelled_quantity
    }

    /// The first of these that is true.
    pub(super) fn status(&self) -> &'static str {
        let is_at = |wanted: fn(FulfillmentStatus) -> bool| {
            self.parts
                .parcels
                .iter()
                .any(|parcel| parcel.purpose == FulfillmentPurpose::Order && wanted(parcel.status))
        };
        if self.is_cancelled() {
            "cancelled"
        } else if self.asked_return().is_some() {
            "return requested"
        } else if self.asked_exchange().is_some() {
            "exchange requested"
        } else if is_at(|status| status == FulfillmentStatus::Delivered) {
            "delivered"
        } else if is_at(FulfillmentStatus::has_left) {
            "processed"
        } else if self.order.is_edited {
            "pending (item modified)"
        } else {
            "pending"
        }
    }

    fn asked_return(&self) -> Option<&returns::Model> {
        self.parts.returns.iter().find(|row| {
            row.exchange_id.is_none()
                && !matches!(row.status, ReturnStatus::Rejected | ReturnStatus::Cancelled)
        })
    }

    fn asked_exchange(&self) -> Option<&exchanges::Model> {
        self.parts.exchanges.iter().find(|row| row.status != ExchangeStatus::Cancelled)
    }

    /// Parcels with a number: those of cancelled orders too, whose numbers the reference keeps.
    pub(super) fn fulfillments(&self) -> Vec<Value> {
        let parcels = self.parts.parcels.iter().filter(|parcel| parcel.purpose == FulfillmentPurpose::Order);
        parcels
            .filter_map(|parcel| {
                let tracking = parcel.tracking_number.as_ref()?;
                let items = self.items(parcel.lines.0.iter().map(|line| (line.line_id, line.quantity)));
                Some(json!({ "tracking_id": [tracking], "item_ids": items }))
            })
            .collect()
    }

    /// What moved, in the order it was committed, which is the order of the ledger; then what is only held.
    pub(super) fn payment_history(&self) -> Result<Vec<Value>> {
        let mut history = Vec::new();
        // What a bank takes and gives back in a dispute is neither a payment nor a refund.
        let is_told =
            |entry: &&ledger_entries::Model| is_money(entry.account) && !entry.memo.starts_with("dispute");
        for entry in self.parts.entries.iter().filter(is_told) {
            if let Some(id) = entry.refund_id {
                let refund = self.parts.refunds.iter().find(|refund| refund.id == id);
                let refund = refund.context("the ledger names a refund that is not there")?;
                // One that bounced is not a refund; neither is its way back.
                if refund.status == RefundStatus::Succeeded && entry.amount_minor < 0 {
                    history.push(transaction("refund", -entry.amount_minor, self.destination(refund))?);
                }
            } else if let Some(id) = entry.payment_id
                && entry.amount_minor > 0
            {
                let payment = self.parts.payments.iter().find(|payment| payment.id == id);
                let payment = payment.context("the ledger names a payment that is not there")?;
                history.push(transaction("payment", entry.amount_minor, self.rows.instrument(payment))?);
            }
        }
        for payment in self.parts.payments.iter().filter(|payment| payment.captured_minor == 0) {
            let method = self.rows.instrument(payment);
            let held = payment.authorized_minor;
            if held > 0 && matches!(payment.status, PaymentState::Authorized | PaymentState::Voided) {
                history.push(transaction("payment", held, method.clone())?);
            }
            if held > 0 && payment.status == PaymentState::Voided {
                history.push(transaction("refund", held, method)?);
            }
        }
        Ok(history)
    }

    fn destination(&self, refund: &refunds::Model) -> String {
        match (refund.destination, refund.gift_card_id) {
            (RefundDestination::StoreCredit, _) => "store_credit".to_owned(),
            (RefundDestination::GiftCard, Some(card)) => self.rows.card_name(card),
            (RefundDestination::OriginalMethod | RefundDestination::GiftCard, _) => self.paid_with(refund),
        }
    }

    fn paid_with(&self, refund: &refunds::Model) -> String {
        let payment = self.parts.payments.iter().find(|payment| Some(payment.id) == refund.payment_id);
        payment.map_or_else(String::new, |payment| self.rows.instrument(payment))
    }

    pub(super) fn after_sales(&self, fields: &mut Map<String, Value>) -> Result<()> {
        if let Some(reason) = &self.order.cancel_reason {
            let label = reason.parse::<CancelReason>().map(CancelReason::label);
            fields.insert("cancel_reason".to_owned(), json!(label.unwrap_or(reason)));
        }
        if let Some(row) = self.asked_return() {
            let lines = row.lines.0.iter().map(|line| (line.line_id, line.quantity));
            fields.insert("return_items".to_owned(), json!(sorted(self.items(lines))));
            fields.insert("return_payment_method_id".to_owned(), json!(self.refund_method(row)));
        }
        if let Some(row) = self.asked_exchange() {
            let swapped = |variant: fn(&ExchangeLine) -> VariantId| {
                let mut items = Vec::new();
                for line in &row.lines.0 {
                    items.extend(units(line.quantity).map(|_| (self.item_id)(variant(line))));
                }
                sorted(items)
            };
            fields.insert("exchange_items".to_owned(), json!(swapped(|line| line.old_variant_id)));
            fields.insert("exchange_new_items".to_owned(), json!(swapped(|line| line.variant_id)));
            let card = row.settle_gift_card_id.map(|id| self.rows.card_name(id));
            let method = row.settle_method_id.map(|id| self.rows.method_name(id)).or(card);
            fields.insert("exchange_payment_method_id".to_owned(), json!(method));
            fields.insert("exchange_price_difference".to_owned(), amount(row.difference_minor)?);
        }
        Ok(())
    }

    /// Where a return is to be paid: the instrument that was named, else what was paid with.
    fn refund_method(&self, row: &returns::Model) -> Option<String> {
        let original = || self.parts.payments.iter().find(|payment| payment.captured_minor > 0);
        match row.refund_method_id {
            Some(id) => Some(self.rows.method_name(id)),
            None => original().map(|payment| self.rows.instrument(payment)),
        }
    }

    /// The items of some lines, one for each unit.
    fn items(&self, lines: impl Iterator<Item = (OrderLineId, i64)>) -> Vec<String> {
        lines
            .flat_map(|(id, quantity)| {
                let line = self.parts.lines.iter().find(|line| line.id == id);
                units(quantity).filter_map(move |_| line)
            })
            .map(|line| (self.item_id)(line.variant_id))
            .collect()
    }
}

/// Accounts on which money or money-like value of customers comes and goes.
const fn is_money(account: Account) -> bool {
    match account {
        Account::CashAtGateway | Account::StoreCredit | Account::GiftCards | Account::OfflineCash => true,
        Account::Receivable
        | Account::Revenue
        | Account::TaxPayable
        | Account::ShippingRevenue
        | Account::Discounts
        | Account::RefundsPayable
        | Account::Goodwill
        | Account::Breakage
        | Account::Postage
        | Account::Disputes => false,
    }
}

fn transaction(kind: &str, minor: i64, method: String) -> Result<Value> {
    Ok(json!({ "transaction_type": kind, "amount": amount(minor)?, "payment_method_id": method }))
}

pub(super) fn units(quantity: i64) -> std::ops::Range<i64> {
    0..quantity
}

fn sorted(mut items: Vec<String>) -> Vec<String> {
    items.sort();
    items
}
