//! What a promotion took off an order.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CouponId, OrderId, PromotionId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "order_promotions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub order_id: OrderId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub promotion_id: PromotionId,
    pub coupon_id: Option<CouponId>,
    pub discount_minor: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
