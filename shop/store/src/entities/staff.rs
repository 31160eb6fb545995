//! A member of staff: who a principal is that is neither a customer nor an agent.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{PrincipalId, StaffId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "staff")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: StaffId,
    pub principal_id: PrincipalId,
    pub email: String,
    pub name: String,
    pub invited_by: Option<PrincipalId>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
