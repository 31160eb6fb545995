//! A person's yes or no to one exact summary.
//!
//! Whoever holds the address of a consent's page (its id and nonce) is the person; nothing a tool can be called with
//! decides a consent here.

mod page;
#[cfg(test)]
mod tests;

pub use page::{Standing, View, decide, find_for_page, waiting};
