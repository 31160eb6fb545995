//! Stock: finite, counted per location, reserved by one conditional update. What is held for a while is given back
//! by [`expire`].

mod count;
mod holds;
mod input;
mod moves;
mod read;
mod stock;
mod transfers;
mod view;
mod write;

pub use count::{adjust, set_level};
pub use holds::{Hold, expire, hold, release_holder};
pub(crate) use holds::{held_uses, spend_use};
pub use input::{
    Adjust, Create, CreateTransfer, Filter, LevelFilter, LocationFilter, ReceiveTransfer, SetLevel,
    VariantUnits,
};
pub(crate) use moves::{gather, location_of, put_back};
pub use read::{availability, list_levels, list_locations, list_reservations};
pub(crate) use stock::{available, consume, held_by, keep_at_most, release, reserve, restock, ship};
pub use transfers::{create_transfer, receive_transfer};
pub use view::{Adjustment, Availability, Level, Location, Transfer, TransferLine, View};
pub use write::{create, release as release_reservation};

#[cfg(test)]
mod tests;
