//! What the carrier saw.

use sea_orm::entity::prelude::*;
use shop_domain::fulfillments::ScanCode;
use shop_domain::ids::FulfillmentId;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "scans")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub fulfillment_id: FulfillmentId,
    pub code: ScanCode,
    pub place: String,
    pub detail: String,
    pub at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
