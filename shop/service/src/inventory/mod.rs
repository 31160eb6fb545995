//! Stock: finite, counted per location, reserved by one conditional update. What is held for a while is given back
//! by [`expire`].

mod holds;
mod input;
mod moves;
mod read;
mod stock;
mod view;
mod write;

pub use holds::{Hold, expire, hold, release_holder};
pub(crate) use holds::{held_uses, spend_use};
pub use input::{Create, Filter, LevelFilter, LocationFilter};
pub(crate) use moves::{gather, location_of, put_back};
pub use read::{availability, list_levels, list_locations, list_reservations};
pub(crate) use stock::{available, consume, held_by, keep_at_most, release, reserve, restock, ship};
pub use view::{Availability, Level, Location, View};
pub use write::{create, release as release_reservation};

#[cfg(test)]
mod tests;
