//! A person who buys.

use crate::columns::Tags;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, CustomerId, StoreId};
use shop_domain::status::CustomerStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "customers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CustomerId,
    pub external_id: Option<String>,
    pub brand_id: BrandId,
    pub store_id: StoreId,
    pub email: String,
    pub first_name: String,
    pub last_name: String,
    pub phone: Option<String>,
    pub status: CustomerStatus,
    #[sea_orm(column_type = "Json")]
    pub tags: Tags,
    pub accepts_marketing: bool,
    pub merged_into: Option<CustomerId>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
