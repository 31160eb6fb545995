use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, JsonValue, NotSet, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::governance::{Owner, Scope, sees};
use shop_domain::ids::{EventId, WebhookDeliveryId};
use shop_domain::status::DeliveryStatus;
use shop_domain::webhooks::wants;
use shop_store::entities::{events, webhook_deliveries as deliveries, webhook_endpoints as endpoints};

use crate::error::Result;
use crate::owners::{self, Found};
use crate::{Ctx, jobs};

/// What is about to be sent.
pub(super) struct Parcel {
    pub(super) event_id: EventId,
    pub(super) kind: String,
    pub(super) body: JsonValue,
    pub(super) is_test: bool,
    pub(super) redelivery_of: Option<WebhookDeliveryId>,
}

/// Writes a delivery of an event for every endpoint that wants it and may see it, in the event's own transaction.
pub(crate) async fn fan_out(tx: &impl ConnectionTrait, ctx: &Ctx, event: &events::Model) -> Result<()> {
    let listening = endpoints::Entity::find()
        .filter(endpoints::Column::IsActive.eq(true))
        .filter(endpoints::Column::DeletedAt.is_null())
        .all(tx)
        .await?;
    let wanted = listening
        .into_iter()
        .filter(|endpoint| endpoint.events.0.iter().any(|subscription| wants(subscription, &event.kind)));
    let mut owner = None;
    for endpoint in wanted {
        let scope = scope_of(&endpoint);
        if scope != Scope::Tenant {
            let known = match owner {
                Some(known) => known,
                None => *owner.insert(owner_of(tx, event).await?),
            };
            if !sees(&scope, &known) {
                continue;
            }
        }
        let parcel = Parcel {
            event_id: event.id,
            kind: event.kind.clone(),
            body: body(event),
            is_test: false,
            redelivery_of: None,
        };
        queue(tx, ctx, &endpoint, parcel).await?;
    }
    Ok(())
}

/// Puts one delivery at the end of an endpoint's queue.
pub(super) async fn queue(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    endpoint: &endpoints::Model,
    parcel: Parcel,
) -> Result<deliveries::Model> {
    let row = deliveries::ActiveModel {
        seq: NotSet,
        id: Set(ctx.id(WebhookDeliveryId::new)),
        endpoint_id: Set(endpoint.id),
        event_id: Set(parcel.event_id),
        kind: Set(parcel.kind),
        body: Set(parcel.body),
        is_test: Set(parcel.is_test),
        redelivery_of: Set(parcel.redelivery_of),
        status: Set(DeliveryStatus::Pending),
        tries: Set(0),
        last_status: Set(None),
        last_error: Set(None),
        latency_ms: Set(None),
        next_try_at: Set(Some(ctx.now())),
        delivered_at: Set(None),
        created_at: Set(ctx.now()),
    };
    let row = row.insert(tx).await?;
    jobs::enqueue(tx, &ctx.shop, jobs::Kind::DeliverWebhooks, endpoint.id, ctx.now()).await?;
    Ok(row)
}

/// How far an endpoint sees.
pub(super) const fn scope_of(endpoint: &endpoints::Model) -> Scope {
    match (endpoint.store_id, endpoint.brand_id) {
        (Some(store), _) => Scope::Store(store),
        (None, Some(brand)) => Scope::Brand(brand),
        (None, None) => Scope::Tenant,
    }
}

/// What the subscriber gets.
fn body(event: &events::Model) -> JsonValue {
    json!({
        "id": event.id,
        "type": event.kind,
        "created_at": event.at,
        "subject": event.subject,
        "order_id": event.order_id,
        "data": event.data,
    })
}

/// Whom an event concerns: its order's people, or those of what it happened to.
async fn owner_of(tx: &impl ConnectionTrait, event: &events::Model) -> Result<Owner> {
    let subject = event.order_id.map_or_else(|| event.subject.clone(), |order| order.to_string());
    Ok(match owners::owner_of(tx, &subject).await? {
        Found::By(owner) => owner,
        // What belongs to nobody in particular is for those who see everything.
        Found::Absent | Found::Unknown => Owner::default(),
    })
}
