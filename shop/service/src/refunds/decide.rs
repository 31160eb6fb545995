use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::ids::{GiftCardId, RefundId};
use shop_domain::ledger::refund_committed;
use shop_domain::operations::Operation;
use shop_domain::payments::Tender;
use shop_domain::refunds::RefundEvent;
use shop_domain::status::{AttemptKind, RefundDestination, RefundKind, RefundStatus};
use shop_store::columns::Lines;
use shop_store::entities::{order_lines, orders, payments, refunds};

use super::apply::paid;
use super::books::Books;
use super::plan::{Part, Plan, Share, shares};
use crate::attempts::{self, Intent};
use crate::error::{Error, Result};
use crate::{Ctx, events, gift_cards, ledger, tenders};

/// What the ledger calls the decision of a refund; giving it up reverses these postings.
pub(super) const DECIDED: &str = "refund_decided";

/// Writes the refunds of a plan, one for each payment that money comes from: the claim on the order, the decision in
/// the books, and then the payment itself. Through the gateway that is an intent; our own promises are paid at once.
pub(super) async fn decide(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &'static Operation,
    books: &Books,
    plan: &Plan,
) -> Result<RefundId> {
    ctx.must_agree(plan.amount_minor())?;
    let shares = shares(books, plan)?;
    claim(tx, books, plan).await?;
    let card = gift_card(tx, ctx, books, plan).await?;
    let batch_id = ctx.id(RefundId::new);
    for (at, share) in shares.iter().enumerate() {
        let id = if at == 0 { batch_id } else { ctx.id(RefundId::new) };
        let row = insert(tx, ctx, books, plan, share, (id, batch_id, card)).await?;
        ledger::post(tx, ctx, &refund_committed(&share.from)?, ledger::Refs::refund(&row), DECIDED).await?;
        let data =
            json!({ "kind": row.kind, "amount_minor": row.amount_minor, "destination": row.destination });
        events::record(tx, ctx, "refund.decided", id, Some(row.order_id), data).await?;
        pay(tx, ctx, operation, &books.order, share.payment, row).await?;
    }
    Ok(batch_id)
}

/// Units and money that no other refund may claim from here on.
async fn claim(tx: &impl ConnectionTrait, books: &Books, plan: &Plan) -> Result<()> {
    let mut shipping = 0;
    for part in &plan.parts {
        match *part {
            Part::Line { line_id, quantity, minor } => change_line(tx, line_id, quantity, minor).await?,
            Part::Shipping { minor } => shipping += minor,
            Part::Overpaid { .. } => {}
        }
    }
    let adjusted = if plan.kind == RefundKind::PriceAdjustment { plan.amount_minor() } else { 0 };
    change_order(tx, &books.order, shipping, adjusted).await
}

/// Gives a claim back, when a refund is given up.
pub(super) async fn unclaim(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    refund: &refunds::Model,
) -> Result<()> {
    for line in &refund.lines.0 {
        change_line(tx, line.line_id, -line.quantity, -line.amount_minor).await?;
    }
    let adjusted = if refund.kind == RefundKind::PriceAdjustment { refund.amount_minor } else { 0 };
    change_order(tx, order, -refund.shipping_minor, -adjusted).await
}

