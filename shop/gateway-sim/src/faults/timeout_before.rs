//! Nothing happens, and nobody says so.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "timeout_before",
    summary: "the request is dropped and the caller left waiting",
    teaches: "silence is not failure: look up, fence, then retry",
    operations: CALLS,
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Hang
}
