//! Units on their way from one location to another.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{LocationId, TransferId};
use shop_domain::status::TransferStatus;

use crate::columns::TransferLines;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "inventory_transfers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TransferId,
    pub from_location_id: LocationId,
    pub to_location_id: LocationId,
    pub status: TransferStatus,
    #[sea_orm(column_type = "Json")]
    pub lines: TransferLines,
    pub note: Option<String>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
