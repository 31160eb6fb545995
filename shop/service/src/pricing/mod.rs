//! What a basket costs: rows in, the domain's one pure function, and a quote out. Carts, quotes, orders and the
//! checkout action all price here.

mod coupon;
mod price;
mod reprice;

pub(crate) use coupon::{find_coupon, release_use, take_use, usable};
pub(crate) use price::{Basket, Priced, PricedLine, price};
pub(crate) use reprice::{Change, reprice};
