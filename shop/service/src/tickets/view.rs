use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{CustomerId, OrderId, PrincipalId, StoreId, TicketId, TicketMessageId};
use shop_domain::reasons::TicketResolution;
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus, TicketStatus};
use shop_store::entities::{orders, ticket_messages, tickets};

/// One case of a customer with the shop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Ticket)]
pub struct View {
    pub id: TicketId,
    pub store_id: StoreId,
    pub customer_id: CustomerId,
    pub order_id: Option<OrderId>,
    #[schema(example = "The lamp flickers")]
    pub subject: String,
    /// Whose turn it is: `open` the shop's, `pending` the customer's, `escalated` a team's.
    pub status: TicketStatus,
    /// The member of staff who has it.
    pub assignee_id: Option<PrincipalId>,
    /// The team it was passed to.
    #[schema(example = "payments")]
    pub team: Option<String>,
    /// How it ended.
    pub resolution: Option<TicketResolution>,
    /// The order it is about, as it stands now; only where a ticket is read alone.
    pub order: Option<LinkedOrder>,
    /// The thread, oldest first, at most 200; only where a ticket is read alone.
    pub messages: Option<Vec<Message>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// The order a ticket is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TicketOrder)]
pub struct LinkedOrder {
    pub id: OrderId,
    #[schema(example = "#1042")]
    pub number: String,
    pub status: OrderStatus,
    pub payment_status: OrderPaymentStatus,
    pub fulfillment_status: OrderFulfillmentStatus,
}

/// One message of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = TicketMessage)]
pub struct Message {
    pub id: TicketMessageId,
    pub author_id: PrincipalId,
    #[schema(example = "sam")]
    pub author_name: String,
    /// Whether the shop wrote it.
    pub is_staff: bool,
    /// Whether only staff see it.
    pub is_internal: bool,
    pub text: String,
    pub created_at: DateTime<Utc>,
}

impl From<tickets::Model> for View {
    fn from(row: tickets::Model) -> Self {
        Self {
            id: row.id,
            store_id: row.store_id,
            customer_id: row.customer_id,
            order_id: row.order_id,
            subject: row.subject,
            status: row.status,
            assignee_id: row.assignee_id,
            team: row.team,
            resolution: row.resolution,
            order: None,
            messages: None,
            created_at: row.created_at,
            updated_at: row.updated_at,
            closed_at: row.closed_at,
            version: row.version,
        }
    }
}

impl From<orders::Model> for LinkedOrder {
    fn from(row: orders::Model) -> Self {
        Self {
            id: row.id,
            number: crate::orders::number(&row),
            status: row.status,
            payment_status: row.payment_status,
            fulfillment_status: row.fulfillment_status,
        }
    }
}

impl From<ticket_messages::Model> for Message {
    fn from(row: ticket_messages::Model) -> Self {
        Self {
            id: row.id,
            author_id: row.author_id,
            author_name: row.author_name,
            is_staff: row.is_staff,
            is_internal: row.is_internal,
            text: row.text,
            created_at: row.created_at,
        }
    }
}
