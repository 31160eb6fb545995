//! The answer takes its time.

use shop_world::Placement;

use super::{Apply, CALLS, EITHER, Fault};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "slow",
    summary: "everything works, slowly",
    teaches: "a time-out must be longer than a slow success, and a slow success is no failure",
    operations: CALLS,
    placements: EITHER,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Slow
}
