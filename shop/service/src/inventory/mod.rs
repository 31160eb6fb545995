//! Stock: finite, counted per location, reserved by one conditional update.

mod stock;

pub(crate) use stock::{available, consume, release, reserve, restock, ship};
