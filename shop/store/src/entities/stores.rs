//! One shop front: currency, region and policies.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, StoreId};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "stores")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: StoreId,
    pub brand_id: BrandId,
    pub name: String,
    pub currency: Currency,
    pub country: String,
    #[sea_orm(column_type = "Json")]
    pub policy: Policy,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
