//! The address of a page on which a customer pays what is due on an order.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{OrderId, PaymentId, PaymentLinkId, PrincipalId};
use shop_domain::money::Currency;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: PaymentLinkId,
    pub order_id: OrderId,
    /// The half of the page's address that cannot be guessed from the other.
    pub nonce: String,
    pub amount_minor: i64,
    pub currency: Currency,
    /// The last payment that was begun on the page.
    pub payment_id: Option<PaymentId>,
    pub created_by: PrincipalId,
    pub expires_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
