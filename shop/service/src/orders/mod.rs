//! Orders: one purchase with its three statuses, its lines and everything that may be done to it.

mod input;
mod place;
mod read;
mod refresh;
mod view;

pub use input::Filter;
pub(crate) use place::{Basket, place};
pub(crate) use read::{find, ids_in_sight, ids_of_customer, in_sight, lines_of, owner, view};
pub use read::{get, list, list_for_customer};
pub(crate) use refresh::refresh;
pub use view::{Line, View};
