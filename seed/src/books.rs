//! What is written in order of time: the shop's ledger, the gateway's ledger, events and scans.
//!
//! Histories are made one after the other, so everything is sorted before it is written; what happened at the same
//! moment keeps the order in which it was written down.

use anyhow::ensure;
use chrono::{DateTime, Utc};
use serde_json::Value;
use shop_domain::fulfillments::ScanCode;
use shop_domain::ids::{
    AttemptId, EventId, FulfillmentId, LedgerTransactionId, OrderId, PaymentId, RefundId,
};
use shop_domain::ledger::{self, Posting};
use shop_domain::money::Currency;
use shop_gateway::wire::ledger::{Effect, Line};
use shop_store::entities::{audit_log, events, ledger_entries, scans, webhook_deliveries};

use crate::draw::Draw;

/// Rows whose numbers the database gives.
#[derive(Default)]
pub(crate) struct Numbered {
    pub(crate) ledger_entries: Vec<ledger_entries::Model>,
    pub(crate) scans: Vec<scans::Model>,
    pub(crate) events: Vec<events::Model>,
    pub(crate) webhook_deliveries: Vec<webhook_deliveries::Model>,
    pub(crate) audit_log: Vec<audit_log::Model>,
}

/// What a ledger transaction is about.
#[derive(Clone, Copy)]
pub(crate) struct Refs {
    pub(crate) currency: Currency,
    pub(crate) order_id: Option<OrderId>,
    pub(crate) payment_id: Option<PaymentId>,
    pub(crate) refund_id: Option<RefundId>,
}

impl Refs {
    pub(crate) fn of(currency: Currency) -> Self {
        Self { currency, order_id: None, payment_id: None, refund_id: None }
    }
}

#[derive(Default)]
pub(crate) struct Books {
    pub(crate) numbered: Numbered,
    gateway: Vec<Line>,
}

impl Books {
    /// Posts one ledger transaction.
    pub(crate) fn post(
        &mut self,
        draw: &Draw,
        at: DateTime<Utc>,
        postings: &[Posting],
        refs: Refs,
        memo: &str,
    ) -> anyhow::Result<()> {
        ensure!(ledger::balance(postings) == 0, "the postings of `{memo}` do not sum to zero");
        let transaction_id = draw.id(at, LedgerTransactionId::new);
        self.numbered.ledger_entries.extend(postings.iter().map(|posting| ledger_entries::Model {
            id: 0,
            transaction_id,
            account: posting.account,
            amount_minor: posting.minor,
            currency: refs.currency,
            order_id: refs.order_id,
            payment_id: refs.payment_id,
            refund_id: refs.refund_id,
            memo: memo.to_owned(),
            created_at: at,
        }));
        Ok(())
    }

    /// Writes down what really happened at the gateway, under the key of the attempt that asked for it.
    pub(crate) fn gateway(&mut self, at: DateTime<Utc>, key: AttemptId, effect: Effect) {
        self.gateway.push(Line { seq: 0, at, key: Some(key.to_string()), request: None, effect });
    }

    /// Writes down what the gateway did on its own.
    pub(crate) fn gateway_alone(&mut self, at: DateTime<Utc>, effect: Effect) {
        self.gateway.push(Line { seq: 0, at, key: None, request: None, effect });
    }

    pub(crate) fn event(
        &mut self,
        draw: &Draw,
        at: DateTime<Utc>,
        kind: impl Into<String>,
        subject: impl ToString,
        order_id: Option<OrderId>,
        data: Value,
    ) {
        self.numbered.events.push(events::Model {
            seq: 0,
            id: draw.id(at, EventId::new),
            kind: kind.into(),
            subject: subject.to_string(),
            order_id,
            data,
            at,
        });
    }

    pub(crate) fn scan(
        &mut self,
        at: DateTime<Utc>,
        parcel: FulfillmentId,
        code: ScanCode,
        place: &str,
        detail: &str,
    ) {
        self.numbered.scans.push(scans::Model {
            id: 0,
            fulfillment_id: parcel,
            code,
            place: place.to_owned(),
            detail: detail.to_owned(),
            at,
        });
    }

    /// What happened before a moment, in order of time: rows to be numbered, and lines of the gateway's ledger.
    pub(crate) fn take_before(&mut self, until: DateTime<Utc>) -> (Numbered, Vec<Line>) {
        let numbered = Numbered {
            ledger_entries: take(&mut self.numbered.ledger_entries, until, |row| row.created_at),
            scans: take(&mut self.numbered.scans, until, |row| row.at),
            events: take(&mut self.numbered.events, until, |row| row.at),
            webhook_deliveries: take(&mut self.numbered.webhook_deliveries, until, |row| row.created_at),
            audit_log: take(&mut self.numbered.audit_log, until, |row| row.at),
        };
        (numbered, take(&mut self.gateway, until, |line| line.at))
    }
}

fn take<T>(told: &mut Vec<T>, until: DateTime<Utc>, at: impl Fn(&T) -> DateTime<Utc>) -> Vec<T> {
    told.sort_by_key(|row| at(row));
    let rest = told.split_off(told.partition_point(|row| at(row) < until));
    std::mem::replace(told, rest)
}
