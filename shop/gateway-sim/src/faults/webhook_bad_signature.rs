//! Somebody else sends the event.

use shop_world::Placement;

use super::{Apply, Fault, ONLY_AFTER, WEBHOOKS};
use crate::webhooks::Parcel;

pub(super) const FAULT: Fault = Fault {
    name: "webhook_bad_signature",
    summary: "the signature does not match",
    teaches: "verify before believing",
    operations: WEBHOOKS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Webhook(apply),
};

fn apply(parcel: &mut Parcel) {
    parcel.is_forged = true;
}
