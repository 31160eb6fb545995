//! Payments: money asked for one order on one instrument.
//!
//! Cards and PayPal go through the gateway as attempts; store credit and gift cards are the shop's own money and
//! settle in one transaction.

mod apply;
mod input;
mod observe;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub(crate) use apply::apply;
pub use input::{Authorize, Capture, Create, Filter};
pub use observe::{Observation, Truth, observe};
pub use read::{get, list, list_attempts};
pub(crate) use read::{of_order, view};
pub use view::{Attempt, View};
pub use write::{authorize, capture, create, sync, void};
