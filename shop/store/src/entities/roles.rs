//! A set of capabilities that the tenant named for itself, beside the built-in roles.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, PrincipalId, RoleId, StoreId};

use crate::columns::Capabilities;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "roles")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: RoleId,
    pub name: String,
    #[sea_orm(column_type = "Json")]
    pub capabilities: Capabilities,
    pub brand_id: Option<BrandId>,
    pub store_id: Option<StoreId>,
    pub created_by: PrincipalId,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
