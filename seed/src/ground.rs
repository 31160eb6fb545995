//! What every part of seeding writes to.

use chrono::{DateTime, Utc};
use shop_store::Db;
use shop_store::entities::settings;

use crate::books::Books;
use crate::draw::Draw;
use crate::rows::Rows;
use crate::writer::Writer;

/// The counter that numbers orders.
pub(crate) const ORDER_NUMBERS: &str = "order_number";

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
    ///
    /// Returns how many there are.
    pub(crate) fn number_orders(&mut self, first: i64) -> i64 {
        let unnumbered = self.rows.orders.iter_mut().filter(|order| order.number == 0);
        let mut unnumbered: Vec<_> = unnumbered.collect();
        unnumbered.sort_by_key(|order| (order.placed_at, order.id));
        let mut next = first;
        for order in unnumbered {
            order.number = next;
            next += 1;
        }
        next - first
    }

    /// Writes all rows; returns the gateway's ledger.
    pub(crate) async fn write(self, db: &Db) -> anyhow::Result<Vec<u8>> {
        Writer::open(db).await?.close(self).await
    }
}
