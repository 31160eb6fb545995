//! A code that switches a promotion on.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{CouponId, CustomerId, PromotionId};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "coupons")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CouponId,
    pub promotion_id: PromotionId,
    pub code: String,
    pub customer_id: Option<CustomerId>,
    pub usage_limit: Option<i64>,
    pub used: i64,
    pub expires_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
