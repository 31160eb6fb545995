//! Returns: delivered units on their way back, from the wish to the inspection. Nothing here pays: the refund is an
//! operation of its own, once the goods are back.

mod input;
mod label;
mod read;
mod request;
mod view;
mod warehouse;
mod write;

pub use input::{Approve, Filter, Grade, Inspect, Receive, Reject, Request};
pub use label::create_label;
pub use read::{get, list, reasons};
pub(crate) use read::{kept_and_paid_for, of_order, returnable, with_the_customer};
pub use request::request;
pub(crate) use request::{Wish, open};
pub use view::{Line, Reason, Reasons, View};
pub use warehouse::{inspect, receive};
pub(crate) use write::{accept, close};
pub use write::{approve, cancel, reject};

#[cfg(test)]
mod tests;
