//! People who buy.

mod erase;
mod input;
mod merge;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use erase::{ERASED, anonymize, erased_address};
pub(crate) use input::check_email;
pub use input::{Block, Create, Filter, Merge, Update};
pub use merge::merge;
pub(crate) use read::{find, owner};
pub use read::{get, list, named};
pub use view::{Known, Lifetime, View};
pub use write::{block, create, update};
