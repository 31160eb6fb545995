//! The τ²-bench retail world: its `db.json` in, and rows out in the same shape.
//!
//! [`import_tau2`] tells every order as a history, so that the world obeys the shop's own rules from its first
//! moment. [`export_tau2`] is the one projection of rows to the reference's JSON, used for every comparison.

mod export;
mod import;
mod order;
mod retail;
mod shape;
#[cfg(test)]
mod tests;

pub use export::export_tau2;
pub use import::import_tau2;
pub(crate) use retail::tokens;
pub use shape::read_tau2;
