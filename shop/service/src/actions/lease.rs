use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::ids::{ActionId, JobId};
use shop_domain::limits;
use shop_store::entities::actions::{Column, Entity};
use shop_world::clock::lease_now_ms;

use crate::ctx::Ctx;
use crate::error::Result;

/// Takes the sole right to work on an action; the token gives it back. `None` while somebody else has it. It ends by
/// itself in real time, and at once when the process that holds it is gone: its boot is not this one's.
///
/// # Errors
/// When the database does not answer.
pub async fn claim(ctx: &Ctx, id: ActionId) -> Result<Option<String>> {
    let boot = format!("{}/", ctx.shop.world.boot);
    let token = format!("{boot}{}", ctx.id(JobId::new));
    let tx = ctx.begin().await?;
    let is_free = Column::LeaseUntilMs
        .lt(lease_now_ms())
        .or(Column::LeaseOwner.is_null())
        .or(Column::LeaseOwner.starts_with(&boot).not());
    let taken = Entity::update_many()
        .col_expr(Column::LeaseUntilMs, Expr::value(lease_now_ms() + limits::LEASE_MS))
        .col_expr(Column::LeaseOwner, Expr::value(token.clone()))
        .filter(Column::Id.eq(id))
        .filter(is_free)
        .exec(&*tx)
        .await?;
    tx.commit().await?;
    Ok((taken.rows_affected == 1).then_some(token))
}

/// Gives the right back, if it is still held under this token.
///
/// # Errors
/// When the database does not answer; the lease then ends by itself.
pub async fn unclaim(ctx: &Ctx, id: ActionId, token: &str) -> Result<()> {
    let tx = ctx.begin().await?;
    Entity::update_many()
        .col_expr(Column::LeaseUntilMs, Expr::value(0))
        .col_expr(Column::LeaseOwner, Expr::value(None::<String>))
        .filter(Column::Id.eq(id))
        .filter(Column::LeaseOwner.eq(token))
        .exec(&*tx)
        .await?;
    tx.commit().await
}
