//! One stateful business action.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{ActionId, CustomerId, PrincipalId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "actions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ActionId,
    pub capability: String,
    pub principal_id: PrincipalId,
    pub store_id: Option<StoreId>,
    pub customer_id: Option<CustomerId>,
    pub entity: Option<String>,
    pub node: String,
    pub status: String,
    pub version: i64,
    #[sea_orm(column_type = "Json")]
    pub body: Json,
    pub due_at: Option<DateTimeUtc>,
    pub lease_until_ms: i64,
    pub lease_owner: Option<String>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
