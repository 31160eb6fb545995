//! Where a subscriber wants to be told what happened.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, PrincipalId, StoreId, WebhookEndpointId};

use crate::columns::Subscriptions;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_endpoints")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: WebhookEndpointId,
    pub brand_id: Option<BrandId>,
    pub store_id: Option<StoreId>,
    pub url: String,
    pub description: String,
    #[sea_orm(column_type = "Json")]
    pub events: Subscriptions,
    pub secret: String,
    pub is_active: bool,
    pub failures_in_row: i64,
    pub last_delivered_at: Option<DateTimeUtc>,
    pub last_failed_at: Option<DateTimeUtc>,
    pub created_by: PrincipalId,
    pub created_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
