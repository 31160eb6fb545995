//! The gateway says yes and does nothing.

use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE, WRITES};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "silent_failure",
    summary: "the answer is a success, the ledger does not move",
    teaches: "re-read before telling anybody that it is done",
    operations: WRITES,
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    Delivery::Reply(exchange.pretend())
}
