//! Payment links: the address of a page on which whoever has it pays what is due on one order.
//!
//! The page is in the console; what it may do is here. It pays through [`crate::payments`] like everybody else, under
//! keys of the link's own, so that a button pressed twice charges once.

mod input;
mod page;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::Create;
pub use page::{Card, PageLine, PageView, cards, find_for_page, pay};
pub use view::View;
pub use write::create;
