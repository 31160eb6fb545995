//! The simulated payment gateway: another company, with its own server, its own books and its own failures.
//!
//! Invariants, and what the tests hold it to:
//! - An effect is in the ledger file, durably, **before** anyone is told of it; the state is nothing but the
//!   replay of that file, so the two cannot differ.
//! - A key has at most one effect. It is found for ever, its answer is replayed for 30 days, and a fenced key
//!   never has one.
//! - Faults bend answers and calls, never the books: what the ledger says is what happened.
//! - It must never know the shop: it shares only wire types with it, and no database.
//!
//! Start at [`Account`] (one merchant's books), then `rules` (what is allowed), [`exchange`] (one call, with its
//! fault) and [`faults`]. [`Simulator`] is the server.

pub mod account;
pub mod exchange;
pub mod faults;
pub mod instruments;
pub mod ledger_file;
pub mod limits;
pub mod refusals;
pub mod reply;
pub mod truth;
pub mod webhooks;

mod books;
mod http;
mod rules;
mod server;
mod statement;

#[cfg(test)]
mod tests;

pub use account::{Account, AccountError};
pub use faults::Fault;
pub use ledger_file::{LedgerError, LedgerFile};
pub use server::{Accounts, OpenAccounts, Running, Simulator, Stopper, Tempo, routes};
pub use truth::{ChargeTruth, Truth};
pub use webhooks::{Postman, Webhook};
