//! Rows: entities, migrations, connections and the one kind of transaction.
//!
//! It must never know HTTP, MCP or the gateway, and never decide anything about a shop: rules live in
//! `shop-domain`, scripts in `shop-service`. Only `shop-service` and `seed` may name a table.
//!
//! Start at [`Db`] and [`Tx`]; every table is in `migrations/initial.sql`, its row type under [`entities`].

#![recursion_limit = "512"]

pub mod columns;
mod connect;
pub mod entities;
mod migrations;
mod rows;

pub use connect::{Db, Place, StoreError, Tx, is_busy, is_check_violation, is_unique_violation};
pub use rows::Rows;
