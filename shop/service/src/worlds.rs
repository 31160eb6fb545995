//! What a world remembers of itself, and where worlds are found.

use std::sync::Arc;

use async_trait::async_trait;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Set};
use shop_store::entities::counters;
use shop_store::{Db, Rows};

use crate::error::Result;
use crate::shop::Shop;

/// Where the shop of a world comes from; the composition root knows.
#[async_trait]
pub trait Shops: Send + Sync {
    /// The shop of a world; `None` when there is no such world.
    async fn shop(&self, world: &str) -> Option<Arc<Shop>>;
}

const BOOTS: &str = "boot";

/// Counts an opening of a world, durably, before anything draws an id in it. The number is above `after`: a world that
/// goes back to earlier rows must not go back to ids it has drawn since.
///
/// # Errors
/// When the database does not answer.
pub async fn count_boot(db: &Db, after: u64) -> Result<u64> {
    let tx = db.begin().await?;
    let row = counters::Entity::find_by_id(BOOTS.to_owned()).one(&*tx).await?;
    let after = i64::try_from(after).unwrap_or(i64::MAX - 1);
    let boot = row.as_ref().map_or(0, |row| row.value).max(after) + 1;
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

/// Forgets in a reading of all rows how often the world was opened, which is no part of what is in it.
pub fn forget_boots(rows: &mut Rows) {
    if let Some(counters) = rows.get_mut("counters") {
        counters.retain(|_, row| {
            let row: serde_json::Value = serde_json::from_str(row).unwrap_or_default();
            row.get("name").and_then(serde_json::Value::as_str) != Some(BOOTS)
        });
    }
}
