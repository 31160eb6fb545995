//! A saved instrument, masked; only the gateway's token is kept.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CustomerId, GiftCardId, PaymentMethodId};
use shop_domain::status::InstrumentKind;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_methods")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PaymentMethodId,
    pub external_id: Option<String>,
    pub customer_id: CustomerId,
    pub kind: InstrumentKind,
    pub token: Option<String>,
    pub gift_card_id: Option<GiftCardId>,
    pub brand: Option<String>,
    pub last4: Option<String>,
    pub label: String,
    pub is_default: bool,
    pub detached_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
