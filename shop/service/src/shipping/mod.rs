//! Where a store delivers, how, and for how much.

mod input;
mod rates;
mod read;
mod view;
mod write;

pub use input::{Create, MethodFilter, Quote, ZoneFilter};
pub(crate) use rates::{covers, method_for, methods_to, options};
pub use rates::{price_of, rates};
pub use read::{list_methods, list_zones};
pub use view::{Method, Rate, Rates, Zone};
pub use write::create;

#[cfg(test)]
mod tests;
