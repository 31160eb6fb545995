//! Every change of a count by hand, and why.

use sea_orm::entity::prelude::*;
use shop_domain::ids::{AdjustmentId, LocationId, PrincipalId, VariantId};
use shop_domain::inventory::AdjustmentReason;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "inventory_adjustments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: AdjustmentId,
    pub variant_id: VariantId,
    pub location_id: LocationId,
    pub delta: i64,
    pub on_hand: i64,
    pub reason: AdjustmentReason,
    pub note: Option<String>,
    pub author_id: PrincipalId,
    pub created_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
