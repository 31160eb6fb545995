//! What a world remembers of itself, and where worlds are found.

use std::sync::Arc;

use async_trait::async_trait;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Set};
use shop_store::Db;
use shop_store::entities::counters;

use crate::error::Result;
use crate::shop::Shop;

/// Where the shop of a world comes from; the composition root knows.
#[async_trait]
pub trait Shops: Send + Sync {
    /// The shop of a world; `None` when there is no such world.
    async fn shop(&self, world: &str) -> Option<Arc<Shop>>;
}

const BOOTS: &str = "boot";

/// Counts an opening of a world, durably, before anything draws an id in it.
///
/// # Errors
/// When the database does not answer.
pub async fn count_boot(db: &Db) -> Result<u64> {
    let tx = db.begin().await?;
    let row = counters::Entity::find_by_id(BOOTS.to_owned()).one(&*tx).await?;
    let boot = row.as_ref().map_or(0, |row| row.value) + 1;
    match row {
        Some(row) => {
            let mut row = row.into_active_model();
            row.value = Set(boot);
            row.update(&*tx).await?;
        }
        None => {
            counters::ActiveModel { name: Set(BOOTS.to_owned()), value: Set(boot) }.insert(&*tx).await?;
        }
    }
    tx.commit().await?;
    Ok(u64::try_from(boot).unwrap_or(u64::MAX))
}
