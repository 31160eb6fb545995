//! Refunds: money back, by kind and destination.
//!
//! One refund row is one way back: an order paid in parts is refunded in parts, so an operation answers with a
//! [`Batch`]. A refund through the gateway is an attempt like any other; store credit and gift cards are paid by
//! rows alone.
//!
//! Each kind says what may go back (`units.rs`, `shipping.rs`, `adjust.rs`) as a plan over the order's `books.rs`;
//! `decide.rs` writes any plan, and `send.rs` asks the gateway. A refund claims its units and money from the moment
//! it is decided until it is given up, so nothing goes back twice whatever the gateway answers.

mod adjust;
mod apply;
mod books;
mod decide;
mod input;
mod observe;
mod plan;
mod read;
mod send;
mod settle;
mod shipping;
#[cfg(test)]
mod tests;
mod undo;
mod units;
mod view;

pub use adjust::price_adjustment;
pub(crate) use apply::{answer_caller, apply};
pub use input::{
    Calculate, Filter, PriceAdjustment, Returned, ShippingDifference, ShippingFee, Unshipped, WithoutReturn,
};
pub use observe::{Observation, observe};
pub use read::{calculate, get, list};
pub use settle::{cancel, retry, sync, watch};
pub use shipping::{shipping_difference, shipping_fee};
pub(crate) use undo::{undo, unpaid};
pub use units::{returned, unshipped, without_return};
pub use view::{Batch, Calculation, RefundableLine, RefundablePayment, RefundedLine, View};
