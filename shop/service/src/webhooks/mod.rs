//! What subscribers are told: endpoints, and the deliveries on their way to them.
//!
//! An event and its deliveries are one commit ([`fan_out`]); a job an endpoint sends them, oldest first, at least once,
//! with no transaction open ([`deliver`]). Who does not answer is tried again later and holds up only their own queue.

mod deliver;
mod fan_out;
mod input;
mod postman;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use deliver::{DELIVERY_HEADER, EVENT_HEADER, SIGNATURE_HEADER, deliver};
pub(crate) use fan_out::fan_out;
pub use input::{Create, DeliveryFilter, Filter, SendTest};
pub(crate) use postman::Postman;
pub use read::{list, list_deliveries};
pub use view::{Delivery, Health, View};
pub use write::{create, delete, redeliver, send_test};
