//! Tax rates by place and category, and who is exempt. Both count for what is quoted from now on: an order keeps its
//! tax, and is priced anew by the rates of the day it was placed.

mod input;
mod read;
mod view;
mod write;

pub use input::{CreateRate, RateFilter, SetExemption};
pub(crate) use read::{is_exempt, rates_at};
pub use read::{list_rates, rate};
pub use view::{Exemption, Rate};
pub use write::{create_rate, set_exemption};

#[cfg(test)]
mod tests;
