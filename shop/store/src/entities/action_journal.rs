//! What an action did, step by step.

use sea_orm::entity::prelude::*;
use shop_domain::ids::ActionId;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "action_journal")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub action_id: ActionId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    #[sea_orm(column_type = "Json")]
    pub entry: Json,
    pub at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
