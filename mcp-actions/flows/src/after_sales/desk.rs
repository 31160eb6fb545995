//! What is known about an order when somebody comes to the desk: read once per call, and judged purely from there.

use chrono::{DateTime, Utc};
use mcp_actions_engine::parts::NextAction;
use mcp_actions_engine::{Failure, Map, Record};
use shop_domain::after_sales::{AfterSalesOperation, RulesMode, Verdict, line_verdict, verdict};
use shop_domain::governance::{Answer, Role, may_run};
use shop_domain::ids::OrderId;
use shop_domain::operations::operation;
use shop_domain::status::{FulfillmentStatus, PaymentState, ReturnStatus};
use shop_service::after_sales::{self, Case};
use shop_service::catalog::{self, Variant};
use shop_service::{fulfillments, payment_methods, payments, refunds, returns};

use super::Entry;
use super::dispatch::Chosen;
use super::quote::{Quote, quote};
use super::remedy::Remedy;
use crate::caller::Caller;
use crate::entities::{self, whole_page};
use crate::failure::failure;
use crate::wallet;

pub(super) struct Desk {
    pub(super) entry: Entry,
    pub(super) case: Case,
    /// What may still go back, and of what.
    pub(super) left: refunds::Calculation,
    pub(super) parcels: Vec<Parcel>,
    pub(super) returns: Vec<returns::View>,
    pub(super) payments: Vec<payments::View>,
    /// The customer's saved ways to pay.
    pub(super) methods: Vec<payment_methods::View>,
    /// All variants of what was bought.
    pub(super) variants: Vec<Variant>,
    /// The flows that can be entered from here.
    pub(super) ways_on: Vec<NextAction>,
    pub(super) role: Role,
    pub(super) may_inspect: bool,
    pub(super) is_shopper: bool,
    /// What the wish comes to, as far as it is clear; absent while it is not, or has to wait.
    pub(super) quote: Option<Result<Quote, shop_service::Error>>,
}

/// A parcel, and when it should be there.
pub(super) struct Parcel {
    pub(super) view: fulfillments::View,
    pub(super) expected_by: Option<DateTime<Utc>>,
}

impl Parcel {
    pub(super) fn travels(&self) -> bool {
        matches!(self.view.status, FulfillmentStatus::Shipped | FulfillmentStatus::InTransit)
    }
}

impl Desk {
    pub(super) async fn read(caller: &Caller, entry: Entry, record: &Record) -> Result<Self, Failure> {
        let mut desk = Self::look(caller, entry, super::order_of(record)?).await?;
        // What was said decides what it comes to; what the desk would choose for the rest is the same every time.
        let given: &Map = &record.given;
        let chosen = desk.choose(given).ok().flatten();
        let is_clear = |chosen: &Chosen| {
            let is_seen = !desk.is_unjudged(chosen) || given.contains_key("condition");
            is_seen && !desk.waits(chosen)
        };
        if let Some(chosen) = chosen.filter(is_clear) {
            desk.quote = Some(quote(caller, &desk, &chosen, given).await);
        }
        Ok(desk)
    }

    /// Everything but the price of a wish.
    pub(super) async fn look(caller: &Caller, entry: Entry, id: OrderId) -> Result<Self, Failure> {
        let ctx = caller.ctx();
        let case = after_sales::case(&ctx, id).await.map_err(failure)?;
        let doors = after_sales::eligibility(&ctx, id).await.map_err(failure)?;
        let left = refunds::calculate(&ctx, id, refunds::Calculate::default()).await.map_err(failure)?;
        let filter = returns::Filter { order_id: Some(id), ..returns::Filter::default() };
        let returns = returns::list(&ctx, filter, whole_page()).await.map_err(failure)?.items;
        let filter = payments::Filter { order_id: Some(id), ..payments::Filter::default() };
        let payments = payments::list(&ctx, filter, whole_page()).await.map_err(failure)?.items;
        let methods = match case.order.customer_id {
            Some(customer) => wallet::of(caller, customer).await?,
            None => Vec::new(),
        };
        let may_inspect = may_run(&ctx.principal, operation("inspect_return_items")).answer == Answer::Allow;
        let gives_away = may_run(&ctx.principal, operation("refund_without_return")).answer;
        Ok(Self {
            entry,
            parcels: parcels(caller, id).await?,
            variants: variants(caller, &case).await?,
            ways_on: entities::ways_on(&case.order, &doors),
            case,
            left,
            returns,
            payments,
            methods,
            role: ctx.principal.role,
            may_inspect,
            is_shopper: gives_away == Answer::NeedsApproval,
            quote: None,
        })
    }

