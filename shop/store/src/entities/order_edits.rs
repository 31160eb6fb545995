//! Staged changes of an order's items.

use crate::columns::EditLines;
use sea_orm::entity::prelude::*;
use shop_domain::ids::{OrderEditId, OrderId, PrincipalId};
use shop_domain::status::OrderEditStatus;
use shop_domain::totals::Totals;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "order_edits")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: OrderEditId,
    pub order_id: OrderId,
    pub status: OrderEditStatus,
    #[sea_orm(column_type = "Json")]
    pub lines: EditLines,
    /// What the order cost without it.
    pub before_minor: i64,
    /// What it came to when it was closed.
    #[sea_orm(column_type = "Json")]
    pub totals: Option<Totals>,
    pub created_by: PrincipalId,
    pub closed_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
