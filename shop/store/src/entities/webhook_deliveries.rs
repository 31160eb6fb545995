//! One event on its way to one endpoint; sent in the order of these rows.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{EventId, WebhookDeliveryId, WebhookEndpointId};
use shop_domain::status::DeliveryStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub seq: i64,
    pub id: WebhookDeliveryId,
    pub endpoint_id: WebhookEndpointId,
    pub event_id: EventId,
    pub kind: String,
    #[sea_orm(column_type = "Json")]
    pub body: Json,
    pub is_test: bool,
    pub redelivery_of: Option<WebhookDeliveryId>,
    pub status: DeliveryStatus,
    pub tries: i64,
    pub last_status: Option<i64>,
    pub last_error: Option<String>,
    pub latency_ms: Option<i64>,
    pub next_try_at: Option<DateTimeUtc>,
    pub delivered_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
