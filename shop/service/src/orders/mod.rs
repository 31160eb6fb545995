//! Orders: one purchase with its three statuses, its lines and everything that may be done to it.
//!
//! What happened to it is in its events (`timeline.rs`); its statuses are derived in `refresh.rs`, and only there.

mod change;
mod confirmation;
mod draft;
mod input;
mod invoice;
mod notes;
mod place;
mod read;
mod refresh;
mod returnable;
mod risk;
mod stop;
#[cfg(test)]
mod tests;
mod timeline;
mod view;
mod write;

pub(crate) use change::set_totals;
pub use change::{change_address, change_shipping};
pub use confirmation::{Confirmation, resend_confirmation};
pub use draft::create_draft;
pub(crate) use draft::place_draft;
pub use input::{Cancel, ChangeAddress, ChangeShipping, Draft, Filter, Hold, UpdateContact};
pub use invoice::{Invoice, InvoiceLine, InvoicePayment, invoice};
pub use notes::{AddNote, Note, add_note, notes};
pub(crate) use place::{Basket, new_line, place};
pub(crate) use read::{find, ids_in_sight, ids_of_customer, in_sight, lines_of, owner, view};
pub use read::{get, list, list_for_customer};
pub(crate) use refresh::refresh;
pub use returnable::{ReturnableItem, returnable};
pub use risk::{RiskReason, RiskReport, risk};
pub(crate) use stop::{drop_units, stop, unpack};
pub use timeline::{TimelineEntry, timeline};
pub(crate) use view::number;
pub use view::{Line, Requoted, View};
pub(crate) use write::must_offer;
pub use write::{cancel, confirm, hold, release_hold, update_contact};
