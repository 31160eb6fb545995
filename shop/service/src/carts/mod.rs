//! What somebody means to buy. A cart promises nothing: prices are those of now, and stock is judged when the order
//! is placed. What a cart says about stock is a warning.

mod choices;
mod input;
mod items;
mod place;
mod read;
mod tenders;
mod totals;
mod view;

pub use choices::{apply_coupon, select_shipping_option, set_shipping_address};
pub use input::{
    AddItem, ApplyCoupon, ApplyGiftCard, ApplyStoreCredit, Create, PlaceOrder, SelectShipping, SetAddress,
    UpdateItem,
};
pub use items::{add_item, create, remove_item, update_item};
pub use place::place_order;
pub use read::{calculate_totals, get, list_shipping_options};
pub(crate) use read::{find, find_open};
pub use tenders::{apply_gift_card, apply_store_credit};
pub use view::{CouponChoice, GiftCardChoice, Line, Problem, ShippingChoice, TotalsView, View};

#[cfg(test)]
mod tests;
