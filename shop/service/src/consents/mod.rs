//! A person's yes or no to one exact summary.
//!
//! Whoever holds the address of a consent's page (its id and nonce) is the person; nothing a tool can be called with
//! decides a consent here.

mod ask;
mod page;
#[cfg(test)]
mod tests;

pub use ask::{Consent, answer, ask, get, list};
pub(crate) use ask::{insert, spend, void_all};
pub use page::{Standing, View, decide, find_for_page, waiting};

/// Where a question stands, in the words of its row.
const PENDING: &str = "pending";
const GRANTED: &str = "granted";
const REJECTED: &str = "rejected";
const VOID: &str = "void";
const SPENT: &str = "spent";
