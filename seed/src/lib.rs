//! Shops to begin with: seeded ones made from a number, and the τ²-bench retail world, in and out.
//!
//! A seeded shop is one that the shop itself could have produced: every order is a [`history`] told through the
//! domain's own rules, its ledger sums to zero, and the gateway's ledger is made along with it, so that the books
//! reconcile. Rows are gathered in memory and written in bulk.
//!
//! It must never decide a rule of its own, read a clock, or draw chance other than from its number.
//!
//! Start with [`seed`] and [`template`], then `workshop/ada.rs` for what a history looks like, and `tau2` for the
//! world that is loaded from a file.

mod books;
mod draw;
mod ground;
mod history;
mod rows;
mod staff;
mod tau2;
mod value;
mod workshop;
mod writer;

#[cfg(test)]
mod tests;

use std::str::FromStr;

use std::path::Path;

use anyhow::{Result, bail};
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::ConnectionTrait;
use shop_domain::governance::Role;
use shop_domain::ids::{BrandId, CartId, CustomerId, OrderId, StoreId};
use shop_store::entities::brands;
use shop_store::{Db, Place};

use crate::ground::Ground;
use crate::writer::Writer;

pub use tau2::{export_tau2, import_tau2, read_tau2};

/// The present of every template: 2026-01-15T12:00:00Z. A world that starts from one starts its clock here, so that
/// what was delivered last week is still within its window.
pub const EPOCH: DateTime<Utc> = shop_world::clock::TEST_EPOCH;

/// What to fill a shop with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// One brand and its administrator.
    Empty,
    /// Two brands, three stores, at least sixty products, forty customers and a hundred and twenty orders: every status
    /// of everything.
    Workshop,
    /// The workshop with ten thousand orders more.
    Medium,
    /// The workshop with a million orders more. It does not fit into memory: write it to a file.
    Large,
}

/// Orders from which on indexes are made after the rows.
const MANY: usize = 100_000;

impl Profile {
    /// Orders besides those that every workshop has.
    const fn crowd(self) -> usize {
        match self {
            Self::Empty | Self::Workshop => 0,
            Self::Medium => 10_000,
            Self::Large => 1_000_000,
        }
    }
}

impl FromStr for Profile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "empty" => Ok(Self::Empty),
            "workshop" => Ok(Self::Workshop),
            "medium" => Ok(Self::Medium),
            "large" => Ok(Self::Large),
            _ => bail!("there is no profile `{text}`: use empty, workshop, medium or large"),
        }
    }
}

/// What seeding made besides rows.
#[derive(Clone, Debug)]
pub struct Seeded {
    /// The lines of the gateway's ledger file: put them under the gateway before it opens its books.
    pub gateway_ledger: Vec<u8>,
    pub demo: Demo,
}

/// What tutorials and ready lines name.
#[derive(Clone, Debug, Default)]
pub struct Demo {
    /// Ada Byron; nobody in an empty shop.
    pub customer_id: Option<CustomerId>,
    pub store_id: Option<StoreId>,
    /// Her open cart.
    pub cart_id: Option<CartId>,
    /// Her orders by number: `#1001` … `#1010`.
    pub orders: Vec<(String, OrderId)>,
    /// Name and bearer token of everybody who may call.
    pub tokens: Vec<(String, String)>,
}

/// A filled shop as bytes: worlds start from it in milliseconds.
#[derive(Clone, Debug)]
pub struct Template {
    pub database: Vec<u8>,
    pub gateway_ledger: Vec<u8>,
    pub demo: Demo,
}

/// Fills an empty database. The same number and the same `now` give the same rows on every machine: pass a fixed
/// time such as [`EPOCH`], also for a world whose clock runs. Everything of the past is told relative to `now`.
///
/// # Errors
/// When the database is not empty or does not answer.
pub async fn seed(db: &Db, profile: Profile, seed: u64, now: DateTime<Utc>) -> Result<Seeded> {
    Box::pin(seed_telling(db, profile, seed, now, |_, _| {})).await
}

