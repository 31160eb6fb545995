//! Units held for a cart, an action or an order.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{LocationId, ReservationId, VariantId};
use shop_domain::status::ReservationStatus;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "reservations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: ReservationId,
    pub variant_id: VariantId,
    pub location_id: LocationId,
    pub quantity: i64,
    pub holder: String,
    pub status: ReservationStatus,
    pub expires_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
