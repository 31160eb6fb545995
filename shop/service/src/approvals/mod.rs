//! A second person's sign-off on one exact operation.
//!
//! An approval is bound to a digest of operation, subject and input, is decided by somebody other than the requester
//! and never by an agent, and is spent once, inside the transaction of what it allows.

mod input;
mod read;
mod spend;
mod subject;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::{Decide, Filter, Request};
pub use read::{get, list};
pub use spend::digest;
pub(crate) use spend::{Signature, signed};
pub use view::View;
pub use write::{approve, expire, reject, request, withdraw};
