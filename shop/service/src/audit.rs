//! Who did what, on whose behalf, and which layer decided.

use sea_orm::{ActiveModelTrait, ConnectionTrait, NotSet, Set};
use shop_domain::ids::AuditId;
use shop_domain::operations::Operation;
use shop_store::entities::audit_log;

use crate::ctx::Ctx;
use crate::error::{Error, Result};

pub(crate) async fn allowed(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &Operation,
    subject: &str,
) -> Result<()> {
    write(tx, ctx, operation, Some(subject), "allowed", "execution", None).await
}

/// Writes a refusal down in a transaction of its own: the refused one is rolled back.
pub(crate) async fn refused(ctx: &Ctx, operation: &Operation, error: &Error) -> Result<()> {
    let tx = ctx.begin().await?;
    let layer = error.layer.unwrap_or("execution");
    write(&*tx, ctx, operation, None, "refused", layer, Some(error.to_string())).await?;
    tx.commit().await
}

async fn write(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    operation: &Operation,
    subject: Option<&str>,
    outcome: &str,
    layer: &str,
    reason: Option<String>,
) -> Result<()> {
    let row = audit_log::ActiveModel {
        seq: NotSet,
        id: Set(ctx.id(AuditId::new)),
        principal_id: Set(ctx.principal.id),
        principal_name: Set(ctx.principal.name.clone()),
        on_behalf_of: Set(ctx.principal.on_behalf_of.as_ref().map(|person| person.id)),
        operation: Set(operation.id.to_owned()),
        subject: Set(subject.map(str::to_owned)),
        outcome: Set(outcome.to_owned()),
        layer: Set(layer.to_owned()),
        reason: Set(reason),
        approval_id: Set(ctx.call.approval_id),
        door: Set(ctx.door.as_str().to_owned()),
        at: Set(ctx.now()),
    };
    row.insert(tx).await?;
    Ok(())
}
