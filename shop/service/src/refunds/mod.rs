//! Refunds: money back, by kind and destination.
//!
//! One refund row is one way back: an order paid in parts is refunded in parts, so an operation answers with a
//! [`Batch`]. A refund through the gateway is an attempt like any other; store credit and gift cards are paid by
//! rows alone.

mod apply;
mod view;

pub(crate) use apply::{answer_caller, apply};
pub use view::{Batch, View};
