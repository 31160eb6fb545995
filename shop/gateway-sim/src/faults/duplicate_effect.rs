//! The gateway does it twice by its own mistake.

use shop_gateway::wire::Operation;
use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "duplicate_effect",
    summary: "the effect happens twice, once without a key",
    teaches: "only reconciliation finds what the other side did on its own",
    operations: &[Operation::Authorize, Operation::Refund],
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    exchange.bend().twice = true;
    Delivery::Reply(exchange.process())
}
