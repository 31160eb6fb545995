//! Rows into a database, piece by piece: a large shop does not fit into memory.

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, EntityTrait, PaginatorTrait, Statement};
use shop_gateway::wire::ledger::{Line, encode};
use shop_store::Db;
use shop_store::entities::{brands, counters};

use crate::ground::{Ground, ORDER_NUMBERS};

/// An index that is made anew once the rows are there: growing it row by row costs several times as much.
struct Index {
    name: String,
    sql: String,
}

pub(crate) struct Writer<'a> {
    db: &'a Db,
    indexes: Vec<Index>,
    gateway_ledger: Vec<u8>,
    lines: u64,
    /// The number of the last order.
    number: i64,
}

impl<'a> Writer<'a> {
    /// # Errors
    /// When the database is not empty.
    pub(crate) async fn open(db: &'a Db) -> Result<Self> {
        let brands = brands::Entity::find().count(db.reader()).await?;
        ensure!(brands == 0, "the database is not empty; seed a new one");
        Ok(Self { db, indexes: Vec::new(), gateway_ledger: Vec::new(), lines: 0, number: 0 })
    }

    /// Does without indexes until the end.
    pub(crate) async fn drop_indexes(&mut self) -> Result<()> {
        let tx = self.db.begin().await?;
        let made =
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
        for row in tx.query_all_raw(Statement::from_string(tx.get_database_backend(), made)).await? {
            let index = Index { name: row.try_get("", "name")?, sql: row.try_get("", "sql")? };
            tx.execute_unprepared(&format!("DROP INDEX {}", index.name)).await?;
            self.indexes.push(index);
        }
        Ok(tx.commit().await?)
    }

    /// The number of the order after the last one that was written.
    pub(crate) fn next_number(&self) -> i64 {
        self.number + 1
    }

    /// Writes every row told so far, and what happened before a moment before which nothing more will be told.
    pub(crate) async fn write(&mut self, ground: &mut Ground, until: DateTime<Utc>) -> Result<()> {
        self.number = self.last_number(ground);
        let (numbered, lines) = ground.books.take_before(until);
        let tx = self.db.begin().await?;
        ground.rows.write(numbered, &tx).await?;
        tx.commit().await?;
        for line in lines {
            self.lines += 1;
            self.gateway_ledger.extend(encode(&Line { seq: self.lines, ..line })?);
        }
        Ok(())
    }

    /// Writes the rest; returns the gateway's ledger.
    pub(crate) async fn close(mut self, mut ground: Ground) -> Result<Vec<u8>> {
        let value = self.last_number(&ground);
        if value > 0 {
            ground.rows.counters.push(counters::Model { name: ORDER_NUMBERS.to_owned(), value });
        }
        self.write(&mut ground, DateTime::<Utc>::MAX_UTC).await?;
        for index in &self.indexes {
            let tx = self.db.begin().await?;
            let made = tx.execute_unprepared(&index.sql).await;
            made.with_context(|| format!("making the index {}", index.name))?;
            tx.commit().await?;
        }
        Ok(self.gateway_ledger)
    }

    fn last_number(&self, ground: &Ground) -> i64 {
        let last = ground.rows.orders.iter().map(|order| order.number).max();
        self.number.max(last.unwrap_or_default())
    }
}
