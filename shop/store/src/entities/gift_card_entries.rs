//! Every change of a gift card's balance.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CreditEntryId, GiftCardId, OrderId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "gift_card_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CreditEntryId,
    pub gift_card_id: GiftCardId,
    pub amount_minor: i64,
    pub balance_minor: i64,
    pub reason: String,
    pub order_id: Option<OrderId>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
