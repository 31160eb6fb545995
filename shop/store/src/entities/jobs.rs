//! Work that waits for its time.

use sea_orm::entity::prelude::*;
use shop_domain::ids::JobId;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "jobs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: JobId,
    pub kind: String,
    pub subject: String,
    pub due_at: DateTimeUtc,
    pub tries: i64,
    pub lease_until_ms: i64,
    pub lease_owner: Option<String>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
