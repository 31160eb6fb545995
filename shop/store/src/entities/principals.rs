//! Who may call, with the token that proves it.

use sea_orm::entity::prelude::*;
use shop_domain::governance::Role;
use shop_domain::ids::{BrandId, CustomerId, PrincipalId, StoreId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "principals")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PrincipalId,
    pub name: String,
    pub role: Role,
    pub token: String,
    pub is_agent: bool,
    pub on_behalf_of: Option<PrincipalId>,
    pub brand_id: Option<BrandId>,
    pub store_id: Option<StoreId>,
    pub customer_id: Option<CustomerId>,
    pub created_at: DateTimeUtc,
    /// From then on its tokens are worth nothing.
    pub deactivated_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
