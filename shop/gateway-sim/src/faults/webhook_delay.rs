//! The event comes late, after ones that happened later.

use shop_world::Placement;

use super::{Apply, Fault, ONLY_AFTER, WEBHOOKS};
use crate::webhooks::Parcel;

pub(super) const FAULT: Fault = Fault {
    name: "webhook_delay",
    summary: "the event comes late and out of order",
    teaches: "an event says that something happened, not what is true now",
    operations: WEBHOOKS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Webhook(apply),
};

fn apply(parcel: &mut Parcel) {
    parcel.is_late = true;
}
