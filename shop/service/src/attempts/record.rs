use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use shop_domain::after_sales::Trust;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{AttemptId, OrderId, PaymentId, RefundId};
use shop_domain::operations::Operation;
use shop_domain::status::{AttemptKind, AttemptOutcome};
use shop_store::entities::attempts;
use shop_store::is_unique_violation;

use crate::error::{Error, Result};
use crate::{Ctx, idempotency, jobs};

/// What is about to be asked of the gateway.
pub(crate) struct Intent {
    pub(crate) kind: AttemptKind,
    pub(crate) order_id: OrderId,
    pub(crate) payment_id: PaymentId,
    pub(crate) refund_id: Option<RefundId>,
    pub(crate) amount_minor: i64,
}

/// Writes the intent and its gateway key. The charge is committed to once this transaction is.
///
/// # Errors
/// `outcome_unknown` while another attempt on the same payment or refund has no outcome.
pub(crate) async fn record(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &Operation,
    intent: Intent,
) -> Result<attempts::Model> {
    if ctx.shop.settings.rules.trusts_caller_on(Trust::OneAttempt) {
        forget_unknown(tx, &intent).await?;
    }
    let id = ctx.id(AttemptId::new);
    let key = ctx.call.key.as_ref();
    let row = attempts::ActiveModel {
        id: Set(id),
        payment_id: Set(Some(intent.payment_id)),
        refund_id: Set(intent.refund_id),
        order_id: Set(intent.order_id),
        kind: Set(intent.kind),
        // The attempt's own id: it never comes twice, so neither does the key.
        gateway_key: Set(id.to_string()),
        amount_minor: Set(intent.amount_minor),
        outcome: Set(AttemptOutcome::Pending),
        gateway_ref: Set(None),
        detail: Set(None),
        caller_scope: Set(key.map(|_| idempotency::scope(ctx, operation))),
        caller_key: Set(key.map(|key| key.key.clone())),
        action_id: Set(ctx.call.action_id),
        lookups: Set(0),
        created_at: Set(ctx.now()),
        settled_at: Set(None),
    };
    let row = row
        .insert(tx)
        .await
        .map_err(|cause| if is_unique_violation(&cause) { open_attempt() } else { cause.into() })?;
    // Whatever becomes of this process, somebody will look the key up.
    let due = ctx.now() + jobs::backoff(4);
    jobs::enqueue(tx, &ctx.shop, jobs::Kind::Settle, row.id, due).await?;
    Ok(row)
}

fn open_attempt() -> Error {
    Error::new(
        ErrorCode::OutcomeUnknown,
        "an earlier call to the gateway has no known outcome; find out with sync_payment_status or sync_refund_status before trying again",
    )
}

/// The legacy shop takes silence for failure, which is how it charges twice.
async fn forget_unknown(tx: &impl ConnectionTrait, intent: &Intent) -> Result<()> {
    let mut open = attempts::Entity::find()
        .filter(attempts::Column::PaymentId.eq(intent.payment_id))
        .filter(attempts::Column::Outcome.eq(AttemptOutcome::Unknown));
    open = match intent.refund_id {
        Some(refund) => open.filter(attempts::Column::RefundId.eq(refund)),
        None => open.filter(attempts::Column::RefundId.is_null()),
    };
    for row in open.all(tx).await? {
        let mut row = row.into_active_model();
        row.outcome = Set(AttemptOutcome::NotSent);
        row.detail = Set(Some("taken for failed by the rules of the page".to_owned()));
        row.update(tx).await?;
    }
    Ok(())
}
