use shop_domain::after_sales::{self, Door, Verdict, rule_text};
use shop_domain::ids::OrderId;
use shop_domain::operations::operation;

use super::facts::{facts, policy_of};
use crate::Ctx;
use crate::error::Result;
use crate::orders;

/// One after-sales door of an order, and whether it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoorView {
    pub door: Door,
    pub eligible: bool,
    /// The rule behind a no, such as `order_has_shipped`.
    pub reason: Option<&'static str>,
    /// The rule in words, with the way that is open instead.
    pub hint: Option<&'static str>,
    /// Whether a second person has to agree first.
    pub needs_approval: bool,
}

/// Every after-sales door of an order, by the same table that judges the operations behind them.
///
/// # Errors
/// When the order is out of sight.
pub async fn eligibility(ctx: &Ctx, id: OrderId) -> Result<Vec<DoorView>> {
    ctx.may(operation("get_order"))?;
    let conn = ctx.read()?;
    let order = orders::find(ctx, conn, id).await?;
    let facts = facts(conn, ctx, &order).await?;
    let policy = policy_of(conn, &order).await?;
    let doors = after_sales::eligibility(&facts, &policy, ctx.shop.settings.rules);
    Ok(doors.into_iter().map(|(door, verdict)| view(door, verdict)).collect())
}

fn view(door: Door, verdict: Verdict) -> DoorView {
    DoorView {
        door,
        eligible: verdict.is_eligible(),
        reason: verdict.reason(),
        hint: verdict.reason().and_then(rule_text),
        needs_approval: verdict == Verdict::Approval,
    }
}
