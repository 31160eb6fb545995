//! Brands and their stores. Shop fronts are public: shoppers see all of them, staff those they work for.

mod input;
mod read;
mod view;

pub use input::Filter;
pub(crate) use read::{choose, choose_brand, find, ids_in_sight};
pub use read::{list, list_brands};
pub use view::{Brand, View};
