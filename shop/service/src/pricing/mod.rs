//! What a basket costs: rows in, the domain's one pure function, and a quote out. Carts, quotes, orders and the
//! checkout action all price here.

mod coupon;
mod input;
mod lines;
mod price;
mod quote;
mod read;
mod reprice;
mod view;

pub(crate) use coupon::{find_coupon, must_be_usable, release_use, take_use, usable};
pub use input::{CouponQuery, Item, Quote, Tax};
pub(crate) use lines::{Line, check_quantity, is_sold, load_lines, subtotal_of, weight_of};
pub(crate) use price::{Basket, Priced, PricedLine, price_held};
pub use quote::{quote, quote_held, tax};
pub use read::validate_coupon;
pub(crate) use reprice::{Change, reprice};
pub use view::{CouponCheck, QuoteLine, QuoteView, TaxLine, TaxView};

#[cfg(test)]
mod tests;