    /// The verdict on an operation, by the shop's own table. Whatever the world lets its callers get away with, this
    /// door keeps to it.
    pub(super) fn verdict(&self, operation: AfterSalesOperation) -> Verdict {
        verdict(operation, &self.case.facts, &self.case.policy, RulesMode::Server)
    }

    pub(super) fn line_verdict(&self, operation: AfterSalesOperation, at: usize) -> Verdict {
        let facts = &self.case.facts;
        match facts.lines.get(at) {
            Some(line) => line_verdict(operation, facts, line, &self.case.policy, RulesMode::Server),
            None => Verdict::No { rule: "nothing_left" },
        }
    }

    /// The return whose goods are back and not paid for, if there is one.
    pub(super) fn unpaid_return(&self) -> Option<&returns::View> {
        self.returns.iter().filter(|row| row.exchange_id.is_none()).find(|row| match row.status {
            ReturnStatus::Received => true,
            ReturnStatus::Inspected => row.lines.iter().any(|line| line.accepted > line.refunded),
            ReturnStatus::Requested
            | ReturnStatus::Approved
            | ReturnStatus::Rejected
            | ReturnStatus::InTransit
            | ReturnStatus::Refunded
            | ReturnStatus::Cancelled => false,
        })
    }

    /// Money that is held and not taken, in minor units.
    pub(super) fn held_minor(&self) -> i64 {
        let held = self.payments.iter().filter(|payment| payment.status == PaymentState::Authorized);
        held.map(|payment| payment.authorized_minor - payment.captured_minor).sum()
    }

    /// Whether an answer of the gateway is missing: then it is not known what there is to give back.
    pub(super) fn is_money_unknown(&self) -> bool {
        self.payments.iter().any(|payment| match payment.status {
            PaymentState::Unknown | PaymentState::Authorizing | PaymentState::Capturing => true,
            PaymentState::Created
            | PaymentState::RequiresAction
            | PaymentState::Authorized
            | PaymentState::Captured
            | PaymentState::Voided
            | PaymentState::Failed => false,
        })
    }

    /// Whether it pays for goods that are back and that nobody has looked at.
    pub(super) fn is_unjudged(&self, chosen: &Chosen) -> bool {
        let is_received = self.unpaid_return().is_some_and(|row| row.status == ReturnStatus::Received);
        chosen.remedy == Remedy::RefundReturned && is_received
    }

    /// Whether nothing can be done before the goods are there.
    pub(super) fn waits(&self, chosen: &Chosen) -> bool {
        chosen.remedy.needs_delivery() && chosen.units.iter().any(|units| units.travels)
    }
}

async fn parcels(caller: &Caller, id: OrderId) -> Result<Vec<Parcel>, Failure> {
    let ctx = caller.ctx();
    let tracking = fulfillments::track_order(&ctx, id).await.map_err(failure)?;
    let filter = fulfillments::Filter { order_id: Some(id), ..fulfillments::Filter::default() };
    let views = fulfillments::list(&ctx, filter, whole_page()).await.map_err(failure)?.items;
    let parcel = |view: fulfillments::View| {
        let tracked = tracking.parcels.iter().find(|parcel| parcel.fulfillment_id == view.id);
        Parcel { expected_by: tracked.and_then(|parcel| parcel.expected_by), view }
    };
    Ok(views.into_iter().map(parcel).collect())
}

async fn variants(caller: &Caller, case: &Case) -> Result<Vec<Variant>, Failure> {
    let mut products: Vec<_> = case.order.lines.iter().map(|line| line.product_id).collect();
    products.sort_unstable();
    products.dedup();
    let mut all = Vec::new();
    for product in products {
        // What is not sold any more has no other variants to offer.
        if let Ok(page) = catalog::list_variants(&caller.ctx(), product, whole_page()).await {
            all.extend(page.items);
        }
    }
    Ok(all)
}
