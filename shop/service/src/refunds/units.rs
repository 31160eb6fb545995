use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde::Serialize;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ApprovalId, GiftCardId, OrderId, OrderLineId, ReturnId};
use shop_domain::ledger::Sale;
use shop_domain::money::scale;
use shop_domain::operations::operation;
use shop_domain::reasons::RefundReason;
use shop_domain::returns::ReturnEvent;
use shop_domain::status::{OrderStatus, RefundDestination, RefundKind, ReturnStatus};
use shop_store::entities::{order_lines, payment_methods, returns};

use super::books::{Books, tax_within};
use super::decide::decide;
use super::input::{Returned, Unshipped, WithoutReturn, one_of, reason_or};
use super::plan::{Part, Plan, units, where_to};
use super::send::{Begin, begin, finish};
use super::view::Batch;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::{Ctx, LineUnits, Reply, events, orders};

/// Gives back the price of goods that have not shipped, cancels them and frees their stock. When nothing is left of
/// the order it is cancelled, and its shipping goes back too.
///
/// # Errors
/// When the goods have shipped, nothing was captured, or a second person must agree.
pub async fn unshipped(ctx: &Ctx, order_id: OrderId, input: Unshipped) -> Result<Reply<Batch>> {
    let operation = operation("refund_unshipped_items");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    let reason = reason_or(input.reason.as_ref(), RefundReason::Cancelled)?;
    if let Some(reason) = input.cancel_reason {
        orders::must_offer(&*tx, ctx, &order, reason, "/cancel_reason").await?;
    }
    let books = Books::load(&*tx, ctx, order).await?;
    let op = AfterSalesOperation::RefundUnshippedItems;
    let case = Case { op, subject: order_id.to_string(), asked: input.lines.as_deref(), input: &input };
    let chosen = case.choose(&*tx, ctx, &books, |line| books.unshipped_units(line)).await?;
    let mut parts = units(&books, &chosen)?;
    let is_all = is_all(&books, &chosen);
    if is_all {
        let spent: i64 = parts.iter().map(Part::minor).sum();
        parts.push(Part::Shipping { minor: books.shipping_left_minor().min(books.left_minor() - spent) });
    }
    let mut plan = Plan {
        kind: RefundKind::Unshipped,
        reason,
        to: where_to(&*tx, &books, input.destination, input.gift_card_id).await?,
        parts,
        is_overpaid: true,
        payment_id: None,
        return_id: None,
        approval_id: None,
    };
    plan.approval_id =
        case.permit(&*tx, ctx, &books, &chosen, plan.amount_minor(), input.approval_id).await?;
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    let why = input.cancel_reason.map_or_else(|| plan.reason.clone(), |reason| reason.to_string());
    cancel(&*tx, ctx, &books, &chosen, is_all, &why).await?;
    finish(tx, ctx, order_id, batch_id).await
}

/// Gives back the price of goods that the customer keeps or never got.
///
/// # Errors
/// When the goods have not shipped, are in a return or were replaced; or a second person must agree.
pub async fn without_return(ctx: &Ctx, order_id: OrderId, input: WithoutReturn) -> Result<Reply<Batch>> {
    let operation = operation("refund_without_return");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    one_of(input.reason, &[RefundReason::Lost, RefundReason::Damaged, RefundReason::Goodwill])?;
    let books = Books::load(&*tx, ctx, order).await?;
    let op = AfterSalesOperation::RefundWithoutReturn;
    let case = Case { op, subject: order_id.to_string(), asked: input.lines.as_deref(), input: &input };
    let chosen = case.choose(&*tx, ctx, &books, |line| books.kept_units(line)).await?;
    let mut plan = Plan {
        kind: RefundKind::NoReturn,
        reason: input.reason.to_string(),
        to: where_to(&*tx, &books, input.destination, input.gift_card_id).await?,
        parts: units(&books, &chosen)?,
        is_overpaid: false,
        payment_id: None,
        return_id: None,
        approval_id: None,
    };
    plan.approval_id =
        case.permit(&*tx, ctx, &books, &chosen, plan.amount_minor(), input.approval_id).await?;
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    finish(tx, ctx, order_id, batch_id).await
}

