//! The event comes twice.

use shop_world::Placement;

use super::{Apply, Fault, ONLY_AFTER, WEBHOOKS};
use crate::webhooks::Parcel;

pub(super) const FAULT: Fault = Fault {
    name: "webhook_duplicate",
    summary: "the event is sent twice",
    teaches: "drop events by id",
    operations: WEBHOOKS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Webhook(apply),
};

fn apply(parcel: &mut Parcel) {
    parcel.copies = 2;
}
