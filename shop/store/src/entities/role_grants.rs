//! A role given to a member of staff at a scope: a built-in one by its word, or one of the tenant's by its id.

use sea_orm::entity::prelude::*;
use shop_domain::governance::Role;
use shop_domain::ids::{ApprovalId, BrandId, PrincipalId, RoleGrantId, RoleId, StaffId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "role_grants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: RoleGrantId,
    pub staff_id: StaffId,
    pub role: Option<Role>,
    pub role_id: Option<RoleId>,
    pub brand_id: Option<BrandId>,
    pub store_id: Option<StoreId>,
    pub granted_by: PrincipalId,
    pub approval_id: Option<ApprovalId>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
