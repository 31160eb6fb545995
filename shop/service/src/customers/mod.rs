//! People who buy.

mod input;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub(crate) use input::check_email;
pub use input::{Create, Filter, Update};
pub(crate) use read::{find, owner};
pub use read::{get, list, named};
pub use view::{Known, Lifetime, View};
pub use write::{create, update};
