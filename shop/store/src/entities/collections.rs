//! A group of products of one brand: hand-picked, or by a rule.

use sea_orm::entity::prelude::*;
use shop_domain::collections::Rule;
use shop_domain::ids::{BrandId, CollectionId};

use crate::columns::ProductIds;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "collections")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CollectionId,
    pub brand_id: BrandId,
    pub title: String,
    #[sea_orm(column_type = "Json")]
    pub product_ids: ProductIds,
    #[sea_orm(column_type = "Json")]
    pub rule: Option<Rule>,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
