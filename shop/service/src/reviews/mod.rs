//! What buyers say about products: one review a buyer and product, seen once it was approved.

mod input;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::{Create, Filter, Moderate, Reply};
pub use read::list;
pub(crate) use read::owner;
pub use view::{Rating, Reviews, View};
pub use write::{create, moderate, public_name, reply};
