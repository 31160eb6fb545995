use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shop_domain::ids::OrderId;
use shop_domain::operations::operation;
use shop_domain::status::OrderStatus;

use super::read::find;
use super::view::number;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events};

/// A confirmation that was sent again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderConfirmation)]
pub struct Confirmation {
    pub order_id: OrderId,
    #[schema(example = "#1042")]
    pub order_number: String,
    /// Who gets it: the order's contact.
    #[schema(example = "ada@example.com")]
    pub to: String,
    pub sent_at: DateTime<Utc>,
}

/// Sends the confirmation of an order again: one event for whoever sends mail. Nothing of the order changes.
///
/// # Errors
/// When there is nothing to confirm: a draft, or an order that was cancelled.
pub async fn resend_confirmation(ctx: &Ctx, id: OrderId) -> Result<Reply<Confirmation>> {
    let tx = match ctx.start(operation("resend_order_confirmation")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = find(ctx, &*tx, id).await?;
    match order.status {
        OrderStatus::Pending | OrderStatus::Confirmed | OrderStatus::OnHold | OrderStatus::Completed => {}
        OrderStatus::Draft | OrderStatus::Cancelled => {
            let detail = format!("order {id} is {}; there is nothing to confirm", order.status);
            return Err(Error::precondition("order_not_open", detail));
        }
    }
    // Whoever sends it reads the contact of the order: an event keeps no address.
    let data = json!({ "template": "order_confirmation" });
    events::record(&*tx, ctx, "order.confirmation_resent", id, Some(id), data).await?;
    let view = Confirmation {
        order_id: id,
        order_number: number(&order),
        to: order.contact_email,
        sent_at: ctx.now(),
    };
    tx.finish(ctx, id, view).await
}
