//! What somebody means to buy.

use sea_orm::entity::prelude::*;
use shop_domain::address::Address;
use shop_domain::ids::{
    AddressId, CartId, CouponId, CustomerId, GiftCardId, OrderId, ShippingMethodId, StoreId,
};
use shop_domain::money::Currency;
use shop_domain::status::CartStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "carts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: CartId,
    pub store_id: StoreId,
    pub customer_id: Option<CustomerId>,
    pub status: CartStatus,
    pub currency: Currency,
    pub address_id: Option<AddressId>,
    #[sea_orm(column_type = "Json")]
    pub shipping_address: Option<Address>,
    pub shipping_method_id: Option<ShippingMethodId>,
    pub coupon_id: Option<CouponId>,
    pub gift_card_id: Option<GiftCardId>,
    pub store_credit_minor: i64,
    pub order_id: Option<OrderId>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
