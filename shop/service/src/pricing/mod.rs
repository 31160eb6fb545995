//! What a basket costs: rows in, the domain's one pure function, and a quote out. Carts, quotes, orders and the
//! checkout action all price here.

mod coupon;
mod input;
mod price;
mod quote;
mod read;
mod reprice;
mod view;

pub use coupon::discount;
pub(crate) use coupon::{find_coupon, must_be_usable, release_use, take_use, usable};
pub use input::{CouponQuery, Item, PromotionFilter, Quote, Tax, TaxRateFilter};
pub use price::rate;
pub(crate) use price::{
    Basket, Line, Priced, PricedLine, check_quantity, is_sold, load_lines, price_held, subtotal_of, weight_of,
};
pub use quote::{quote, quote_held, tax};
pub use read::{list_promotions, list_tax_rates, validate_coupon};
pub(crate) use reprice::{Change, reprice};
pub use view::{CouponCheck, Promotion, QuoteLine, QuoteView, TaxLine, TaxRate, TaxView};

#[cfg(test)]
mod tests;
