//! Parcels: units of an order that leave a location together, and what the carrier sees of them.
//!
//! Parcels move with the world's clock: whoever looks at one first lets it [`catch_up`] to where it is by now.

mod carrier;
mod input;
mod movement;
mod parcel;
mod read;
mod view;
mod write;

pub use carrier::{buy_label, redirect, report_exception, update_tracking, void_label};
pub use input::{Create, Filter, Redirect, ReportException, Ship, UpdateTracking};
pub(crate) use movement::{catch_up, catch_up_for_read};
pub(crate) use parcel::{Parcel, allocate, hand_over, method_of, postage, tracking_number};
pub use read::{get, list, track, track_order};
pub(crate) use read::{last_arrival, of_order, open_exceptions, replaced_units, shipped_from};
pub use view::{OrderTracking, Redirection, Scan, Tracking, View};
pub(crate) use write::stop;
pub use write::{cancel, create, deliver, ship};

#[cfg(test)]
mod tests;
