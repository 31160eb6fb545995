//! Exchanges: delivered units come back, other variants of the same product go out; and replacements, which go out
//! alone.
//!
//! What an exchange costs: a request quotes the signed difference and moves no money. Approval fixes it: from then
//! on the order's lines, total and ledger are those of the new goods, so a dearer exchange is an amount due that
//! `create_payment` takes up, and a cheaper one is money owed that `refund_price_adjustment` pays back once the new
//! goods are on their way. Cancelling turns this around. So books, payments and gateway agree at every moment.

mod books;
mod complete;
mod input;
mod quote;
mod read;
mod replacement;
mod request;
mod ship;
mod view;
mod write;

pub(crate) use complete::complete_settled;
pub use input::{Replace, Request, SettleWith, Swap};
pub use read::get;
pub use replacement::send_replacement;
pub use request::request;
pub use ship::ship;
pub use view::{Line, View};
pub use write::{approve, cancel};

#[cfg(test)]
mod tests;
