//! Cases of customers with the shop. Shoppers see their own, without what staff write to each other.

mod input;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::{Close, Create, Escalate, Filter, Reply};
pub(crate) use read::owner;
pub use read::{get, list};
pub use view::{LinkedOrder, Message, View};
pub use write::{close, create, escalate, reply};
