//! A customer's address book. Changing it changes no order.

mod input;
mod read;
mod view;
mod write;

pub use input::{Create, Update};
pub(crate) use input::{check_address, check_country};
pub use read::{find, list, validate};
pub use view::{Validation, View};
pub use write::{create, delete, set_default, update};
