//! Store credit: what the shop owes a customer, to be spent here.

mod input;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::{Deduct, Issue};
pub use read::{balance, transactions};
pub use view::{Account, Balance, Transaction};
pub use write::{deduct, issue};
