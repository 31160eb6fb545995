//! Calls to the gateway: *intent → commit → call → outcome*.
//!
//! [`record`] writes the intent with its gateway key, [`perform`] calls once that is committed, and [`settle`] is
//! the one place where an outcome becomes true: the inline path, look-ups, webhook hints, retries and the settler
//! job all end there. An attempt without an answer stays `unknown` until a look-up finds the effect or a fence
//! makes sure there is none.

mod call;
mod record;
mod settle;
mod settler;
#[cfg(test)]
mod tests;

pub use call::{Sought, abandon, look_up, perform, resend, resolve, seek};
pub(crate) use record::{Intent, record};
pub use settle::{Answer, settle};
pub use settler::settle_later;
