//! An image or file of a product, by its URL.

use sea_orm::entity::prelude::*;
use shop_domain::catalog::MediaKind;
use shop_domain::ids::{MediaId, ProductId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "product_media")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: MediaId,
    pub product_id: ProductId,
    pub position: i64,
    pub kind: MediaKind,
    pub url: String,
    pub alt: String,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
