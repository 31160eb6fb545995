//! It happens, and nobody says so.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_AFTER};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "timeout_after",
    summary: "the effect happens and the caller is left waiting",
    teaches: "silence is not failure: look up by key",
    operations: CALLS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Hang
}
