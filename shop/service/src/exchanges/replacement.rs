use sea_orm::EntityTrait;
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::ids::{FulfillmentId, OrderId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::{fulfillments as parcels, order_lines, returns as return_rows, variants};

use super::input::Replace;
use super::quote::priced;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::fulfillments::{self, Parcel};
use crate::returns;
use crate::start::Start;
use crate::units::{LineUnits, pick};
use crate::{Ctx, Reply, events, inventory, orders};

/// Packs the same goods again, free, with no return: for what the carrier lost, or, when a second person agrees,
/// for what was delivered. One remedy a unit: what was refunded is not sent again.
///
/// # Errors
/// `not_eligible` without a delivery exception; `approval_pending` after delivery; `out_of_stock`.
pub async fn send_replacement(
    ctx: &Ctx,
    order_id: OrderId,
    input: Replace,
) -> Result<Reply<fulfillments::View>> {
    let tx = match ctx.start(operation("send_replacement")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    let order = fulfillments::catch_up(&*tx, ctx, order).await?;
    ctx.must_match(order.version)?;
    if input.reason.trim().is_empty() || input.reason.len() > limits::REASON_CHARS_MAX {
        let message = format!("a reason has 1 to {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/reason", message));
    }
    let lines = orders::lines_of(&*tx, order_id).await?;
    let pairs: Vec<_> = input.lines.iter().map(LineUnits::pair).collect();
    let ask = Ask {
        lines: Some(&pairs),
        outflow_minor: worth(&lines, &input.lines)?,
        subject: order_id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    let permit = after_sales::permit(&*tx, ctx, AfterSalesOperation::SendReplacement, &order, ask).await?;
    let earlier = returns::of_order(&*tx, order_id).await?;
    let sent = fulfillments::of_order(&*tx, order_id).await?;
    let free = |line: &order_lines::Model| replaceable(line, &earlier, &sent);
    let picked = pick(&lines, Some(&input.lines), free, "shipped, and neither replaced nor refunded")?;
    let id = ctx.id(FulfillmentId::new);
    for (line, units) in &picked {
        let variant = variants::Entity::find_by_id(line.variant_id).one(&*tx).await?;
        let variant = variant.ok_or_else(|| Error::internal("a variant has vanished"))?;
        inventory::reserve(&*tx, ctx, &variant, *units, &id.to_string(), None).await?;
    }
    let parcel = Parcel {
        id,
        order: &order,
        purpose: FulfillmentPurpose::Replacement,
        exchange_id: None,
        location_id: None,
        lines: picked,
    };
    let row = fulfillments::allocate(&*tx, ctx, parcel).await?;
    let data = json!({
        "fulfillment_id": id, "reason": input.reason, "approval_id": permit.approval_id,
    });
    events::record(&*tx, ctx, "order.replacement_sent", order_id, Some(order_id), data).await?;
    orders::refresh(&*tx, ctx, order_id).await?;
    tx.finish(ctx, id, fulfillments::View::from(row)).await
}

/// Units of a line that left, are not on their way back, and had no remedy yet.
fn replaceable(line: &order_lines::Model, earlier: &[return_rows::Model], sent: &[parcels::Model]) -> i64 {
    let kept = returns::kept_and_paid_for(line, earlier);
    Ord::min(line.shipped_quantity - line.return_quantity, kept) - fulfillments::replaced_units(sent, line.id)
}

/// What the goods cost the customer, which is what they are worth.
fn worth(lines: &[order_lines::Model], units: &[LineUnits]) -> Result<i64> {
    let mut worth = 0;
    for LineUnits { line_id, quantity } in units {
        let line = lines.iter().find(|line| line.id == *line_id);
        if let Some(line) = line.filter(|line| (1..=line.quantity).contains(quantity)) {
            worth += priced(line).part(*quantity)?.total_minor()?;
        }
    }
    Ok(worth)
}
