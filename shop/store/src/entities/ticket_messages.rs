//! What was written on a ticket; internal messages are for staff only.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{PrincipalId, TicketId, TicketMessageId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "ticket_messages")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TicketMessageId,
    pub ticket_id: TicketId,
    pub author_id: PrincipalId,
    pub author_name: String,
    pub is_staff: bool,
    pub is_internal: bool,
    pub text: String,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
