//! What the gateway tells by itself. It is verified, taken once, and only a hint: all it starts is a look-up, which
//! ends in [`crate::attempts::settle`] like any other.

use std::sync::Arc;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{AttemptId, PaymentId, RefundId};
use shop_gateway::webhook::{Event, EventKind, TOLERANCE, verify};
use shop_store::entities::{attempts, payments};
use shop_world::clock::real_now;
use shop_world::journal;

use crate::error::{Error, Result};
use crate::jobs::{self, Kind};
use crate::shop::Shop;
use crate::{Ctx, idempotency};

/// Whose keys the ids of events are.
const SCOPE: &str = "gateway/hooks";

/// Takes one delivery. One that comes again, comes late or says nothing new is taken and changes nothing.
///
/// # Errors
/// `authentication_required` when it is not signed by the gateway now; `validation_failed` when it is no event.
pub async fn receive(shop: &Arc<Shop>, signature: &str, body: &[u8]) -> Result<()> {
    let event = read(shop, signature, body);
    let taken = match &event {
        Ok(event) => take(&Ctx::system(Arc::clone(shop)), event).await,
        Err(refused) => Err(Error::new(refused.code, refused.detail.clone())),
    };
    write_journal(shop, event.ok().as_ref(), &taken);
    taken
}

fn read(shop: &Shop, signature: &str, body: &[u8]) -> Result<Event> {
    verify(&shop.settings.webhook_secret, signature, body, real_now(), TOLERANCE).map_err(|why| {
        Error::new(ErrorCode::AuthenticationRequired, format!("this is not from the payment gateway: {why}"))
    })?;
    serde_json::from_slice(body)
        .map_err(|cause| Error::invalid("", format!("this is no event of the payment gateway: {cause}")))
}

/// What an event is reason enough to look at.
enum Look {
    /// An attempt whose answer is missing.
    Attempt(AttemptId),
    /// A refund that a bank has sent back.
    Refund(RefundId),
    /// A payment that a bank disputes, or about which it has decided.
    Dispute(PaymentId),
}

async fn take(ctx: &Ctx, event: &Event) -> Result<()> {
    let Some(look) = worth_a_look(ctx, event).await? else { return Ok(()) };
    let tx = ctx.begin().await?;
    if !idempotency::is_new(&*tx, ctx, SCOPE, &event.id).await? {
        return Ok(());
    }
    let now = ctx.now();
    match look {
        Look::Attempt(id) => jobs::enqueue(&*tx, &ctx.shop, Kind::Settle, id, now).await?,
        Look::Refund(id) => jobs::enqueue(&*tx, &ctx.shop, Kind::WatchRefund, id, now).await?,
        Look::Dispute(id) => jobs::enqueue(&*tx, &ctx.shop, Kind::WatchDispute, id, now).await?,
    }
    tx.commit().await
}

async fn worth_a_look(ctx: &Ctx, event: &Event) -> Result<Option<Look>> {
    if let Some(key) = &event.key {
        let of_key = attempts::Entity::find().filter(attempts::Column::GatewayKey.eq(key));
        let open = of_key.one(ctx.read()?).await?.filter(|row| row.outcome.is_open());
        // Whoever is calling this moment will hear it from the gateway, or look.
        return Ok(open.filter(|row| !ctx.shop.is_calling(row.id)).map(|row| Look::Attempt(row.id)));
    }
    if let Some(disputed) = event.payment.as_ref().filter(|payment| payment.dispute.is_some()) {
        let of_charge = payments::Entity::find().filter(payments::Column::ChargeId.eq(&disputed.id));
        return Ok(of_charge.one(ctx.read()?).await?.map(|payment| Look::Dispute(payment.id)));
    }
    let bounced = event.refund.as_ref().filter(|_| event.kind == EventKind::RefundFailed);
    Ok(bounced.and_then(|refund| refund.reference.parse().ok()).map(Look::Refund))
}

fn write_journal(shop: &Shop, event: Option<&Event>, taken: &Result<()>) {
    let kind = event.and_then(|event| serde_json::to_value(event.kind).ok());
    let kind = kind.and_then(|kind| kind.as_str().map(str::to_owned));
    let line = journal::Line {
        door: "webhook".to_owned(),
        operation: kind.unwrap_or_else(|| "unreadable".to_owned()),
        principal: None,
        key: event.and_then(|event| event.key.clone()),
        about: event.map(|event| event.id.clone()),
        outcome: taken.as_ref().map_or_else(|error| error.code.as_str(), |()| "taken").to_owned(),
    };
    shop.world.journal.write(shop.world.clock.now(), line);
}

#[cfg(test)]
mod tests;
