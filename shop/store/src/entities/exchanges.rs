//! Goods swapped for other variants.

use crate::columns::ExchangeLines;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{
    ApprovalId, ExchangeId, FulfillmentId, GiftCardId, OrderId, PaymentMethodId, ReturnId,
};
use shop_domain::money::Currency;
use shop_domain::reasons::ReturnReason;
use shop_domain::status::ExchangeStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "exchanges")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ExchangeId,
    pub order_id: OrderId,
    pub return_id: Option<ReturnId>,
    pub fulfillment_id: Option<FulfillmentId>,
    pub status: ExchangeStatus,
    pub reason: ReturnReason,
    #[sea_orm(column_type = "Json")]
    pub lines: ExchangeLines,
    pub difference_minor: i64,
    pub currency: Currency,
    pub settle_method_id: Option<PaymentMethodId>,
    pub settle_gift_card_id: Option<GiftCardId>,
    pub approval_id: Option<ApprovalId>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
