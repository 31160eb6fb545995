//! What every part of seeding writes to.

use anyhow::ensure;
use chrono::{DateTime, Utc};
use sea_orm::{EntityTrait, PaginatorTrait};
use shop_store::Db;
use shop_store::entities::{brands, counters, settings};

use crate::books::Books;
use crate::draw::Draw;
use crate::rows::Rows;

/// The counter that numbers orders, and the setting that names who calls without a token.
const ORDER_NUMBERS: &str = "order_number";

pub(crate) struct Ground {
    /// The present: nothing of a history happens after it.
    pub(crate) now: DateTime<Utc>,
    pub(crate) draw: Draw,
    pub(crate) rows: Rows,
    pub(crate) books: Books,
}

impl Ground {
    pub(crate) fn new(seed: u64, now: DateTime<Utc>) -> Self {
        Self { now, draw: Draw::new(seed, now), rows: Rows::default(), books: Books::default() }
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.rows.settings.push(settings::Model { name: name.to_owned(), value: value.to_owned() });
    }

    /// Numbers the orders that have no number yet, in the order in which they were placed.
    pub(crate) fn number_orders(&mut self, first: i64) {
        let unnumbered = self.rows.orders.iter_mut().filter(|order| order.number == 0);
        let mut unnumbered: Vec<_> = unnumbered.collect();
        unnumbered.sort_by_key(|order| (order.placed_at, order.id));
        for (number, order) in (first..).zip(unnumbered) {
            order.number = number;
        }
    }

    /// Writes all rows; returns the gateway's ledger.
    pub(crate) async fn write(mut self, db: &Db) -> anyhow::Result<Vec<u8>> {
        let brands = brands::Entity::find().count(db.reader()).await?;
        ensure!(brands == 0, "the database is not empty; seed a new one");
        if let Some(value) = self.rows.orders.iter().map(|order| order.number).max() {
            self.rows.counters.push(counters::Model { name: ORDER_NUMBERS.to_owned(), value });
        }
        let (numbered, gateway_ledger) = self.books.close()?;
        self.rows.write(numbered, db).await?;
        Ok(gateway_ledger)
    }
}
