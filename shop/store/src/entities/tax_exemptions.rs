//! A customer's certificate that no tax is due.

use sea_orm::entity::prelude::*;
use shop_domain::ids::CustomerId;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "tax_exemptions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub customer_id: CustomerId,
    pub certificate: String,
    pub country: String,
    pub region: Option<String>,
    pub valid_until: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
