//! One purchasable form of a product.

use crate::columns::{Options, Prices};
use sea_orm::entity::prelude::*;
use shop_domain::ids::{ProductId, VariantId};
use shop_domain::money::Currency;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "variants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: VariantId,
    pub external_id: Option<String>,
    pub product_id: ProductId,
    pub position: i64,
    pub sku: String,
    pub barcode: Option<String>,
    pub title: String,
    #[sea_orm(column_type = "Json")]
    pub options: Options,
    pub price_minor: i64,
    pub compare_at_minor: Option<i64>,
    pub currency: Currency,
    #[sea_orm(column_type = "Json")]
    pub other_prices: Prices,
    pub weight_g: i64,
    pub tax_category: String,
    pub is_sellable: bool,
    pub is_tracked: bool,
    pub created_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
