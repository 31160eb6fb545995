//! The request waits in a queue and is carried out after the caller gave up and looked.

use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE, WRITES};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "late_success",
    summary: "the request is carried out two seconds after it was sent",
    teaches: "finding nothing is final only after the fence",
    operations: WRITES,
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    exchange.park();
    Delivery::HangAndCarryOut
}
