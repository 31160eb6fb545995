//! Money asked for one order on one instrument.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{GiftCardId, OrderId, PaymentId, PaymentMethodId};
use shop_domain::money::Currency;
use shop_domain::status::{InstrumentKind, PaymentState};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "payments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PaymentId,
    pub order_id: OrderId,
    pub instrument: InstrumentKind,
    pub payment_method_id: Option<PaymentMethodId>,
    pub gift_card_id: Option<GiftCardId>,
    pub token: Option<String>,
    pub replaces_payment_id: Option<PaymentId>,
    pub amount_minor: i64,
    pub authorized_minor: i64,
    pub captured_minor: i64,
    pub refunded_minor: i64,
    pub currency: Currency,
    pub status: PaymentState,
    pub charge_id: Option<String>,
    pub decline_code: Option<String>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
