//! One case of a customer with the shop.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, CustomerId, OrderId, PrincipalId, StoreId, TicketId};
use shop_domain::reasons::TicketResolution;
use shop_domain::status::TicketStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "tickets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TicketId,
    pub brand_id: BrandId,
    pub store_id: StoreId,
    pub customer_id: CustomerId,
    pub order_id: Option<OrderId>,
    pub subject: String,
    pub status: TicketStatus,
    pub assignee_id: Option<PrincipalId>,
    pub team: Option<String>,
    pub resolution: Option<TicketResolution>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub closed_at: Option<DateTimeUtc>,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