/// Pays for units of a return that came back and were accepted.
///
/// # Errors
/// When the return is not inspected yet, belongs to an exchange, or is paid for already.
pub async fn returned(ctx: &Ctx, return_id: ReturnId, input: Returned) -> Result<Reply<Batch>> {
    let operation = operation("refund_returned_items");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let missing = || Error::not_found(format!("return {return_id}"));
    let row = returns::Entity::find_by_id(return_id).one(&*tx).await?.ok_or_else(missing)?;
    let order = orders::find(ctx, &*tx, row.order_id).await.map_err(|_| missing())?;
    ctx.must_match(row.version)?;
    let books = Books::load(&*tx, ctx, order).await?;
    let op = AfterSalesOperation::RefundReturnedItems;
    let case = Case { op, subject: return_id.to_string(), asked: input.lines.as_deref(), input: &input };
    let payable = |line: &order_lines::Model| accepted(&row, line.id).min(books.received_units(line));
    let chosen = case.choose(&*tx, ctx, &books, payable).await;
    let chosen = chosen.map_err(|error| because_of(&row).unwrap_or(error))?;
    let (destination, card) = destination_of(&*tx, &row, &input).await?;
    let mut plan = Plan {
        kind: RefundKind::Returned,
        reason: row.reason.to_string(),
        to: where_to(&*tx, &books, Some(destination), card).await?,
        parts: units(&books, &chosen)?,
        is_overpaid: false,
        payment_id: None,
        return_id: Some(return_id),
        approval_id: None,
    };
    plan.approval_id =
        case.permit(&*tx, ctx, &books, &chosen, plan.amount_minor(), input.approval_id).await?;
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    pay_return(&*tx, ctx, row, &chosen).await?;
    finish(tx, ctx, books.order.id, batch_id).await
}

/// One refund of units, as it was asked for.
struct Case<'a, I> {
    op: AfterSalesOperation,
    subject: String,
    asked: Option<&'a [LineUnits]>,
    input: &'a I,
}

impl<I: Serialize> Case<'_, I> {
    /// The units; when there are none, the rule that says why is the better answer.
    async fn choose(
        &self,
        tx: &impl ConnectionTrait,
        ctx: &Ctx,
        books: &Books,
        eligible: impl Fn(&order_lines::Model) -> i64,
    ) -> Result<Vec<(OrderLineId, i64)>> {
        let error = match books.choose(self.asked, eligible) {
            Ok(chosen) => return Ok(chosen),
            Err(error) => error,
        };
        let asked: Option<Vec<(OrderLineId, i64)>> =
            self.asked.map(|asked| asked.iter().map(LineUnits::pair).collect());
        let ask = Ask {
            lines: asked.as_deref(),
            outflow_minor: 0,
            subject: self.subject.clone(),
            approval_id: None,
            input: self.input,
        };
        match after_sales::permit(tx, ctx, self.op, &books.order, ask).await {
            Err(rule) if rule.code == ErrorCode::NotEligible => Err(rule),
            Ok(_) | Err(_) => Err(error),
        }
    }

    async fn permit(
        &self,
        tx: &impl ConnectionTrait,
        ctx: &Ctx,
        books: &Books,
        chosen: &[(OrderLineId, i64)],
        outflow_minor: i64,
        approval_id: Option<ApprovalId>,
    ) -> Result<Option<ApprovalId>> {
        let ask = Ask {
            lines: Some(chosen),
            outflow_minor,
            subject: self.subject.clone(),
            approval_id,
            input: self.input,
        };
        Ok(after_sales::permit(tx, ctx, self.op, &books.order, ask).await?.approval_id)
    }
}

/// Whether nothing of the order is left to ship or to keep.
fn is_all(books: &Books, chosen: &[(OrderLineId, i64)]) -> bool {
    books.lines.iter().all(|line| {
        let units = chosen.iter().find(|(id, _)| *id == line.id).map_or(0, |(_, units)| *units);
        line.shipped_quantity == 0 && units == books.unshipped_units(line)
    })
}

