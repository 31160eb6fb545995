use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::governance::Owner;
use shop_domain::ids::{CustomerId, OrderId, StoreId};
use shop_store::entities::stores;

use super::write::order_of;
use crate::error::{Error, Result};
use crate::{Ctx, customers, orders};

/// What an approval is asked for, as far as whoever decides and whoever looks need to know.
pub(super) struct About {
    pub(super) store: stores::Model,
    pub(super) customer_id: Option<CustomerId>,
    pub(super) order_id: Option<OrderId>,
    /// Of the order or the customer.
    pub(super) version: Option<i64>,
}

/// Finds the subject within the caller's sight.
pub(super) async fn about(tx: &impl ConnectionTrait, ctx: &Ctx, subject: &str) -> Result<About> {
    let missing = |_| Error::not_found(subject);
    if let Ok(id) = subject.parse::<CustomerId>() {
        let row = customers::find(ctx, tx, id).await.map_err(missing)?;
        let store = store_of(tx, row.store_id).await?;
        return Ok(About { store, customer_id: Some(id), order_id: None, version: Some(row.version) });
    }
    if let Ok(id) = subject.parse::<StoreId>() {
        let store = store_of(tx, id).await.map_err(missing)?;
        let owner = Owner { brand: Some(store.brand_id), store: Some(store.id), customer: None };
        ctx.must_see(&owner, subject)?;
        return Ok(About { version: Some(store.version), store, customer_id: None, order_id: None });
    }
    let order = order_of(tx, subject).await?;
    let order = orders::find(ctx, tx, order).await.map_err(missing)?;
    let store = store_of(tx, order.store_id).await?;
    let (customer_id, order_id) = (order.customer_id, Some(order.id));
    Ok(About { store, customer_id, order_id, version: Some(order.version) })
}

async fn store_of(tx: &impl ConnectionTrait, id: StoreId) -> Result<stores::Model> {
    let row = stores::Entity::find_by_id(id).one(tx).await?;
    row.ok_or_else(|| Error::not_found(format!("store {id}")))
}
