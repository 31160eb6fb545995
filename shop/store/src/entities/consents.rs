//! A person's yes or no to one exact summary.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{ActionId, ConsentId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "consents")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ConsentId,
    pub action_id: ActionId,
    pub digest: String,
    pub status: String,
    #[sea_orm(column_type = "Json")]
    pub summary: Json,
    pub nonce: String,
    pub decided_by: Option<String>,
    pub decided_at: Option<DateTimeUtc>,
    pub expires_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
