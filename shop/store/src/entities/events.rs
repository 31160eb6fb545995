//! What happened, in order.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{EventId, OrderId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub seq: i64,
    pub id: EventId,
    pub kind: String,
    pub subject: String,
    pub order_id: Option<OrderId>,
    #[sea_orm(column_type = "Json")]
    pub data: Json,
    pub at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
