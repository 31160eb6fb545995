//! What is sold; its variants are what is bought.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{BrandId, ProductId};
use shop_domain::status::ProductStatus;

use crate::columns::{DeclaredOptions, StoreIds};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "products")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ProductId,
    pub external_id: Option<String>,
    pub brand_id: BrandId,
    pub title: String,
    pub description: String,
    pub category: String,
    #[sea_orm(column_type = "Json")]
    pub options: DeclaredOptions,
    pub status: ProductStatus,
    #[sea_orm(column_type = "Json")]
    pub store_ids: StoreIds,
    pub return_policy: String,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
