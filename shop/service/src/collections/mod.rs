//! Groups of products of one brand: hand-picked, or whatever fulfils a rule now.

mod input;
mod read;
mod view;
mod write;

pub use input::{Create, Filter};
pub use read::list;
pub(crate) use read::{find_own, members_among, members_of};
pub use view::View;
pub use write::create;

#[cfg(test)]
mod tests;
