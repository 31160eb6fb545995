//! Where a store delivers, how, and for how much.

mod input;
mod rates;
mod read;
mod view;

pub use input::{MethodFilter, Quote, ZoneFilter};
pub(crate) use rates::{covers, method_for, methods_to, options};
pub use rates::{price_of, rates};
pub use read::{list_methods, list_zones};
pub use view::{Method, Rate, Rates, Zone};

#[cfg(test)]
mod tests;
