//! Who did what, on whose behalf, and which layer decided.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{ApprovalId, AuditId, PrincipalId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_log")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub seq: i64,
    pub id: AuditId,
    pub principal_id: PrincipalId,
    pub principal_name: String,
    pub on_behalf_of: Option<PrincipalId>,
    pub operation: String,
    pub subject: Option<String>,
    pub outcome: String,
    pub layer: String,
    pub reason: Option<String>,
    pub approval_id: Option<ApprovalId>,
    pub door: String,
    pub at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
