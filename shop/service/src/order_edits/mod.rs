//! Order edits: a staged copy of an order's items with its own quote. Nothing of the order changes before the commit.
//!
//! What was agreed stays: the prices of the lines, and what was taken off them. A new line has today's price; one
//! that replaces another keeps its position and its discount. Tax and shipping are quoted anew.

mod commit;
mod input;
mod quote;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use commit::commit;
pub use input::{AddItem, ChangeQuantity, Commit};
pub use read::get;
pub use view::{Line, View};
pub use write::{add_item, begin, change_quantity, discard};
