//! One chargeback.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{DisputeId, OrderId, PaymentId};
use shop_domain::money::Currency;
use shop_domain::status::DisputeStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "disputes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: DisputeId,
    pub order_id: OrderId,
    pub payment_id: PaymentId,
    pub gateway_ref: String,
    pub amount_minor: i64,
    pub currency: Currency,
    pub status: DisputeStatus,
    pub evidence: Option<String>,
    /// Until when evidence can be sent.
    pub due_at: DateTimeUtc,
    pub opened_at: DateTimeUtc,
    pub closed_at: Option<DateTimeUtc>,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
