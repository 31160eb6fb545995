//! Money on a card with a code.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CustomerId, GiftCardId, StoreId};
use shop_domain::money::Currency;
use shop_domain::status::GiftCardStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "gift_cards")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: GiftCardId,
    pub external_id: Option<String>,
    pub code: String,
    pub last4: String,
    pub customer_id: Option<CustomerId>,
    pub store_id: StoreId,
    pub currency: Currency,
    pub initial_minor: i64,
    pub balance_minor: i64,
    pub held_minor: i64,
    pub status: GiftCardStatus,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