/// The same, telling of how many orders of how many are written.
///
/// # Errors
/// When the database is not empty or does not answer.
pub(crate) async fn seed_telling(
    db: &Db,
    profile: Profile,
    seed: u64,
    now: DateTime<Utc>,
    mut told: impl FnMut(usize, usize),
) -> Result<Seeded> {
    let mut ground = Ground::new(seed, now);
    if profile == Profile::Empty {
        let demo = empty(&mut ground);
        return Ok(Seeded { gateway_ledger: ground.write(db).await?, demo });
    }
    let (demo, cast) = workshop::build(&mut ground)?;
    let mut writer = Writer::open(db).await?;
    let orders = profile.crowd();
    if orders > 0 {
        if orders >= MANY {
            writer.drop_indexes().await?;
        }
        writer.write(&mut ground, DateTime::<Utc>::MIN_UTC).await?;
        workshop::crowd::write(&mut ground, &cast, &mut writer, orders, |written| told(written, orders))
            .await?;
    }
    Ok(Seeded { gateway_ledger: writer.close(ground).await?, demo })
}

/// Fills a shop in memory, at [`EPOCH`], and returns it as bytes: the same ones every time.
///
/// # Errors
/// When the database in memory does not answer.
pub async fn template(profile: Profile, seed: u64) -> Result<Template> {
    if profile == Profile::Large {
        bail!(
            "a large shop does not fit into memory; write one with `twinshop seed --profile large --database large.db`, then serve that file"
        );
    }
    let db = Db::open(&Place::Memory).await?;
    let seeded = self::seed(&db, profile, seed, EPOCH).await?;
    let database = bytes(&db, EPOCH).await?;
    db.close().await;
    Ok(Template { database, gateway_ledger: seeded.gateway_ledger, demo: seeded.demo })
}

/// Fills a shop in a new file, at [`EPOCH`], telling of how many orders of how many are written; returns the lines of
/// its gateway's ledger.
///
/// # Errors
/// When the file cannot be written.
pub async fn seed_file(
    path: &Path,
    profile: Profile,
    seed: u64,
    told: impl FnMut(usize, usize),
) -> Result<Vec<u8>> {
    let db = Db::open(&Place::File(path.to_path_buf())).await?;
    // A whole shop in the making is too much for its caller's stack.
    let seeded = Box::pin(seed_telling(&db, profile, seed, EPOCH, told)).await?;
    forget_when(&db, EPOCH).await?;
    db.close().await;
    Ok(seeded.gateway_ledger)
}

/// The τ²-bench retail data of a folder as a world.
///
/// # Errors
/// When the file cannot be read or is not that data.
pub async fn tau2_template(directory: &Path) -> Result<Template> {
    let db = Db::open(&Place::Memory).await?;
    let gateway_ledger = import_tau2(&db, &read_tau2(directory)?, EPOCH).await?;
    let database = bytes(&db, EPOCH).await?;
    db.close().await;
    Ok(Template { database, gateway_ledger, demo: Demo { tokens: tau2::tokens(), ..Demo::default() } })
}

/// The database as bytes, without the one thing in it that depends on when it was made.
pub(crate) async fn bytes(db: &Db, now: DateTime<Utc>) -> Result<Vec<u8>> {
    forget_when(db, now).await?;
    Ok(db.snapshot().await?)
}

async fn forget_when(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let tx = db.begin().await?;
    tx.execute_unprepared(&format!("UPDATE seaql_migrations SET applied_at = {}", now.timestamp())).await?;
    tx.commit().await?;
    Ok(())
}

fn empty(ground: &mut Ground) -> Demo {
    let at = ground.now - TimeDelta::days(1);
    let id = ground.draw.id(at, BrandId::new);
    ground.rows.brands.push(brands::Model { id, name: "First brand".to_owned(), created_at: at });
    staff::principal(ground, at, "admin", Role::Admin, (None, None));
    ground.set(shop_service::principals::DEMO_PRINCIPAL, "admin");
    Demo { tokens: staff::tokens(ground), ..Demo::default() }
}
