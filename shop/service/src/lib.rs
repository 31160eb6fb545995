//! What the shop does: transaction scripts, one folder a noun.
//!
//! Every write has the same shape — `start` (capability, key) → load → rules from `shop-domain` → write → event →
//! `finish` — and both doors call the same function. Money that leaves the building goes *intent → commit → call →
//! outcome*: no transaction is open while the gateway is called, and [`attempts::settle`] is the one place where an
//! outcome becomes true.
//!
//! It must never know HTTP, MCP or templates.
//!
//! Start at [`Ctx`], then read [`carts`] (a plain noun) and [`payments`] (one that reaches the gateway).

pub mod actions;
pub mod addresses;
pub mod after_sales;
pub mod approvals;
pub mod attempts;
mod audit;
pub mod carts;
pub mod catalog;
pub mod checkout;
pub mod collections;
#[cfg(test)]
mod confusable;
pub mod consents;
pub mod credit;
pub mod ctx;
pub mod customers;
pub mod disputes;
pub mod error;
pub mod events;
pub mod exchanges;
pub mod explain;
pub mod fulfillments;
pub mod gift_cards;
mod goodwill;
pub mod hooks;
mod idempotency;
pub mod inventory;
pub mod jobs;
mod ledger;
pub mod order_edits;
pub mod orders;
mod owners;
pub mod page;
pub mod payment_links;
pub mod payment_methods;
pub mod payments;
pub mod prices;
pub mod pricing;
pub mod principals;
pub mod promotions;
pub mod refunds;
mod rehearsal;
pub mod reports;
pub mod returns;
pub mod reviews;
pub mod shipping;
pub mod shop;
pub mod staff;
mod start;
pub mod stores;
pub mod taxes;
mod tenders;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
pub mod tickets;
mod units;
pub mod webhooks;
pub mod worlds;

pub use ctx::{Call, CallerKey, Ctx, Door};
pub use error::{Error, FieldProblem, Result};
pub use page::{Page, PageQuery};
pub use rehearsal::Noted;
pub use shop::{Profile, Settings, Shop};
pub use start::{Start, Write};
pub use units::LineUnits;

/// An answer, and whether it is a stored one.
#[derive(Clone, Debug)]
pub struct Reply<V> {
    pub view: V,
    /// The same key and content came before: nothing was done this time.
    pub is_replay: bool,
}

impl<V> Reply<V> {
    pub fn fresh(view: V) -> Self {
        Self { view, is_replay: false }
    }
}
