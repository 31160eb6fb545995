//! Buying as one intent: everything a buyer can choose from, read at once ([`sheet`]), one write that turns what was
//! agreed to into an order ([`place`]), and one that takes all of it back ([`undo`]).
//!
//! A cart is where it may begin; the order it becomes is like any other.

mod cart;
mod coupons;
mod instruments;
mod items;
mod place;
mod sheet;
#[cfg(test)]
mod tests;
mod undo;
mod view;

pub use cart::{Cart, CartItem, cart, open_carts};
pub use place::{Agreed, place, placed};
pub use sheet::{Wish, sheet};
pub use undo::{Undone, undo};
pub use view::{Address, Alternative, Coupon, Instrument, Item, Price, Sheet};
