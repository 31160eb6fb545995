//! One line of an order with the units' whereabouts.

use crate::columns::Options;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{OrderId, OrderLineId, ProductId, VariantId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "order_lines")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OrderLineId,
    pub order_id: OrderId,
    pub position: i64,
    pub variant_id: VariantId,
    pub product_id: ProductId,
    pub title: String,
    pub sku: String,
    #[sea_orm(column_type = "Json")]
    pub options: Options,
    pub quantity: i64,
    pub unit_price_minor: i64,
    pub discount_minor: i64,
    pub tax_minor: i64,
    pub total_minor: i64,
    pub allocated_quantity: i64,
    pub shipped_quantity: i64,
    pub delivered_quantity: i64,
    pub cancelled_quantity: i64,
    pub return_quantity: i64,
    pub received_quantity: i64,
    pub refunded_quantity: i64,
    pub refunded_minor: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
