//! Where a store delivers, how, and for how much.

mod rates;

pub(crate) use rates::{covers, method_for, methods_to, price_of};
