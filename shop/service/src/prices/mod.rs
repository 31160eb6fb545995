//! Prices of variants: base prices by currency, and lists for groups of customers. Everything that is sold or quoted
//! asks [`unit_prices`].

mod input;
mod read;
mod unit;
mod view;
mod write;

pub use input::{Create, Entry, Filter, Set};
pub(crate) use input::{check_amount, check_dates};
pub use read::{list, list_of_variant};
pub use unit::base_prices;
pub(crate) use unit::{base_price, unit_prices};
pub use view::{BasePrice, Price, PriceList};
pub use write::{create, set};

#[cfg(test)]
mod tests;