async fn change_line(
    tx: &impl ConnectionTrait,
    id: shop_domain::ids::OrderLineId,
    units: i64,
    minor: i64,
) -> Result<()> {
    use order_lines::Column;
    order_lines::Entity::update_many()
        .col_expr(Column::RefundedQuantity, Expr::col(Column::RefundedQuantity).add(units))
        .col_expr(Column::RefundedMinor, Expr::col(Column::RefundedMinor).add(minor))
        .filter(Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}

async fn change_order(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    shipping: i64,
    adjusted: i64,
) -> Result<()> {
    use orders::Column;
    orders::Entity::update_many()
        .col_expr(Column::ShippingRefundedMinor, Expr::col(Column::ShippingRefundedMinor).add(shipping))
        .col_expr(Column::AdjustedMinor, Expr::col(Column::AdjustedMinor).add(adjusted))
        .filter(Column::Id.eq(order.id))
        .exec(tx)
        .await?;
    Ok(())
}

/// The card that was named, or a new one.
async fn gift_card(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    books: &Books,
    plan: &Plan,
) -> Result<Option<GiftCardId>> {
    match (plan.to.destination, plan.to.gift_card_id) {
        (RefundDestination::GiftCard, None) => {
            let order = &books.order;
            let owner = gift_cards::Owner { store_id: order.store_id, customer_id: order.customer_id };
            let card = gift_cards::make(tx, ctx, owner, order.currency, plan.amount_minor()).await?;
            Ok(Some(card.id))
        }
        (RefundDestination::GiftCard, named) => Ok(named),
        (RefundDestination::OriginalMethod | RefundDestination::StoreCredit, _) => Ok(None),
    }
}

async fn insert(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    books: &Books,
    plan: &Plan,
    share: &Share<'_>,
    (id, batch_id, card): (RefundId, RefundId, Option<GiftCardId>),
) -> Result<refunds::Model> {
    let own_card = match plan.to.destination {
        RefundDestination::OriginalMethod => share.payment.gift_card_id,
        RefundDestination::StoreCredit | RefundDestination::GiftCard => None,
    };
    let row = refunds::ActiveModel {
        id: Set(id),
        batch_id: Set(batch_id),
        order_id: Set(books.order.id),
        payment_id: Set(Some(share.payment.id)),
        return_id: Set(plan.return_id),
        kind: Set(plan.kind),
        destination: Set(plan.to.destination),
        gift_card_id: Set(card.or(own_card)),
        amount_minor: Set(share.amount_minor),
        currency: Set(books.order.currency),
        lines: Set(Lines(share.lines.clone())),
        shipping_minor: Set(share.shipping_minor),
        reason: Set(plan.reason.clone()),
        status: Set(RefundStatus::Pending),
        gateway_ref: Set(None),
        approval_id: Set(plan.approval_id),
        requested_by: Set(ctx.principal.id.to_string()),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    Ok(row.insert(tx).await?)
}

/// Pays by rows, or writes the intent to ask the gateway.
async fn pay(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &'static Operation,
    order: &orders::Model,
    payment: &payments::Model,
    row: refunds::Model,
) -> Result<()> {
    let tender = Tender::from(payment.instrument).refunded_to(row.destination);
    let (amount, order_id) = (row.amount_minor, Some(row.order_id));
    match (tender, order.customer_id, row.gift_card_id) {
        (Tender::Gateway, _, _) => return submit(tx, ctx, operation, row).await,
        (Tender::StoreCredit, Some(customer), _) => {
            tenders::give_credit(tx, ctx, (customer, row.currency), amount, "refund", order_id).await?;
        }
        (Tender::GiftCard, _, Some(card)) => gift_cards::give_back(tx, ctx, card, amount, order_id).await?,
        // Handed over in person.
        (Tender::Offline, _, _) => {}
        (Tender::StoreCredit, None, _) | (Tender::GiftCard, _, None) => {
            return Err(Error::internal("a refund to nobody"));
        }
    }
    paid(tx, ctx, &row, tender).await?;
    let status = row.status.after(RefundEvent::Succeeded);
    let status = status.map_err(|refusal| Error::internal(refusal.to_string()))?;
    let data = json!({ "amount_minor": amount });
    events::record(tx, ctx, "refund.succeeded", row.id, order_id, data).await?;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.update(tx).await?;
    Ok(())
}

/// Writes the intent to ask the gateway for a refund.
pub(super) async fn submit(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &'static Operation,
    row: refunds::Model,
) -> Result<()> {
    let row = submitted(tx, ctx, row).await?;
    let payment_id = row.payment_id.ok_or_else(|| Error::internal("a gateway refund without a payment"))?;
    let intent = Intent {
        kind: AttemptKind::Refund,
        order_id: row.order_id,
        payment_id,
        refund_id: Some(row.id),
        amount_minor: row.amount_minor,
    };
    attempts::record(tx, ctx, operation, intent).await?;
    Ok(())
}

pub(super) async fn submitted(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    row: refunds::Model,
) -> Result<refunds::Model> {
    let status = row.status.after(RefundEvent::Sent);
    let status = status.map_err(|refusal| Error::precondition("refund_not_ready", refusal.to_string()))?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}
