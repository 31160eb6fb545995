//! One parcel of an order, an exchange or a replacement.

use crate::columns::Lines;
use sea_orm::entity::prelude::*;
use shop_domain::address::Address;
use shop_domain::fulfillments::{DeliveryException, FulfillmentPurpose};
use shop_domain::ids::{ExchangeId, FulfillmentId, LocationId, OrderId};
use shop_domain::status::FulfillmentStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "fulfillments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: FulfillmentId,
    pub order_id: OrderId,
    pub exchange_id: Option<ExchangeId>,
    pub location_id: LocationId,
    pub purpose: FulfillmentPurpose,
    pub status: FulfillmentStatus,
    #[sea_orm(column_type = "Json")]
    pub lines: Lines,
    pub carrier: Option<String>,
    pub tracking_number: Option<String>,
    pub label_minor: Option<i64>,
    #[sea_orm(column_type = "Json")]
    pub destination: Address,
    pub exception_kind: Option<DeliveryException>,
    pub exception_note: Option<String>,
    pub shipped_at: Option<DateTimeUtc>,
    pub delivered_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
