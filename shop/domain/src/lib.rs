//! The rules of the shop: ids, money, status machines, legality, totals, ledger postings, access and risk.
//!
//! Everything here is a pure function: it takes facts and returns a decision. It must never do IO, read a clock,
//! draw chance or know a database row; sea-orm appears only so that ids and status words can be column values.
//!
//! Start with [`ids`], [`money`] and [`status`], then one noun with its status machine ([`orders`],
//! [`refunds`]), then the legality table in [`after_sales`] and who may do what in [`governance`].

#![warn(missing_docs)]
#![deny(clippy::float_arithmetic)]

pub mod address;
pub mod after_sales;
pub mod approvals;
pub mod catalog;
pub mod code;
pub mod collections;
pub mod customers;
pub mod disputes;
pub mod exchanges;
pub mod fulfillments;
pub mod governance;
pub mod ids;
pub mod inventory;
pub mod ledger;
pub mod limits;
pub mod machine;
pub mod money;
pub mod operations;
pub mod order_edits;
pub mod orders;
#[cfg(test)]
mod pages;
pub mod payments;
pub mod policy;
pub mod prices;
pub mod promotions;
pub mod reasons;
pub mod refunds;
pub mod reports;
pub mod returns;
pub mod reviews;
pub mod status;
pub mod taxes;
pub mod tickets;
pub mod totals;
pub mod webhooks;
mod words;

pub use words::UnknownWord;
