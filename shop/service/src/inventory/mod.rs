//! Stock: finite, counted per location, reserved by one conditional update.

mod moves;
mod stock;

pub(crate) use moves::{gather, location_of, put_back};
pub(crate) use stock::{available, consume, release, reserve, restock, ship};
