//! One purchase, with its three statuses kept apart.

use sea_orm::entity::prelude::*;
use shop_domain::address::Address;
use shop_domain::ids::{BrandId, CartId, CouponId, CustomerId, OrderId, ShippingMethodId, StoreId};
use shop_domain::money::Currency;
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "orders")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OrderId,
    pub number: i64,
    pub external_id: Option<String>,
    pub store_id: StoreId,
    pub brand_id: BrandId,
    pub customer_id: Option<CustomerId>,
    pub cart_id: Option<CartId>,
    pub status: OrderStatus,
    pub payment_status: OrderPaymentStatus,
    pub fulfillment_status: OrderFulfillmentStatus,
    pub currency: Currency,
    pub subtotal_minor: i64,
    pub discount_minor: i64,
    pub shipping_minor: i64,
    pub shipping_tax_minor: i64,
    pub tax_minor: i64,
    pub total_minor: i64,
    pub shipping_refunded_minor: i64,
    pub adjusted_minor: i64,
    pub coupon_id: Option<CouponId>,
    #[sea_orm(column_type = "Json")]
    pub shipping_address: Address,
    pub shipping_method_id: Option<ShippingMethodId>,
    pub shipped_method_id: Option<ShippingMethodId>,
    pub contact_email: String,
    pub contact_phone: Option<String>,
    pub is_tax_exempt: bool,
    pub is_edited: bool,
    pub cancel_reason: Option<String>,
    pub placed_at: DateTimeUtc,
    pub cancelled_at: Option<DateTimeUtc>,
    pub delivered_at: Option<DateTimeUtc>,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
