use shop_domain::after_sales::OrderFacts;
use shop_domain::ids::OrderId;
use shop_domain::operations::operation;
use shop_domain::policy::Policy;

use super::facts::{facts, policy_of};
use crate::Ctx;
use crate::error::Result;
use crate::{fulfillments, orders};

/// An order as the after-sales desk sees it: what the legality table looks at, and the store's policy.
#[derive(Clone, Debug)]
pub struct Case {
    pub order: orders::View,
    /// Its lines are those of the order, in the same order.
    pub facts: OrderFacts,
    pub policy: Policy,
}

/// Reads a case, its parcels where they are by now.
///
/// # Errors
/// When the order is out of sight.
pub async fn case(ctx: &Ctx, id: OrderId) -> Result<Case> {
    ctx.may(operation("get_order"))?;
    let order = orders::find(ctx, ctx.read()?, id).await?;
    let order = fulfillments::catch_up_for_read(ctx, order).await?;
    let conn = ctx.read()?;
    let facts = facts(conn, ctx, &order).await?;
    let policy = policy_of(conn, &order).await?;
    Ok(Case { order: orders::view(conn, id).await?, facts, policy })
}
