use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{BrandId, EventId, StoreId, WebhookDeliveryId, WebhookEndpointId};
use shop_domain::status::DeliveryStatus;
use shop_store::entities::{webhook_deliveries, webhook_endpoints};

/// Where a subscriber wants to be told what happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = WebhookEndpoint)]
pub struct View {
    pub id: WebhookEndpointId,
    #[schema(example = "https://hooks.example.com/shop")]
    pub url: String,
    pub description: String,
    #[schema(example = json!(["order.placed", "refund.*"]))]
    pub events: Vec<String>,
    /// Only events of this brand.
    pub brand_id: Option<BrandId>,
    /// Only events of this store.
    pub store_id: Option<StoreId>,
    /// Whether it is sent anything.
    pub is_active: bool,
    /// What signatures are made with: only in the answer to `create_webhook_endpoint`, and never again.
    #[schema(example = "whsec_2m7k4zd9vxat3hb5")]
    pub secret: Option<String>,
    pub health: Health,
    pub created_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// How deliveries to an endpoint go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = WebhookHealth)]
pub struct Health {
    /// Tries since it last answered with a success.
    #[schema(example = 0)]
    pub failures_in_row: i64,
    /// Deliveries that wait for it.
    #[schema(example = 0)]
    pub waiting: i64,
    pub last_delivered_at: Option<DateTime<Utc>>,
    pub last_failed_at: Option<DateTime<Utc>>,
}

/// One event on its way to one endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = WebhookDelivery)]
pub struct Delivery {
    pub id: WebhookDeliveryId,
    pub endpoint_id: WebhookEndpointId,
    /// The same on every delivery of one event: drop repeats by it.
    pub event_id: EventId,
    #[schema(example = "order.placed")]
    pub event_type: String,
    /// Whether it was asked for with `send_test_webhook`.
    pub is_test: bool,
    /// The delivery whose event this one sends again.
    pub redelivery_of: Option<WebhookDeliveryId>,
    pub status: DeliveryStatus,
    /// How often it was sent.
    #[schema(example = 1)]
    pub tries: i64,
    /// HTTP status of the last answer; null when none came.
    #[schema(example = 200)]
    pub last_status: Option<i64>,
    /// Why no answer came, the last time.
    pub last_error: Option<String>,
    /// How long the last answer took, in milliseconds on the world's clock.
    #[schema(example = 12)]
    pub latency_ms: Option<i64>,
    /// When it is sent again.
    pub next_try_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

impl View {
    pub(super) fn new(row: webhook_endpoints::Model, waiting: i64) -> Self {
        Self {
            id: row.id,
            url: row.url,
            description: row.description,
            events: row.events.0,
            brand_id: row.brand_id,
            store_id: row.store_id,
            is_active: row.is_active,
            secret: None,
            health: Health {
                failures_in_row: row.failures_in_row,
                waiting,
                last_delivered_at: row.last_delivered_at,
                last_failed_at: row.last_failed_at,
            },
            created_at: row.created_at,
            version: row.version,
        }
    }
}

impl From<webhook_deliveries::Model> for Delivery {
    fn from(row: webhook_deliveries::Model) -> Self {
        Self {
            id: row.id,
            endpoint_id: row.endpoint_id,
            event_id: row.event_id,
            event_type: row.kind,
            is_test: row.is_test,
            redelivery_of: row.redelivery_of,
            status: row.status,
            tries: row.tries,
            last_status: row.last_status,
            last_error: row.last_error,
            latency_ms: row.latency_ms,
            next_try_at: row.next_try_at,
            delivered_at: row.delivered_at,
            created_at: row.created_at,
        }
    }
}
