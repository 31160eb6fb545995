//! Rules that lower prices, by a code or by themselves. What they give is counted in the transaction that places an
//! order, and given back when it is cancelled.

mod count;
mod coupons;
mod input;
mod offer;
mod read;
mod view;
mod write;

pub(crate) use count::{count, give_back, take};
pub use coupons::create_coupons;
pub use input::{Codes, Create, CreateCoupons, Filter, Update};
pub use offer::discount;
pub(crate) use offer::{Applied, discount_kind, discount_on, offers, price, terms};
pub use read::list;
pub(crate) use read::ships_free;
pub use view::{Applied as AppliedView, Coupon, Coupons, View};
pub use write::{create, disable, update};

#[cfg(test)]
mod tests;
