use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, Set,
};
use serde_json::json;
use shop_domain::governance::{Owner, Scope};
use shop_domain::ids::{EventId, StoreId, WebhookDeliveryId, WebhookEndpointId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::DeliveryStatus;
use shop_store::columns::Subscriptions;
use shop_store::entities::{
    stores as store_rows, webhook_deliveries as deliveries, webhook_endpoints as endpoints,
};

use super::fan_out::{Parcel, queue};
use super::input::{Create, SendTest, check_events, check_type, check_url};
use super::read::{find, find_delivery};
use super::view::{Delivery, View};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, stores};

/// Subscribes a URL to events. The answer carries the signing secret, once.
///
/// # Errors
/// When a field is bad, the store is out of sight, or there are too many endpoints.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_webhook_endpoint")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    check_url(&input.url)?;
    check_events(&input.events)?;
    let description = input.description.unwrap_or_default();
    if description.len() > limits::REASON_CHARS_MAX {
        let message = format!("a description has at most {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/description", message));
    }
    let owner = place(&*tx, ctx, input.store_id).await?;
    must_have_room(&*tx, &owner).await?;
    let secret = new_secret(ctx);
    let row = endpoints::ActiveModel {
        id: Set(ctx.id(WebhookEndpointId::new)),
        brand_id: Set(owner.brand),
        store_id: Set(owner.store),
        url: Set(input.url),
        description: Set(description),
        events: Set(Subscriptions(input.events)),
        secret: Set(secret.clone()),
        is_active: Set(input.is_active.unwrap_or(true)),
        failures_in_row: Set(0),
        last_delivered_at: Set(None),
        last_failed_at: Set(None),
        created_by: Set(ctx.principal.id),
        created_at: Set(ctx.now()),
        deleted_at: Set(None),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "webhook.endpoint_created", row.id, None, json!({})).await?;
    tx.finish(ctx, row.id, View { secret: Some(secret), ..View::new(row, 0) }).await
}

/// Unsubscribes: what waits for it is not sent any more, and nothing new is.
///
/// # Errors
/// When it is out of sight or has moved on.
pub async fn delete(ctx: &Ctx, id: WebhookEndpointId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("delete_webhook_endpoint")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    deliveries::Entity::update_many()
        .col_expr(deliveries::Column::Status, Expr::value(DeliveryStatus::Cancelled))
        .col_expr(deliveries::Column::NextTryAt, Expr::value(None::<chrono::DateTime<chrono::Utc>>))
        .filter(deliveries::Column::EndpointId.eq(id))
        .filter(deliveries::Column::Status.eq(DeliveryStatus::Pending))
        .exec(&*tx)
        .await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.is_active = Set(false);
    row.deleted_at = Set(Some(ctx.now()));
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "webhook.endpoint_deleted", id, None, json!({})).await?;
    tx.finish(ctx, id, View::new(row, 0)).await
}

/// Sends an endpoint a sample, behind what waits for it already.
///
/// # Errors
/// When it is out of sight or inactive, or the type is none.
pub async fn send_test(ctx: &Ctx, id: WebhookEndpointId, input: SendTest) -> Result<Reply<Delivery>> {
    let tx = match ctx.start(operation("send_test_webhook")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let endpoint = find(ctx, &*tx, id).await?;
    ctx.must_match(endpoint.version)?;
    check_type(&input.event_type)?;
    must_be_active(&endpoint)?;
    let event_id = ctx.id(EventId::new);
    let body = json!({
        "id": event_id,
        "type": input.event_type,
        "created_at": ctx.now(),
        "subject": id,
        "order_id": null,
        "data": { "is_test": true },
    });
    let parcel = Parcel { event_id, kind: input.event_type, body, is_test: true, redelivery_of: None };
    let row = queue(&*tx, ctx, &endpoint, parcel).await?;
    tx.finish(ctx, row.id, Delivery::from(row)).await
}

/// Sends the event of a delivery again, under the same event id, behind what waits already.
///
/// # Errors
/// When it is out of sight or on its way still, or its endpoint was deleted or is inactive.
pub async fn redeliver(ctx: &Ctx, id: WebhookDeliveryId) -> Result<Reply<Delivery>> {
    let tx = match ctx.start(operation("redeliver_webhook")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let sent = find_delivery(ctx, &*tx, id).await?;
    let endpoint = find(ctx, &*tx, sent.endpoint_id).await?;
    must_be_active(&endpoint)?;
    if sent.status == DeliveryStatus::Pending {
        let detail = "it is on its way still; wait for it, or see next_try_at in list_webhook_deliveries";
        return Err(Error::precondition("delivery_pending", detail));
    }
    let parcel = Parcel {
        event_id: sent.event_id,
        kind: sent.kind,
        body: sent.body,
        is_test: sent.is_test,
        redelivery_of: Some(sent.id),
    };
    let row = queue(&*tx, ctx, &endpoint, parcel).await?;
    tx.finish(ctx, row.id, Delivery::from(row)).await
}

/// Whose events an endpoint gets: the named store's, or all its maker sees.
async fn place(tx: &impl ConnectionTrait, ctx: &Ctx, store: Option<StoreId>) -> Result<Owner> {
    let store = match (store, ctx.principal.scope) {
        (Some(store), _) | (None, Scope::Store(store)) => store,
        (None, Scope::Brand(brand)) => return Ok(Owner { brand: Some(brand), ..Owner::default() }),
        (None, Scope::Tenant | Scope::Customer(_)) => return Ok(Owner::default()),
    };
    let row: store_rows::Model = stores::choose(ctx, tx, Some(store)).await?;
    Ok(Owner { brand: Some(row.brand_id), store: Some(row.id), customer: None })
}

async fn must_have_room(tx: &impl ConnectionTrait, owner: &Owner) -> Result<()> {
    let mut own = endpoints::Entity::find().filter(endpoints::Column::DeletedAt.is_null());
    own = match owner.store {
        Some(store) => own.filter(endpoints::Column::StoreId.eq(store)),
        None => own.filter(endpoints::Column::StoreId.is_null()),
    };
    own = match owner.brand {
        Some(brand) => own.filter(endpoints::Column::BrandId.eq(brand)),
        None => own.filter(endpoints::Column::BrandId.is_null()),
    };
    if own.count(tx).await? >= limits::WEBHOOK_ENDPOINTS_MAX {
        let detail = format!("there are {} endpoints already; delete one", limits::WEBHOOK_ENDPOINTS_MAX);
        return Err(Error::precondition("too_many_endpoints", detail));
    }
    Ok(())
}

fn must_be_active(endpoint: &endpoints::Model) -> Result<()> {
    if endpoint.is_active {
        return Ok(());
    }
    Err(Error::precondition("endpoint_inactive", "the endpoint is inactive; create one that is active"))
}

/// The chance in two ids: nobody guesses it.
fn new_secret(ctx: &Ctx) -> String {
    let draw = || ctx.shop.world.ids.next("webhook_secret").to_string().chars().skip(10).collect::<String>();
    format!("whsec_{}{}", draw(), draw()).to_lowercase()
}
