//! Brands and their stores. Shop fronts are public: shoppers see all of them, staff those they work for.

mod input;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::{Create, Filter};
pub(crate) use read::{choose, choose_brand, find, ids_in_sight};
pub use read::{list, list_brands};
pub use view::{Brand, View};
pub use write::create;
