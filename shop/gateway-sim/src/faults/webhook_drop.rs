//! The event is never sent.

use shop_world::Placement;

use super::{Apply, Fault, ONLY_AFTER, WEBHOOKS};
use crate::webhooks::Parcel;

pub(super) const FAULT: Fault = Fault {
    name: "webhook_drop",
    summary: "the event is lost",
    teaches: "webhooks are hints: look up without them",
    operations: WEBHOOKS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Webhook(apply),
};

fn apply(parcel: &mut Parcel) {
    parcel.copies = 0;
}
