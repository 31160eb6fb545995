//! The gateway takes half of what it was asked to take.

use shop_gateway::wire::Operation;
use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};
use crate::rules::Amount;

pub(super) const FAULT: Fault = Fault {
    name: "partial_capture",
    summary: "half of the amount is captured",
    teaches: "a success may be partial: read the captured amount",
    operations: &[Operation::Capture],
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    exchange.bend().amount = Amount::Half;
    Delivery::Reply(exchange.process())
}
