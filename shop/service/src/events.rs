//! The ordered log of what happened; everybody who polls or subscribes reads this.

use sea_orm::{ActiveModelTrait, ConnectionTrait, JsonValue, NotSet, Set};
use shop_domain::ids::{EventId, OrderId};
use shop_store::entities::events;

use crate::ctx::Ctx;
use crate::error::Result;
use crate::webhooks;

/// Writes one event in the transaction of its effect, and a delivery for everybody who subscribed to it.
pub(crate) async fn record(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    kind: &str,
    subject: impl ToString,
    order_id: Option<OrderId>,
    data: JsonValue,
) -> Result<()> {
    let row = events::ActiveModel {
        seq: NotSet,
        id: Set(ctx.id(EventId::new)),
        kind: Set(kind.to_owned()),
        subject: Set(subject.to_string()),
        order_id: Set(order_id),
        data: Set(data),
        at: Set(ctx.now()),
    };
    let row = row.insert(tx).await?;
    webhooks::fan_out(tx, ctx, &row).await
}
