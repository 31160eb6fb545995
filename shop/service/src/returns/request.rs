use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::ids::{ApprovalId, ExchangeId, OrderId, OrderLineId, PaymentMethodId, ReturnId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::policy::Policy;
use shop_domain::reasons::ReturnReason;
use shop_domain::status::{InstrumentKind, RefundDestination, ReturnStatus};
use shop_store::columns::{ReturnLine, ReturnLines};
use shop_store::entities::{order_lines, orders, payment_methods, returns};

use super::input::Request;
use super::read::{of_order, returnable, view};
use super::view::View;
use super::write::accept;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::units::{LineUnits, pick};
use crate::{Ctx, Reply, events, fulfillments, orders as order_service, payments};

/// Asks for delivered units to come back. Pays nothing. A routine reason is approved at once where the store's
/// policy says so.
///
/// # Errors
/// `not_eligible` before delivery; `approval_pending` when the window is closed; when the units are not there.
pub async fn request(ctx: &Ctx, order_id: OrderId, input: Request) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("request_return")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = order_service::find(ctx, &*tx, order_id).await?;
    let order = fulfillments::catch_up(&*tx, ctx, order).await?;
    ctx.must_match(order.version)?;
    let policy = after_sales::policy_of(&*tx, &order).await?;
    let refund_to = input.refund_to.unwrap_or(RefundDestination::OriginalMethod);
    check(&*tx, &order, &input, refund_to, &policy).await?;
    let named: Option<Vec<_>> = input.lines.as_ref().map(|lines| lines.iter().map(LineUnits::pair).collect());
    let ask = Ask {
        lines: named.as_deref(),
        outflow_minor: 0,
        subject: order_id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    let permit = after_sales::permit(&*tx, ctx, AfterSalesOperation::RequestReturn, &order, ask).await?;
    let lines = order_service::lines_of(&*tx, order_id).await?;
    let earlier = of_order(&*tx, order_id).await?;
    let rules = ctx.shop.settings.rules;
    let free = |line: &order_lines::Model| returnable(line, &earlier, rules);
    let picked = pick(&lines, input.lines.as_deref(), free, "delivered and with the customer")?;
    let wish = Wish {
        exchange_id: None,
        reason: input.reason,
        note: input.note,
        lines: picked.iter().map(|(line, units)| (line.id, *units)).collect(),
        refund_to,
        refund_method_id: input.refund_method_id,
        approval_id: permit.approval_id,
    };
    let mut row = open(&*tx, ctx, &order, wish).await?;
    if policy.auto_approve_returns && row.reason.is_routine() {
        row = accept(&*tx, ctx, row, limits::RETURN_DEADLINE_DAYS).await?;
    }
    order_service::refresh(&*tx, ctx, order_id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, view.id, view).await
}

/// What somebody wants to send back.
pub(crate) struct Wish {
    pub(crate) exchange_id: Option<ExchangeId>,
    pub(crate) reason: ReturnReason,
    pub(crate) note: Option<String>,
    pub(crate) lines: Vec<(OrderLineId, i64)>,
    pub(crate) refund_to: RefundDestination,
    pub(crate) refund_method_id: Option<PaymentMethodId>,
    pub(crate) approval_id: Option<ApprovalId>,
}

/// Opens a return of units that are there to return, and counts them on their lines.
pub(crate) async fn open(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &orders::Model,
    wish: Wish,
) -> Result<returns::Model> {
    for line in order_service::lines_of(tx, order.id).await? {
        let own = wish.lines.iter().filter(|(id, _)| *id == line.id);
        let units: i64 = own.map(|(_, units)| units).sum();
        if units > 0 {
            let in_return = line.return_quantity + units;
            let mut line = line.into_active_model();
            line.return_quantity = Set(in_return);
            line.update(tx).await?;
        }
    }
    let lines = wish.lines.into_iter().map(|(line_id, quantity)| ReturnLine {
        line_id,
        quantity,
        received: 0,
        accepted: 0,
        restocked: 0,
        refunded: 0,
    });
    let row = returns::ActiveModel {
        id: Set(ctx.id(ReturnId::new)),
        order_id: Set(order.id),
        customer_id: Set(order.customer_id),
        exchange_id: Set(wish.exchange_id),
        status: Set(ReturnStatus::Requested),
        reason: Set(wish.reason),
        note: Set(wish.note),
        lines: Set(ReturnLines(lines.collect())),
        refund_to: Set(wish.refund_to),
        refund_method_id: Set(wish.refund_method_id),
        deadline_at: Set(None),
        label_tracking: Set(None),
        label_minor: Set(None),
        reject_reason: Set(None),
        approval_id: Set(wish.approval_id),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(tx).await?;
    let data = json!({ "reason": row.reason, "exchange_id": row.exchange_id });
    events::record(tx, ctx, "return.requested", row.id, Some(order.id), data).await?;
    Ok(row)
}

async fn check(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    input: &Request,
    refund_to: RefundDestination,
    policy: &Policy,
) -> Result<()> {
    if input.note.as_ref().is_some_and(|note| note.len() > limits::REASON_CHARS_MAX) {
        let message = format!("a note has at most {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/note", message));
    }
    if !policy.refund_destinations.contains(&refund_to) {
        let allowed: Vec<_> = policy.refund_destinations.iter().map(|to| to.as_str()).collect();
        let message = format!("this store refunds to {}", allowed.join(" or "));
        return Err(Error::invalid("/refund_to", message));
    }
    let Some(id) = input.refund_method_id else { return Ok(()) };
    let method = payment_methods::Entity::find_by_id(id).one(tx).await?;
    let method = method.filter(|method| Some(method.customer_id) == order.customer_id);
    let method = method.ok_or_else(|| Error::not_found(format!("payment method {id}")))?;
    let fits = match refund_to {
        RefundDestination::OriginalMethod => {
            let paid = payments::of_order(tx, order.id).await?;
            paid.iter().any(|payment| payment.payment_method_id == Some(id))
        }
        RefundDestination::GiftCard => method.kind == InstrumentKind::GiftCard,
        RefundDestination::StoreCredit => false,
    };
    if fits {
        return Ok(());
    }
    Err(Error::invalid(
        "/refund_method_id",
        "name the method that paid the order for `original_method`, a gift card of the customer for `gift_card`, and none for `store_credit`",
    ))
}
