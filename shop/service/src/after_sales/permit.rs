use chrono::TimeDelta;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde::Serialize;
use shop_domain::after_sales::{AfterSalesOperation, OrderFacts, Verdict, line_verdict, rule_text, verdict};
use shop_domain::governance::{Answer, Gate, RiskFacts, gate, may_run, risk};
use shop_domain::ids::{ApprovalId, OrderLineId};
use shop_domain::operations::{Class, Operation, find};
use shop_domain::policy::Policy;
use shop_domain::status::RefundStatus;
use shop_store::entities::{orders, refunds};

use super::facts::{facts, policy_of};
use crate::approvals::{self, Signature};
use crate::error::{Error, Result};
use crate::{Ctx, orders as order_service};

/// What is about to be done to an order.
pub(crate) struct Ask<'a, I> {
    /// The units it is about; the whole order when absent.
    pub(crate) lines: Option<&'a [(OrderLineId, i64)]>,
    /// What would leave the shop, in minor units.
    pub(crate) outflow_minor: i64,
    /// The id in the operation's path.
    pub(crate) subject: String,
    pub(crate) approval_id: Option<ApprovalId>,
    /// The operation's input, which an approval is bound to.
    pub(crate) input: &'a I,
}

/// Leave to go on.
pub(crate) struct Permit {
    /// The approval that was spent on it.
    pub(crate) approval_id: Option<ApprovalId>,
    /// It is so already: answer as if it had just been done.
    pub(crate) is_done_already: bool,
}

/// Judges legality and risk inside the transaction, and spends the approval where one is needed.
///
/// # Errors
/// `not_eligible` with the rule, or `approval_pending` when a second person must agree.
pub(crate) async fn permit<I: Serialize>(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: AfterSalesOperation,
    order: &orders::Model,
    ask: Ask<'_, I>,
) -> Result<Permit> {
    let policy = policy_of(tx, order).await?;
    let facts = facts(tx, ctx, order).await?;
    let entry =
        find(operation.as_str()).ok_or_else(|| Error::internal("an after-sales operation without a row"))?;
    let reason = match judge(tx, ctx, operation, order, &facts, &policy, ask.lines).await? {
        Verdict::AlreadyDone => return Ok(Permit { approval_id: None, is_done_already: true }),
        Verdict::No { rule } => {
            return Err(Error::not_eligible(rule, rule_text(rule).unwrap_or(rule)).with_layer("risk"));
        }
        Verdict::Approval => {
            needs_second_person(tx, ctx, entry, order, &policy, ask.outflow_minor).await?;
            Some(format!("{operation} is possible here only when a second person agrees"))
        }
        Verdict::Yes => needs_second_person(tx, ctx, entry, order, &policy, ask.outflow_minor).await?,
    };
    let Some(reason) = reason.filter(|_| !policy.no_risk_gate) else {
        return Ok(Permit { approval_id: None, is_done_already: false });
    };
    let signature = Signature {
        operation: entry,
        subject: &ask.subject,
        input: ask.input,
        approval_id: ask.approval_id,
        reason,
    };
    Ok(Permit { approval_id: approvals::signed(tx, ctx, signature).await?, is_done_already: false })
}

async fn judge(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: AfterSalesOperation,
    order: &orders::Model,
    facts: &OrderFacts,
    policy: &Policy,
    lines: Option<&[(OrderLineId, i64)]>,
) -> Result<Verdict> {
    let mode = ctx.shop.settings.rules;
    let Some(lines) = lines else { return Ok(verdict(operation, facts, policy, mode)) };
    let rows = order_service::lines_of(tx, order.id).await?;
    let mut worst = Verdict::Yes;
    for (at, (id, _)) in lines.iter().enumerate() {
        let found = rows.iter().zip(&facts.lines).find(|(row, _)| row.id == *id);
        let Some((_, line)) = found else {
            return Err(Error::invalid(
                format!("/lines/{at}/line_id"),
                format!("line {id} is not of this order"),
            ));
        };
        match line_verdict(operation, facts, line, policy, mode) {
            no @ (Verdict::No { .. } | Verdict::AlreadyDone) => return Ok(no),
            Verdict::Approval => worst = Verdict::Approval,
            Verdict::Yes => {}
        }
    }
    Ok(worst)
}

/// Risk is read from the rows of this transaction, so that two halves in parallel cannot both slip under the limit.
async fn needs_second_person(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &Operation,
    order: &orders::Model,
    policy: &Policy,
    outflow_minor: i64,
) -> Result<Option<String>> {
    let midnight = ctx.now() - TimeDelta::hours(24);
    let today = refunds::Entity::find()
        .filter(refunds::Column::OrderId.eq(order.id))
        .filter(refunds::Column::CreatedAt.gt(midnight))
        .filter(refunds::Column::Status.ne(RefundStatus::Cancelled))
        .all(tx)
        .await?;
    let repeats = match order.customer_id {
        Some(_) if operation.class == Class::M => {
            let month = ctx.now() - TimeDelta::days(30);
            let recent = refunds::Entity::find().filter(refunds::Column::CreatedAt.gt(month)).filter(
                refunds::Column::OrderId.in_subquery(order_service::ids_of_customer(order.customer_id)),
            );
            recent.count(tx).await?
        }
        Some(_) | None => 0,
    };
    let facts = RiskFacts {
        amount_minor: outflow_minor,
        order_total_minor: order.total_minor,
        refunded_today_minor: today.iter().map(|refund| refund.amount_minor).sum(),
        repeats_30d: u32::try_from(repeats).unwrap_or(u32::MAX),
        order_age_days: (ctx.now() - order.placed_at).num_days(),
        ..RiskFacts::of(operation.class)
    };
    let risk = risk(&facts);
    ctx.note_risk(&risk);
    let decision = may_run(&ctx.principal, operation);
    if decision.answer == Answer::NeedsApproval {
        return Ok(Some(decision.why));
    }
    Ok(match gate(&risk, policy) {
        Gate::Pass => None,
        Gate::NeedsApproval { reason } => Some(reason),
    })
}
