//! A second person's sign-off on one exact operation.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{ActionId, ApprovalId, BrandId, CustomerId, PrincipalId, StoreId};
use shop_domain::status::ApprovalStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "approvals")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ApprovalId,
    pub operation: String,
    pub digest: String,
    pub subject: String,
    pub subject_version: Option<i64>,
    pub store_id: Option<StoreId>,
    pub brand_id: Option<BrandId>,
    pub customer_id: Option<CustomerId>,
    #[sea_orm(column_type = "Json")]
    pub input: Json,
    pub amount_minor: Option<i64>,
    pub currency: Option<String>,
    pub reason: String,
    pub requester_id: PrincipalId,
    pub requester_name: String,
    pub status: ApprovalStatus,
    pub decided_by: Option<PrincipalId>,
    pub decided_at: Option<DateTimeUtc>,
    pub decision_note: Option<String>,
    pub action_id: Option<ActionId>,
    pub expires_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
