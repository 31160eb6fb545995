//! Disputes: a bank took a customer's money back, and the shop contests that once, gives up, or lets the time pass.
//!
//! The gateway opens and decides them; the shop hears of it when it looks ([`catch_up`], `sync_payment_status`, and the
//! job that watches one). What it is told is booked at once, so that both sides' books say the same.

mod apply;
mod input;
mod notice;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub(crate) use apply::apply;
pub use input::{Accept, Filter, SubmitEvidence};
pub(crate) use notice::notice;
pub use notice::{catch_up, watch};
pub use read::list;
pub(crate) use read::{of_payment, taken_back, view};
pub use view::View;
pub use write::{accept, submit_evidence};
