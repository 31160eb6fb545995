//! The rules of the shop: ids, money, status machines, legality, totals, ledger postings, access and risk.
//!
//! Everything here is a pure function: it takes facts and returns a decision. It must never do IO, read a clock,
//! draw chance or know a database row; sea-orm appears only so that ids and status words can be column values.
//!
//! Start with [`ids`], [`money`] and [`status`], then one noun with its status machine ([`orders`],
//! [`refunds`]), then the legality table in [`after_sales`] and who may do what in [`governance`].

#![warn(missing_docs)]
#![deny(clippy::float_arithmetic)]

pub mod ids;
pub mod money;
pub mod status;
mod words;

pub use words::UnknownWord;
