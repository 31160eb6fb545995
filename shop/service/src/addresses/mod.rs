//! A customer's address book. Changing it changes no order.

mod input;
mod read;
mod view;
mod write;

pub(crate) use input::check_address;
pub use input::{Create, Update};
pub use read::{find, list, validate};
pub use view::{Validation, View};
pub use write::{create, delete, set_default, update};
