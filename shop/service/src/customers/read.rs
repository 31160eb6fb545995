use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::governance::Owner;
use shop_domain::ids::CustomerId;
use shop_store::entities::customers;

use crate::Ctx;
use crate::error::{Error, Result};

/// One customer in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: CustomerId) -> Result<customers::Model> {
    let missing = || Error::not_found(format!("customer {id}"));
    let row = customers::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(&row), format!("customer {id}"))?;
    Ok(row)
}

pub(crate) fn owner(row: &customers::Model) -> Owner {
    Owner { brand: Some(row.brand_id), store: Some(row.store_id), customer: Some(row.id) }
}
