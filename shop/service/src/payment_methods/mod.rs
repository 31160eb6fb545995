//! Saved instruments, masked. Only the gateway's token is kept, and it never leaves.

mod input;
mod read;
#[cfg(test)]
mod tests;
mod tokens;
mod view;
mod write;

pub use input::Attach;
pub use read::list;
pub use tokens::Card;
pub(crate) use tokens::{card, cards};
pub use view::View;
pub use write::{attach, detach, set_default};
