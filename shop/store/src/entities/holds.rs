//! Coupon uses, gift-card money and store credit held for an action or an order; the counters on their rows already include them.

use sea_orm::entity::prelude::*;
use shop_domain::ids::ReservationId;
use shop_domain::status::ReservationStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "holds")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ReservationId,
    pub kind: String,
    pub subject: String,
    pub amount: i64,
    pub holder: String,
    pub status: ReservationStatus,
    pub expires_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