/// Takes refunded units out of an order that is not cancelled yet.
async fn cancel(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    books: &Books,
    chosen: &[(OrderLineId, i64)],
    is_all: bool,
    reason: &str,
) -> Result<()> {
    if books.order.status == OrderStatus::Cancelled {
        return Ok(());
    }
    if is_all {
        return orders::stop(tx, ctx, &books.order, reason).await;
    }
    for (id, units) in chosen {
        let line = books.line(*id)?;
        // Units that were cancelled before are out of the sale already.
        let open = line.quantity - line.cancelled_quantity - line.shipped_quantity;
        let dropped = (*units).min(open);
        if dropped <= 0 {
            continue;
        }
        let worth = scale(books.worth(*id, *units)?, dropped, *units)?;
        let tax = tax_within(line, line.refunded_minor, worth)?;
        let sale = Sale { goods_minor: worth - tax, tax_minor: tax, total_minor: worth, ..Sale::default() };
        orders::drop_units(tx, ctx, &books.order, line, dropped, &sale).await?;
    }
    Ok(())
}

/// Units of a line that an inspection accepted and nobody has paid for.
fn accepted(row: &returns::Model, line: OrderLineId) -> i64 {
    let is_judged = matches!(row.status, ReturnStatus::Inspected | ReturnStatus::Refunded);
    if !is_judged || row.exchange_id.is_some() {
        return 0;
    }
    let units = row.lines.0.iter().filter(|units| units.line_id == line);
    units.map(|units| units.accepted - units.refunded).sum()
}

/// Why a return cannot be paid for, where it is the return's own doing.
fn because_of(row: &returns::Model) -> Option<Error> {
    if row.exchange_id.is_some() {
        let detail = "these goods were exchanged: the exchange settles the difference, nothing else is paid";
        return Some(Error::not_eligible("return_is_of_an_exchange", detail));
    }
    match row.status {
        ReturnStatus::Requested | ReturnStatus::Approved | ReturnStatus::InTransit => {
            let detail = "the goods are not back yet; receive_return_items, then inspect_return_items";
            Some(Error::not_eligible("return_not_received", detail))
        }
        ReturnStatus::Received => {
            let detail = "the goods are back and nobody has looked at them; inspect_return_items first";
            Some(Error::not_eligible("return_not_inspected", detail))
        }
        ReturnStatus::Rejected | ReturnStatus::Cancelled => {
            Some(Error::not_eligible("return_closed", format!("the return is {}", row.status)))
        }
        ReturnStatus::Inspected | ReturnStatus::Refunded => None,
    }
}

/// Where the return says its money goes, unless the call says otherwise.
async fn destination_of(
    tx: &impl ConnectionTrait,
    row: &returns::Model,
    input: &Returned,
) -> Result<(RefundDestination, Option<GiftCardId>)> {
    let destination = input.destination.unwrap_or(row.refund_to);
    let is_as_agreed = destination == row.refund_to && destination == RefundDestination::GiftCard;
    let (None, true, Some(method)) = (input.gift_card_id, is_as_agreed, row.refund_method_id) else {
        return Ok((destination, input.gift_card_id));
    };
    let method = payment_methods::Entity::find_by_id(method).one(tx).await?;
    Ok((destination, method.and_then(|method| method.gift_card_id)))
}

/// Marks the units as paid for; once all accepted ones are, the return is done.
async fn pay_return(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: returns::Model,
    chosen: &[(OrderLineId, i64)],
) -> Result<()> {
    let mut lines = row.lines.clone();
    for (id, units) in chosen {
        let mut left = *units;
        for line in lines.0.iter_mut().filter(|line| line.line_id == *id) {
            let paid = left.min(line.accepted - line.refunded);
            line.refunded += paid;
            left -= paid;
        }
    }
    let is_paid = lines.0.iter().all(|line| line.refunded >= line.accepted);
    let status =
        if is_paid { row.status.after(ReturnEvent::Refunded).unwrap_or(row.status) } else { row.status };
    let (id, order_id, version) = (row.id, row.order_id, row.version + 1);
    let mut row = row.into_active_model();
    row.lines = Set(lines);
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    let data = serde_json::json!({ "status": status });
    events::record(tx, ctx, "return.refunded", id, Some(order_id), data).await
}
