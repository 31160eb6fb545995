//! What staff wrote down about an order; the customer never sees it.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{NoteId, OrderId, PrincipalId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "order_notes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: NoteId,
    pub order_id: OrderId,
    pub author_id: PrincipalId,
    pub author_name: String,
    pub text: String,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
