//! Gift cards: money on a code. Whoever knows the code can look at the balance, so guessing is limited.

mod check;
mod guess;
mod input;
mod read;
mod rows;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use check::check;
pub(crate) use guess::try_code_for;
pub use input::{Check, Filter, Issue, Redeem};

pub use read::{get, list};
pub(crate) use rows::{Owner, give_back, make};
pub use view::{BalanceView, EntryView, View};
pub use write::{issue, redeem};
